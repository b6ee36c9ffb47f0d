#!/bin/sh
# Fetches a CPython with its headers, which this system may not have, and prints its path: fetch_python.sh 3.13 FOLDER MACHINE.
# It is JavaCPP's, from Maven Central, which can be moved to any folder. Needs mvn and patchelf.
set -eu
case $1 in
    3.10) artifact=3.10.8-1.5.8 ;;
    3.11) artifact=3.11.3-1.5.9 ;;
    3.12) artifact=3.12.1-1.5.10 ;;
    3.13) artifact=3.13.5-1.5.12 ;;
    3.14) artifact=3.14.3-1.5.13 ;;
    *) echo "no CPython $1 to fetch; there are 3.10 to 3.14" >&2; exit 1 ;;
esac
case $3 in
    aarch64) platform=linux-arm64 ;;
    *) platform=linux-$3 ;;
esac
mkdir -p "$2"
folder=$(cd "$2" && pwd)/$artifact-$platform
python=$folder/org/bytedeco/cpython/$platform/bin/python$1
if [ ! -e "$folder/complete" ]; then
    rm -rf "$folder"
    mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy -DoutputDirectory="$folder" \
        -Dartifact="org.bytedeco:cpython:$artifact:jar:$platform" >&2
    python3 -m zipfile -e "$folder/cpython-$artifact-$platform.jar" "$folder"
    chmod +x "$python"
    # The libraries that came with it: Python's, and that of foreign functions.
    patchelf --set-rpath '$ORIGIN/..' "$python"
    patchelf --set-rpath '$ORIGIN/../../..' "$(dirname "$python")"/../lib/python*/lib-dynload/_ctypes.*.so
    touch "$folder/complete"
fi
echo "$python"
