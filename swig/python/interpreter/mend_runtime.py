"""Repair SWIG's run-time code in a generated wrapper: mend_runtime.py FILE.

Looking up a conversion moves it to the front of a list that threads share; without a GIL, they would corrupt the list.
"""

import re
import sys
from pathlib import Path

MOVE = re.compile(r"        if \(iter == ty->cast\)\n          return iter;\n        /\* Move iter to the top.*?        return iter;\n", re.DOTALL)

wrapper = Path(sys.argv[1])
text, count = MOVE.subn("        return iter;\n", wrapper.read_text())
if count != 2:
    sys.exit(f"{wrapper}: expected 2 functions that reorder conversions, found {count}; swig/python/interpreter/mend_runtime.py is for SWIG 4.3.1")
wrapper.write_text(text)
