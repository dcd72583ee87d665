from json.encoder import ESCAPE as ESCAPE
from json.encoder import ESCAPE_ASCII as ESCAPE_ASCII
from json.encoder import ESCAPE_DCT as ESCAPE_DCT
from json.encoder import HAS_UTF8 as HAS_UTF8
from json.encoder import INFINITY as INFINITY
from json.encoder import encode_basestring as encode_basestring
from json.encoder import encode_basestring_ascii as encode_basestring_ascii
from json.encoder import py_encode_basestring as py_encode_basestring
from json.encoder import py_encode_basestring_ascii as py_encode_basestring_ascii

from snooze.json import JSONEncoder as JSONEncoder
