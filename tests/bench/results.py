"""The tables that the benchmarks print, as JSON: reads standard input, prints it as it comes, and writes the file that the argument names.

A table is a heading of columns and rows of a name and as many numbers:

    us a call                            plain C    Python    ratio
    __call__                               3.412     3.583    1.050
"""

import json
import re
import sys

def row_of(line, columns):
    """The name and the numbers of a row with this many numbers; None for another line."""
    name, *numbers = line.removesuffix(" ms").rsplit(maxsplit=columns) or [""]
    try:
        return (name, [float(number) for number in numbers]) if len(numbers) == columns else None
    except ValueError:
        return None


def tables(lines):
    found, heading, rows = [], [""], None
    for line in map(str.strip, lines):
        row = row_of(line, max(1, len(heading[1:])))
        if not row:
            heading, rows = re.split(r"\s{2,}", line), None
            continue
        if rows is None:
            rows = {}
            found.append({"title": heading[0], "columns": heading[1:], "rows": rows})
        rows[row[0]] = row[1]
    return found


def main():
    lines = []
    for line in sys.stdin:
        sys.stdout.write(line)
        sys.stdout.flush()
        lines.append(line)
    with open(sys.argv[1], "w") as file:
        json.dump(tables(lines), file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
