from json.scanner import NUMBER_RE as NUMBER_RE
from json.scanner import make_scanner as make_scanner

__all__ = ["make_scanner"]
