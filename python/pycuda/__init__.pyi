VERSION: tuple[int, ...]
VERSION_STATUS: str
VERSION_TEXT: str

def load_ipython_extension(ipython: object) -> None: ...
