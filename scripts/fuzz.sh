#!/usr/bin/env bash
# Build the fuzz targets with the stable compiler and run each for a while.
#
# The folder has cargo-fuzz's layout (fuzz/fuzz_targets/*.rs), so `cargo fuzz` with a nightly works
# too. Here plain compiler flags enable the coverage counters that guide libFuzzer,
# and the `checked` feature asserts writes in place of a sanitizer. The targets json and typed are
# properties in Python (fuzz_python.py). Inputs found are kept in
# fuzz/corpus, failures in fuzz/artifacts. Called by `make fuzz`.
#
# usage: fuzz.sh SECONDS [TARGET...]      SECONDS are shared by all targets
#        fuzz.sh pack TARGET              the smallest corpus of json or typed, into tests/safety/corpora
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,12s/^# \{0,1\}//p' "$0" >&2; exit 64; }
seconds=$1
shift
is_packed=
if [ "$seconds" = pack ]; then
    is_packed=yes
    seconds=1
fi
cd "$(dirname "$0")/../fuzz"
python_targets=(json typed)
rust_targets=()
for file in fuzz_targets/*.rs; do rust_targets+=("$(basename "$file" .rs)"); done
targets=("$@")
[ $# -gt 0 ] || targets=("${rust_targets[@]}" "${python_targets[@]}")
command -v c++ >/dev/null || {
    echo "fuzz: no C++ compiler found (libFuzzer needs one): apt install g++" >&2
    exit 69
}

is_python() { [[ " ${python_targets[*]} " == *" $1 "* ]]; }
kinds=
for target in "${targets[@]}"; do
    if is_python "$target"; then
        kinds+=" python"
    elif [ -e "fuzz_targets/$target.rs" ]; then
        kinds+=" rust"
    else
        echo "fuzz: no target '$target'" >&2
        exit 64
    fi
done

host=$(rustc -vV | sed -n 's/^host: //p')
flags="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
flags+=" -Cllvm-args=-sanitizer-coverage-inline-8bit-counters"
flags+=" -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares"
flags+=" -Ccodegen-units=1 -Cdebug-assertions -Coverflow-checks --cfg fuzzing"
# Naming the host applies the flags to the target only, not to build scripts. In the variable of the
# host they are added to those of .cargo/config.toml.
variable=CARGO_TARGET_$(tr 'a-z-' 'A-Z_' <<<"$host")_RUSTFLAGS
built=$PWD/../.build/target/fuzz
build() { env "$variable=$flags" CARGO_TARGET_DIR="$built" cargo build --quiet --locked --release --target "$host" "$@"; }

if [[ $kinds == *rust* ]]; then
    echo "building the fuzz targets"
    build
fi
if [[ $kinds == *python* ]]; then
    echo "building libFuzzer and the extension"
    "${PYTHON:-python3}" ../scripts/environment.py ../.venv build test --python "${PYTHON:-python3}"
    python=$PWD/../.venv/bin/python
    package=$PWD/../.build/fuzz-package
    build --package libfuzzer-sys
    archive=$(find "$built/$host" -name libfuzzer.a -printf '%T@ %p\n' | sort -n | tail -1 | cut -d' ' -f2-)
    rm -rf "$package"
    mkdir -p "$package"
    cp -r ../src/snooze "$package/snooze"
    # Its own comparisons of memory can only be in a program, not in a library.
    cp "$archive" "$package/libfuzzer.a"
    ar t "$package/libfuzzer.a" | { grep Interceptors || true; } | xargs -r ar d "$package/libfuzzer.a"
    # Its own `main` wants this function; `fuzz_python.py` calls the driver with another one.
    echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char *, unsigned long) { return 0; }' |
        c++ -shared -fPIC -o "$package/libfuzzer.so" -x c++ - -x none \
            -Wl,--whole-archive "$package/libfuzzer.a" -Wl,--no-whole-archive -lpthread
    (
        cd ..
        PYO3_PYTHON=$python CARGO_PROFILE_RELEASE_LTO=off \
            build --package snooze-py --features checked
    )
    cp "$built/$host/release/lib_snooze.so" "$package/snooze/_snooze.so"
    for target in "${python_targets[@]}"; do
        printf '#!/bin/sh\nPYTHONPATH=%q exec %q %q "$0" %q %q "$@"\n' "$package" "$python" \
            "$PWD/../scripts/fuzz_python.py" "$package/libfuzzer.so" "$target" >"$package/$target"
        chmod +x "$package/$target"
    done
fi

if [ -n "$is_packed" ]; then
    for target in "${targets[@]}"; do
        is_python "$target" || { echo "fuzz: '$target' has no packed corpus" >&2; exit 64; }
        smallest=$(mktemp -d)
        "$package/$target" -set_cover_merge=1 -use_counters=0 -max_len=200 \
            "$smallest" "corpus/$target" 2>&1 | grep 'MERGE-OUTER' | tail -1
        "$python" ../scripts/fuzz_python.py --pack "$target" "$smallest"
        rm -rf "$smallest"
    done
    exit
fi

each=$((seconds / ${#targets[@]}))
[ "$each" -gt 0 ] || each=1
failed=()
for target in "${targets[@]}"; do
    echo "=== $target, $each s ==="
    mkdir -p "corpus/$target" "artifacts/$target"
    program=$built/$host/release/$target
    options=(-max_total_time="$each" -rss_limit_mb=2048 -artifact_prefix="artifacts/$target/"
        -print_final_stats=1 -dict=json.dict)
    folders=("corpus/$target" seeds)
    if is_python "$target"; then
        program=$package/$target
        options+=(-max_len=512)
        folders=("corpus/$target")
    fi
    FUZZ_SEEDS=corpus/$target "$program" "${options[@]}" "${folders[@]}" \
        >"../.build/fuzz-$target.log" 2>&1 || failed+=("$target")
    grep -E '^(Done|SUMMARY|stat::number_of_executed_units|stat::average_exec_per_sec)|panicked' \
        "../.build/fuzz-$target.log" || true
    # How much of the code was reached: blocks, and blocks with their counts.
    grep -E '^#[0-9]+.* cov: ' "../.build/fuzz-$target.log" | tail -1 | grep -oE 'cov: .* corp: [^ ]+' || true
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "fuzz: FAILED: ${failed[*]} (see .build/fuzz-*.log and fuzz/artifacts)" >&2
    exit 1
fi
echo "fuzz: ${#targets[@]} targets, no failure"
