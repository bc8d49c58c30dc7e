#!/usr/bin/env python3
"""The same work in vq7 and in NumPy with ml_dtypes (and in JAX where it is installed), in turns in one process.

    python benches/peers.py [--filter TEXT] [--time MS] [--out FILE] [--json]

Each row is an op on 128 x 16384 elements (64-bit: 128 x 8192), operands and results in arrays that lie ready; both sides
write into an array of their own. A side's time is its best of all rounds, since nothing but disturbance makes a round
longer, and every round runs each side several times in a row, so that it finds its data where it left it. The ratio is the
peer's time by vq7's, for results of the same bytes; where the peer writes fewer bytes (NumPy's comparisons give bool) it is
the ratio of bytes moved per second. One thread: vq7 is told so, NumPy has no others, XLA is held to one.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

# Read when the libraries start.
os.environ["VQ7_THREADS"] = "1"
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import ml_dtypes
import numpy as np

import vq7

ROWS, COLUMNS = 128, 16384
IN_A_ROW = 5


@dataclass
class Row:
    """A row that was measured: times in microseconds."""

    name: str
    peer: str
    vq7_us: float
    peer_us: float
    ratio: float
    target: float | None
    reached: float | None


@dataclass
class Case:
    """A row to measure."""

    name: str
    peer: str
    ours: Callable[[], object]
    theirs: Callable[[], object]
    ours_bytes: int
    theirs_bytes: int
    target: float | None


def numbers(dtype: np.dtype, columns: int, seed: int) -> np.ndarray:
    """Integers of every magnitude and both signs, none of them zero; floats as data has them, around zero."""
    random = np.random.default_rng(seed)
    if np.issubdtype(dtype, np.integer):
        info = np.iinfo(dtype)
        values = random.integers(info.min, info.max, (ROWS, columns), dtype=dtype, endpoint=True)
        values >>= random.integers(0, min(info.bits, 8), values.shape).astype(dtype)
        values[values == 0] = 1
        return values
    return random.standard_normal((ROWS, columns)).astype(np.float32).astype(dtype)


def best(run: Callable[[], object]) -> float:
    """The shortest of some runs in a row."""
    shortest = float("inf")
    for _ in range(IN_A_ROW):
        start = time.perf_counter()
        run()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest


def measure(case: Case, milliseconds: float) -> Row:
    """Both sides in turns for about this long; each at least three times."""
    ours = theirs = float("inf")
    end = time.perf_counter() + milliseconds / 1e3
    rounds = 0
    while rounds < 3 or time.perf_counter() < end:
        ours, theirs = min(ours, best(case.ours)), min(theirs, best(case.theirs))
        rounds += 1
        if theirs > 0.2 and rounds >= 2:
            break
    ratio = (case.ours_bytes / ours) / (case.theirs_bytes / theirs)
    reached = None if case.target is None else ratio / case.target
    return Row(case.name, case.peer, ours * 1e6, theirs * 1e6, ratio, case.target, reached)


def word(op: str, a: np.ndarray, b: np.ndarray, out: np.ndarray) -> Callable[[], object]:
    """vq7's side."""
    return lambda: vq7.tensor_tensor(a, b, op, out_dtype=out.dtype, out=out)


def numpy_cases() -> list[Case]:
    """Rows against NumPy and ml_dtypes."""
    cases: list[Case] = []

    def add(op: str, ufunc: np.ufunc, dtype: object, target: float | None, view: str = "") -> None:
        kind = np.dtype(dtype)
        columns = COLUMNS // 2 if kind.itemsize == 8 else COLUMNS
        a, b = numbers(kind, columns, 1), numbers(kind, columns, 2)
        if view == "every second":
            a, b = a[:, ::2], b[:, ::2]
        elif view == "reversed":
            a, b = a[:, ::-1], b[:, ::-1]
        out = np.empty(a.shape, kind)
        theirs_out = np.empty(a.shape, ufunc(a[:1, :1], b[:1, :1]).dtype)
        peer = "ml_dtypes" if kind.kind == "V" or kind.type.__module__ == "ml_dtypes" else "numpy"
        moved = a.size * kind.itemsize * 2
        name = f"{op} {kind.name}" + (f", {view}" if view else "")
        run = lambda: ufunc(a, b, out=theirs_out)  # noqa: E731
        cases.append(Case(name, peer, word(op, a, b, out), run, moved + out.nbytes, moved + theirs_out.nbytes, target))

    for dtype in (np.int8, np.int16, np.int32, np.int64):
        add("add_int", np.add, dtype, 1.0)
        add("subtract_int", np.subtract, dtype, 1.0)
        add("max_int", np.maximum, dtype, 1.0)
    for dtype in (np.uint8, np.uint16, np.uint32, np.uint64):
        add("min_uint", np.minimum, dtype, 1.0)
        add("bitwise_and", np.bitwise_and, dtype, 1.0)
        add("bitwise_xor", np.bitwise_xor, dtype, 1.0)
    add("mult_int", np.multiply, np.int32, 1.0)
    add("mult_int", np.multiply, np.int64, 1.1)
    add("is_lt_int", np.less, np.int64, 1.0)
    for op, ufunc in (("add", np.add), ("mult", np.multiply), ("max", np.maximum), ("is_lt", np.less)):
        add(op, ufunc, np.float32, 1.0)
        add(op, ufunc, np.float16, 50.0)
        add(op, ufunc, ml_dtypes.bfloat16, 14.0)
    for dtype in (ml_dtypes.float8_e4m3, ml_dtypes.float8_e3m4, ml_dtypes.float8_e5m2):
        target = None if dtype is ml_dtypes.float8_e5m2 else 90.0
        for op, ufunc in (("add", np.add), ("subtract", np.subtract), ("mult", np.multiply), ("is_lt", np.less)):
            add(op, ufunc, dtype, target)
    for dtype, target in ((np.int32, 15.0), (np.int64, 6.0)):
        # NumPy rounds down, the engine toward zero: other results, the same work.
        add("divide_int", np.floor_divide, dtype, target)
        add("mod_int", np.remainder, dtype, target)
    for view in ("every second", "reversed"):
        add("add_int", np.add, np.int16, 3.0, view)
        add("add", np.add, ml_dtypes.bfloat16, 3.0, view)
        add("add", np.add, np.float16, 3.0, view)
        add("add", np.add, ml_dtypes.float8_e4m3, 3.0, view)
        add("add_int", np.add, np.int8, 1.0, view)
        add("add_int", np.add, np.int32, 1.0, view)
        add("add", np.add, np.float32, 1.0, view)
    return cases


def jax_cases() -> list[Case]:
    """Rows against XLA, where JAX is installed."""
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        print("jax is not installed: no rows against XLA", file=sys.stderr)
        return []
    cases = []
    for dtype, target in (
        (ml_dtypes.float8_e4m3, 5.0),
        (ml_dtypes.float8_e3m4, 5.0),
        (ml_dtypes.float8_e5m2, 1.2),
        (ml_dtypes.bfloat16, None),
        (np.float16, None),
        (np.float32, None),
    ):
        kind = np.dtype(dtype)
        a, b = numbers(kind, COLUMNS, 1), numbers(kind, COLUMNS, 2)
        out = np.empty(a.shape, kind)
        x, y = jnp.asarray(a), jnp.asarray(b)
        for op, function in (("add", jnp.add), ("mult", jnp.multiply)):
            compiled = jax.jit(function)
            compiled(x, y).block_until_ready()
            run = lambda compiled=compiled, x=x, y=y: compiled(x, y).block_until_ready()  # noqa: E731
            moved = 3 * out.nbytes
            cases.append(Case(f"{op} {kind.name}", "jax", word(op, a, b, out), run, moved, moved, target))
    return cases


def main() -> int:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", action="append", default=[], metavar="TEXT", help="only rows with this in their name")
    parser.add_argument("--time", type=float, default=150, metavar="MS", help="milliseconds for each row [default: 150]")
    parser.add_argument("--out", default="target/peers.json", metavar="FILE", help="where the rows are written")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    args = parser.parse_args()
    wanted = [
        case
        for case in numpy_cases() + jax_cases()
        if not args.filter or any(text in f"{case.name} {case.peer}" for text in args.filter)
    ]
    rows = []
    for case in wanted:
        row = measure(case, args.time)
        rows.append(row)
        if not args.json:
            verdict = ""
            if row.target is not None and row.reached is not None:
                missing = "" if row.reached >= 1 else f" (reached {row.reached:.2f} of it)"
                verdict = f"{'met' if row.reached >= 1 else 'MISSED'} {row.target:g}{missing}"
            print(f"{row.name:34} {row.vq7_us:9.1f} us {row.peer:>9} {row.peer_us:10.1f} us {row.ratio:7.2f}x {verdict}", flush=True)
    judged = [row.reached for row in rows if row.reached is not None]
    answer = {
        "vq7": vq7.__version__,
        "numpy": np.__version__,
        "ml_dtypes": ml_dtypes.__version__,
        "rows": [asdict(row) for row in rows],
        "targets": len(judged),
        "met": sum(reached >= 1 for reached in judged),
        "below_0.7": sum(reached < 0.7 for reached in judged),
    }
    if folder := os.path.dirname(args.out):
        os.makedirs(folder, exist_ok=True)
    with open(args.out, "w", encoding="utf-8") as file:
        json.dump(answer, file, indent=1)
        file.write("\n")
    if args.json:
        print(json.dumps(answer, indent=1))
    else:
        print(f"{answer['met']} of {answer['targets']} targets met; {answer['below_0.7']} rows below 0.7 of their target")
    return 0


if __name__ == "__main__":
    sys.exit(main())
