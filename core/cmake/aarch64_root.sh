#!/usr/bin/env bash
# aarch64_root.sh ROOT: a Debian for arm64 in the folder ROOT, unpacked and not installed: what the cross compiler links, Python and Java, and in
# ROOT/venv the Python packages of the tests. Nothing of this machine changes but that its kernel runs arm64 programs (binfmt_misc).
set -euo pipefail
root=$1
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
readonly packages=(libc6-dev libstdc++-12-dev python3-dev python3-venv openjdk-17-jdk-headless libgtest-dev libegl1 libegl-mesa0 libgl1-mesa-dri)
readonly groups=(dev toolkit)
stamp=$({ cat core/cmake/aarch64_root.sh; sed -n '/^\[dependency-groups\]/,/^$/p' pyproject.toml; } | sha256sum)

# The kernel starts qemu for every arm64 program; F: also in containers.
if [[ ! -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]]; then
    [[ -e /proc/sys/fs/binfmt_misc/register ]] || mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
    cat /usr/lib/binfmt.d/qemu-aarch64.conf >/proc/sys/fs/binfmt_misc/register
fi
[[ $(cat "$root/.installed" 2>/dev/null) != "$stamp" ]] || exit 0

rm -rf "$root"
apt=$root/apt
mkdir -p "$apt"/{lists/partial,archives/partial}
: >"$apt/status"
cat >"$apt/apt.conf" <<EOF
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Debug::NoLocking "true";
EOF
export APT_CONFIG=$apt/apt.conf
apt-get update -qq
apt-get install -y -qq --download-only "${packages[@]}" >/dev/null
for package in "$apt"/archives/*.deb; do
    dpkg-deb -x "$package" "$root"
done
rm -rf "$apt"
# Links to absolute paths would leave the root.
find "$root" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
    ln -sfnr "$root$(readlink "$link")" "$link"
done

export QEMU_LD_PREFIX=$root
"$root/usr/bin/python3" -m venv --without-pip "$root/venv"
# This machine's pip chooses for the other: pip itself takes ten times as long under qemu.
platforms=(--platform manylinux2014_aarch64)
for glibc in 17 24 26 27 28 31 34 35 36; do
    platforms+=(--platform "manylinux_2_${glibc}_aarch64")
done
.venv/bin/python -m pip install -q --disable-pip-version-check --no-compile "${platforms[@]}" --only-binary=:all: \
    --python-version "$("$root/venv/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')" \
    --target "$(echo "$root"/venv/lib/python3.*/site-packages)" "${groups[@]/#/--group=}"
printf '%s\n' "$stamp" >"$root/.installed"
