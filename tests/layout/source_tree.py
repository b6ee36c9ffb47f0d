"""The files of the project that git tracks, and their text without comments."""

import ast
import functools
import io
import re
import subprocess
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@functools.cache
def tracked_files():
    """Paths, relative to ROOT, of all files that are in git or that `git add` would add; without git, of all files."""
    git = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    if (ROOT / ".git").exists():
        listed = subprocess.run(git, check=True, capture_output=True, text=True).stdout.split("\0")
        paths = [Path(name) for name in listed if name]
    else:
        skipped = {"build", ".venv", ".git", ".tools", "bundle"}
        paths = [p.relative_to(ROOT) for p in ROOT.rglob("*") if not skipped.intersection(p.relative_to(ROOT).parts)]
    return sorted(path for path in paths if (ROOT / path).is_file())


def files_under(folder, *suffixes):
    folder = Path(folder)
    return [p for p in tracked_files() if folder in p.parents and (not suffixes or p.suffix in suffixes)]


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


@functools.cache
def code_of(path):
    """The text of a source file without comments (Python: also without strings); lines keep their numbers."""
    text = text_of(path)
    if Path(path).suffix == ".py":
        return _python_code(text)
    # Strings are matched first, so that a comment mark in one does not count.
    pattern = r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*'
    keep = lambda match: match[0] if match[0][0] == '"' else "\n" * match[0].count("\n")
    return re.sub(pattern, keep, text, flags=re.S)


def _python_code(text):
    lines = [list(line) for line in text.splitlines()]
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            (first, start), (last, end) = token.start, token.end
            for row in range(first - 1, last):
                begin = start if row == first - 1 else 0
                stop = end if row == last - 1 else len(lines[row])
                lines[row][begin:stop] = " " * (stop - begin)
    return "\n".join("".join(line) for line in lines)


def docstring_lines(path):
    """The number of lines in docstrings, which are the reference and do not count as code."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    firsts = [node.body[0] for node in ast.walk(ast.parse(text_of(path))) if isinstance(node, kinds) and node.body]
    return sum(first.end_lineno - first.lineno + 1 for first in firsts
               if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str))


@functools.cache
def includes_of(path):
    """[(line number, included file)] of a C++ or SWIG file."""
    pattern = re.compile(r'^\s*[#%]\s*(?:include|import)\s*[<"]([^>"]+)[>"]')
    lines = code_of(path).splitlines()
    return [(number, match[1]) for number, line in enumerate(lines, 1) if (match := pattern.match(line))]
