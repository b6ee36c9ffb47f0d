"""The pages of the documentation, and the programs that their code blocks form."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), flags=re.MULTILINE | re.DOTALL)


def python_program(page):
    """A page's blocks, joined; empty if it has none."""
    return "\n".join(blocks(page, "python"))


def java_programs(page):
    """Sources by the name of their class: the blocks that are classes, and the others together, as the body of a main."""
    programs, imports, body = {}, [], []
    for block in blocks(page, "java"):
        if declared := re.search(r"^public class (\w+)", block, flags=re.MULTILINE):
            programs[declared[1]] = block
        else:
            lines = block.splitlines()
            imports += [line for line in lines if line.startswith("import ")]
            body += [line for line in lines if not line.startswith("import ")]
    if body:
        name = "".join(word.capitalize() for word in re.findall(r"[a-z0-9]+", page.stem.lower())) + "Page"
        programs[name] = "\n".join(["import org.pycuda.*;", "import org.pycuda.compiler.*;", *imports,
                                    f"public class {name} {{", "public static void main(String[] arguments) throws Exception {",
                                    "Autoinit.init();", *body, "}", "}", ""])
    return programs
