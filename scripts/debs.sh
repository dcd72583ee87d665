#!/usr/bin/env bash
# Unpack Debian packages with their dependencies into a folder and make their programs run there.
#
# No root, no chroot, no maintainer scripts, and the system stays untouched: apt fetches and checks
# signatures from the mirror it is already set up for, with separate lists and cache; patchelf
# points the programs at the libraries unpacked beside them. The folder cannot be moved afterwards.
# Called by pythons.sh (other CPythons to test on) and by environment.py (pip where Debian split it off).
#
# usage: debs.sh FOLDER SUITE ARCH PACKAGE...
#   SUITE   trixie, sid, ...; or 'installed' for the sources this system is set up with
#   ONLY=1  unpack exactly the named packages, without their dependencies
#   PATCHELF=/path/to/patchelf  where it is not on the PATH
# exit status: 64 wrong use, 69 not possible here (the reason is printed), 1 a step failed
set -euo pipefail

fail() {
    echo "debs: $1" >&2
    exit "${2:-69}"
}

[ $# -ge 4 ] || { sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 64; }
for tool in apt-get dpkg dpkg-deb; do
    command -v "$tool" >/dev/null || fail "no $tool: this is not Debian or Ubuntu"
done
mkdir -p "$1"
root=$(cd "$1" && pwd)
suite=$2 arch=$3
shift 3
native=$(dpkg --print-architecture)
[ "$arch" != all ] || { arch=$native; any=1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
: > "$work/status"
options=(-o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache"
    -o Dir::State::status="$work/status" -o APT::Install-Recommends=0
    -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none -o Acquire::Retries=1
    -o APT::Architecture="$arch" -o APT::Architectures="$arch")
if [ "$suite" != installed ]; then
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null \
        | sed -n '\#/debian/$#p' | sort -u | sed q)
    [ -n "$mirror" ] || fail "no Debian mirror among apt's sources, so no suite '$suite'"
    keys=/usr/share/keyrings/debian-archive-keyring.gpg
    [ -e "$keys" ] || fail "no $keys to check signatures with (apt install debian-archive-keyring)"
    # A mirror's index of sid can be older than its own validity date; signatures still hold.
    echo "deb [signed-by=$keys check-valid-until=no arch=$arch] $mirror $suite main" \
        > "$work/sources.list"
    options+=(-o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=-)
fi
apt-get "${options[@]}" -qq update >"$work/log" 2>&1 && ls "$work"/lists/*Packages* >/dev/null 2>&1 \
    || fail "apt cannot reach its mirror: $(tail -n 1 "$work/log")"
if [ -n "${ONLY:-}" ]; then
    (cd "$work/cache/archives" && apt-get "${options[@]}" -qq download "$@" >"$work/log" 2>&1) \
        || fail "apt could not fetch $*: $(tail -n 1 "$work/log")"
else
    apt-get "${options[@]}" -qq -y --download-only install "$@" >"$work/log" 2>&1 \
        || fail "apt could not fetch $*: $(tail -n 1 "$work/log")"
fi
for package in "$work"/cache/archives/*.deb; do
    dpkg-deb -x "$package" "$root"
done
[ -z "${any:-}" ] || exit 0
for link in lib lib64 bin sbin; do
    [ -e "$root/$link" ] || [ -L "$root/$link" ] || ln -s "usr/$link" "$root/$link"
done
[ "$arch" = "$native" ] || exit 0

patchelf=${PATCHELF:-patchelf}
command -v "$patchelf" >/dev/null || fail "no patchelf: apt install patchelf, or set PATCHELF"
libs=$root/usr/lib/$(uname -m)-linux-gnu
loader=$(find "$root/usr/lib64" "$libs" -maxdepth 1 -name 'ld-linux-*.so.*' 2>/dev/null | sed q) || true
# Without one, all programs must be static, as qemu's are.
if [ -z "$loader" ]; then
    for program in "$root"/usr/bin/*; do
        ! "$patchelf" --print-interpreter "$program" >/dev/null 2>&1 \
            || fail "no dynamic loader among the packages unpacked into $root" 1
    done
    exit 0
fi
find "$root/usr/bin" "$root"/usr/lib/llvm-*/bin -type f -perm -u+x -print0 2>/dev/null \
    | while IFS= read -r -d '' program; do
        "$patchelf" --print-interpreter "$program" >/dev/null 2>&1 || continue
        "$patchelf" --set-interpreter "$loader" --force-rpath \
            --set-rpath "\$ORIGIN/../lib:$libs" "$program"
    done || true
# The search path of a library overrides that of the program: append the folder there too.
find "$root/usr/lib" -type f -name '*.so*' -print0 | while IFS= read -r -d '' library; do
    path=$("$patchelf" --print-rpath "$library" 2>/dev/null) || continue
    [ -z "$path" ] || "$patchelf" --set-rpath "$path:$libs" "$library" || true
done
