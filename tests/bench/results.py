"""The tables that the benchmarks print, as JSON: reads standard input, prints it as it comes, and writes the file that the argument names.

A table is a heading of columns and rows of a name and as many numbers:

    us a call                            plain C    Python    ratio
    __call__                               3.412     3.583    1.050
"""

import json
import re
import sys

ROW = re.compile(r"(\S.*?)((?:\s+-?\d+(?:\.\d+)?)+)(?:\s+ms)?\s*$")


def tables(lines):
    found, heading, rows = [], "", None
    for line in lines:
        row = ROW.fullmatch(line.rstrip("\n"))
        if not row:
            heading, rows = line.strip(), None
            continue
        if rows is None:
            title, *columns = re.split(r"\s{2,}", heading)
            rows = {}
            found.append({"title": title, "columns": columns, "rows": rows})
        rows[row[1]] = [float(number) for number in row[2].split()]
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
