#!/usr/bin/env bash
# wine.sh PROGRAM ARG…: runs a Windows program under wine, in the prefix that windows_root.sh made. Existing paths in arguments and in the
# environment become Windows': -cp /a.jar:/b.jar is -cp Z:/a.jar;Z:/b.jar there. The C library is Microsoft's where it lies beside the program: wine's
# has no complex numbers, which NumPy needs.
set -uo pipefail
export WINEPREFIX=${BASH_SOURCE[0]%/*}/../../build/windows-root/prefix WINEDEBUG=${WINEDEBUG:--all} WINEDLLOVERRIDES='ucrtbase=n,b'
WINEPREFIX=$(cd "$WINEPREFIX" && pwd) || { echo "wine.sh: there is no build/windows-root; ./dev windows makes it" >&2; exit 127; }

# translate TEXT: sets `translated`. Paths, in a list or alone, also after OPTION=.
translate() {
    translated=$1
    [[ $1 =~ ^([A-Za-z0-9_.-]+=)?(/.*)$ ]] || return 0
    local option=${BASH_REMATCH[1]} parts part
    IFS=: read -r -a parts <<<"${BASH_REMATCH[2]}"
    for part in "${parts[@]}"; do
        [[ $part == /* && ( -e $part || -e ${part%/*} ) ]] || return 0
    done
    parts=("${parts[@]/#/Z:}")
    translated=$(IFS=';'; printf '%s' "$option${parts[*]}")
}

for name in "${!PYCUDA_@}" "${!CUDA_@}" PYTHONPATH PYTHONPYCACHEPREFIX CLASSPATH VIRTUAL_ENV; do
    translate "${!name:-}"
    [[ -z $translated ]] || export "$name=$translated"
done
arguments=()
for argument; do
    translate "$argument"
    arguments+=("$translated")
done

# A program's own fault is an exception, after which wine ends with status 5. Two other ends are wine 8's own: SIGSEGV, 139 here (seen once in some
# 12,000 ends of programs whose threads still ran), and SIGKILL, 137, which wineserver sends to programs that are slow to end, as on a busy machine (seen
# once in some 20,000).
run() {
    /usr/lib/wine/wine64 "${arguments[@]}"
    local status=$?
    [[ $status == 137 || $status == 139 ]] || return "$status"
    echo "wine.sh: wine itself ended the program (status $status); starting it once more" >&2
    /usr/lib/wine/wine64 "${arguments[@]}"
}

# With a plain file as a standard stream, programs of Microsoft's C library do not start under wine 8; with a pipe they do.
[[ ! -f /dev/stdin ]] || exec < <(cat)
if [[ -f /dev/stdout || -f /dev/stderr ]]; then
    { { run 3>&-; } 2>&1 >&3 | cat >&2; } 3>&1 | cat
else
    run
fi
