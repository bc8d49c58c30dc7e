#!/usr/bin/env bash
# Runs every fuzz target for a few seconds: fuzz/smoke.sh [seconds, default 20]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-20}
command -v cargo-fuzz >/dev/null || cargo install cargo-fuzz --version 0.13.2 --locked
# cargo-fuzz asks for unstable compiler flags; the toolchain is the stable one.
export RUSTC_BOOTSTRAP=1
for target in words assembler npy neff fast bundles; do
  mkdir -p "fuzz/corpus/$target"
  # The packages of vectors/neff are the seeds of their target.
  if [ "$target" = neff ]; then seeds=vectors/neff; longest=32768; else seeds=fuzz/seeds/$target; longest=4096; fi
  cp -n "$seeds"/* "fuzz/corpus/$target/"
  cargo fuzz run "$target" -- -max_total_time="$seconds" -rss_limit_mb=2048 -max_len=$longest -verbosity=0 -print_final_stats=1
done
