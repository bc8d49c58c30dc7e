#!/usr/bin/env bash
# Builds the wheel of the Python package once, for manylinux_2_28, and tests it in clean environments: with the oldest NumPy
# that it takes and the newest, and on every Python from 3.10 to 3.13 that is here.
# `python/try_wheel.sh WHEEL` tests a wheel that is there.
set -euo pipefail
cd "$(dirname "$0")/.."
work=target/wheel-tests
most=8000000
rm -rf "$work"
mkdir -p "$work"

wheel=${1-}
if [ -z "$wheel" ]; then
  python3 -m venv "$work/build"
  "$work/build/bin/pip" install --quiet --disable-pip-version-check maturin==1.16.0 ziglang==0.17.1
  PATH="$PWD/$work/build/bin:$PATH" "$work/build/bin/maturin" build --release --zig --compatibility manylinux_2_28 --out "$work/dist"
  wheel=$(echo "$work"/dist/vq7-*.whl)
fi
size=$(stat -c %s "$wheel")
echo "$wheel: $size bytes"
[ "$size" -lt "$most" ] || { echo "the wheel is larger than $most bytes" >&2; exit 1; }

# try PYTHON WHAT PACKAGE..: the tests of the package in an environment with these versions.
try() {
  local python=$1 what=$2 folder
  shift 2
  folder="$work/$python-$what"
  "$python" -m venv "$folder"
  # Nothing is built from source: a version without a wheel for this Python is a mistake in this file.
  "$folder/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: "$wheel" pytest hypothesis "$@"
  "$folder/bin/python" -c 'import sys, numpy; print("Python", sys.version.split()[0], "NumPy", numpy.__version__, flush=True)'
  "$folder/bin/python" -B -m pytest -q -p no:cacheprovider python/package_tests
}

tried=0
for python in python3.10 python3.11 python3.12 python3.13; do
  "$python" -c 'import venv, ensurepip' 2>/dev/null || continue
  case $python in
    python3.10 | python3.11) oldest=1.23.5 ;;
    python3.12) oldest=1.26.0 ;;
    *) oldest=2.1.0 ;;
  esac
  try "$python" oldest "numpy==$oldest" "ml_dtypes==0.5.0"
  try "$python" newest numpy ml_dtypes
  tried=$((tried + 1))
done
[ "$tried" -gt 0 ] || { echo "no Python from 3.10 to 3.13 with venv is here" >&2; exit 1; }
