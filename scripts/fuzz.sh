#!/usr/bin/env bash
# Build the fuzz targets with the stable compiler and run each for a while.
#
# The folder has cargo-fuzz's layout (fuzz/fuzz_targets/*.rs), so `cargo fuzz` with a nightly works
# too. Here plain compiler flags enable the coverage counters that guide libFuzzer,
# and the `checked` feature asserts writes in place of a sanitizer. Inputs found are kept in
# fuzz/corpus, failures in fuzz/artifacts. Called by `make fuzz`.
#
# usage: fuzz.sh SECONDS [TARGET...]      SECONDS are shared by all targets
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 64; }
seconds=$1
shift
cd "$(dirname "$0")/../fuzz"
targets=("$@")
[ $# -gt 0 ] || for file in fuzz_targets/*.rs; do targets+=("$(basename "$file" .rs)"); done
[ -e "fuzz_targets/${targets[0]}.rs" ] || { echo "fuzz: no target '${targets[0]}'" >&2; exit 64; }
command -v c++ >/dev/null || {
    echo "fuzz: no C++ compiler found (libFuzzer needs one): apt install g++" >&2
    exit 69
}

host=$(rustc -vV | sed -n 's/^host: //p')
flags="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
flags+=" -Cllvm-args=-sanitizer-coverage-inline-8bit-counters"
flags+=" -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares"
flags+=" -Ccodegen-units=1 -Cdebug-assertions -Coverflow-checks --cfg fuzzing"
echo "building ${#targets[@]} fuzz targets"
# Naming the host applies the flags to the target only, not to build scripts.
CARGO_TARGET_DIR=../.build/target/fuzz RUSTFLAGS=$flags \
    cargo build --quiet --locked --release --target "$host"

each=$((seconds / ${#targets[@]}))
[ "$each" -gt 0 ] || each=1
failed=()
for target in "${targets[@]}"; do
    echo "=== $target, $each s ==="
    mkdir -p "corpus/$target" "artifacts/$target"
    "../.build/target/fuzz/$host/release/$target" -max_total_time="$each" -rss_limit_mb=2048 \
        -artifact_prefix="artifacts/$target/" -print_final_stats=1 -dict=json.dict \
        "corpus/$target" seeds \
        >"../.build/fuzz-$target.log" 2>&1 || failed+=("$target")
    grep -E '^(Done|SUMMARY|stat::number_of_executed_units|stat::average_exec_per_sec)|panicked' \
        "../.build/fuzz-$target.log" || true
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "fuzz: FAILED: ${failed[*]} (see .build/fuzz-*.log and fuzz/artifacts)" >&2
    exit 1
fi
echo "fuzz: ${#targets[@]} targets, no failure"
