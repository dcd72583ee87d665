#!/bin/sh
# Check for everything that only the user can install; print one sentence for each missing thing.
# A shell script, because Python itself may be what is missing or too old. Called first by every
# make target that builds. usage: need.sh [PYTHON]
python=${1:-python3}
here=$(cd "${0%/*}/.." && pwd)
missing=0

say() {
    printf 'snooze: %s\n' "$*" >&2
    missing=1
}

if ! command -v "$python" >/dev/null 2>&1; then
    say "no $python found: install CPython 3.11 or newer (Debian and Ubuntu: apt install python3)," \
        "or name one with 'make PYTHON=/path/to/python3'."
elif ! found=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null); then
    say "$python does not run: name a CPython 3.11 or newer with 'make PYTHON=/path/to/python3'."
elif ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    say "$python is Python $found, but 3.11 or newer is needed: install one, or name one with" \
        "'make PYTHON=/path/to/python3'."
fi

# The minimum Rust version is defined in Cargo.toml only.
oldest=$(sed -n 's/^rust-version *= *"\(.*\)"/\1/p' "$here/Cargo.toml")
oldest=${oldest:-1.85}
if ! command -v cargo >/dev/null 2>&1; then
    say "no cargo found: install Rust $oldest or newer (with rustup, or Debian and Ubuntu:" \
        "apt install cargo where it is new enough) and see that cargo is on the PATH."
elif ! rust=$(cd "$here" && cargo --version 2>/dev/null | sed -n 's/^cargo \([0-9.]*\).*/\1/p') \
    || [ -z "$rust" ]; then
    say "cargo does not run: repair the Rust toolchain ('rustup default stable' often does it)."
elif [ "$(printf '%s\n%s\n' "$oldest" "$rust" | sort -V | sed q)" != "$oldest" ]; then
    say "cargo is $rust, but Rust $oldest or newer is needed: 'rustup update stable'."
fi

if ! command -v cc >/dev/null 2>&1; then
    say "no C compiler found (Rust links with cc): Debian and Ubuntu: apt install gcc libc6-dev."
fi
exit $missing
