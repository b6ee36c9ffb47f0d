VERSION: tuple[int, ...]
VERSION_STATUS: str
VERSION_TEXT: str
