#!/bin/sh
# Fetches a CPython with its headers, which this system may not have, and prints its path: fetch_python.sh 3.13 FOLDER MACHINE, of which
# "windows" is one. It is JavaCPP's, from Maven Central, which can be moved to any folder. Needs mvn and, but for Windows, patchelf.
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
    windows) platform=windows-x86_64 ;;
    *) platform=linux-$3 ;;
esac
mkdir -p "$2"
folder=$(cd "$2" && pwd)/$artifact-$platform
home=$folder/org/bytedeco/cpython/$platform
python=$home/bin/python$1
[ "$3" != windows ] || python=$home/python.exe
if [ ! -e "$folder/complete" ]; then
    rm -rf "$folder"
    mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy -DoutputDirectory="$folder" \
        -Dartifact="org.bytedeco:cpython:$artifact:jar:$platform" >&2
    python3 -m zipfile -e "$folder/cpython-$artifact-$platform.jar" "$folder"
    chmod +x "$python"
    # The libraries that came with it: Python's, and that of foreign functions. Windows looks beside the program by itself.
    if [ "$3" != windows ]; then
        patchelf --set-rpath '$ORIGIN/..' "$python"
        patchelf --set-rpath '$ORIGIN/../../..' "$home"/lib/python*/lib-dynload/_ctypes.*.so
    fi
    touch "$folder/complete"
fi
echo "$python"
