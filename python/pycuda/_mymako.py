"""The mako package under this package's name, for programs that look for it here."""

try:
    import mako.template  # noqa: F401
except ImportError as error:
    raise ImportError("this uses the template engine mako, which is not installed: pip install mako") from error

from mako import *  # noqa: F401,F403
from mako import exceptions, lookup, template  # noqa: F401
