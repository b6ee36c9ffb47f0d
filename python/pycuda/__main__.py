"""``python -m pycuda``: report the driver, the devices and the compilers, and try a kernel.

``--verbose`` prints everything that a bug report needs, ``--json`` the same for programs. ``--benchmark`` measures a launch, a copy and an array
operation. The exit status is 0 if a kernel can be compiled and run, else 1. ``--provide-distribution`` reports nothing: it lets packages that
depend on the distribution ``pycuda`` find this one (see docs/install.md).
"""

import argparse
import platform
import sys

import pycuda


def _provide_distribution():
    from pycuda._distribution import provide_distribution

    try:
        print(f"wrote {provide_distribution()}; pip uninstall pycuda removes it")
    except (RuntimeError, OSError) as error:
        print(f"python -m pycuda: {error}", file=sys.stderr)
        return 1
    return 0


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m pycuda", description=__doc__.split("\n\n")[0].replace("`", ""))
    parser.add_argument("--verbose", action="store_true", help="print everything that a bug report needs")
    parser.add_argument("--json", action="store_true", help="print the same as one JSON object")
    parser.add_argument("--benchmark", action="store_true", help="measure a launch, a copy and a + b, on one line")
    parser.add_argument("--provide-distribution", action="store_true",
                        help="let packages that depend on the distribution pycuda find this one; undone by pip uninstall pycuda")
    chosen = parser.parse_args(arguments)
    if chosen.provide_distribution:
        return _provide_distribution()
    if chosen.benchmark:
        from pycuda import _benchmark

        print(_benchmark.line())
        return 0
    import pycuda.compiler  # noqa: F401  tells the core where pip puts compilers
    from pycuda import _driver

    language = f"Python {platform.python_version()} ({sys.executable}), pycuda {pycuda.VERSION_TEXT}"
    try:
        import numpy

        language += f", numpy {numpy.__version__}"
    except ImportError:
        language += ", no numpy"
    report = _driver.report(language)
    sys.stdout.write(report.json if chosen.json else report.text if chosen.verbose else report.summary)
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
