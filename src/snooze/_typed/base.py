"""The bases of codecs: objects of the extension that hold a plan."""

from snooze._snooze import DecoderBase as DecoderBase
from snooze._snooze import EncoderBase as EncoderBase
