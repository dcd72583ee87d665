from json.decoder import JSONDecodeError as JSONDecodeError

from snooze.json import JSONDecoder as JSONDecoder

__all__ = ["JSONDecodeError", "JSONDecoder"]
