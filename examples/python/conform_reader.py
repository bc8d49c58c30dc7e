"""Answers a conformance kit with vq7's Python API: a reader of the kit that needs NumPy and the package, nothing else.

    vq7 conform generate --target trn2 --level 1 --shard 0/64 -o kit
    python examples/python/conform_reader.py kit answers
    vq7 conform check kit --results answers

Whoever tests another implementation from Python replaces `answer`, which gets a word and the memory it works on, and `refusal`.
The format is described in docs/conformance.md.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import vq7

Array: TypeAlias = npt.NDArray[Any]

RECORD = np.dtype(
    [("case", "<u4"), ("cell", "<u4"), ("image", "<u8"), ("image_bytes", "<u4"), ("coefficients", "<u4"),
     ("opcode", "u1"), ("op", "u1"), ("types", "u1", 3), ("shape", "u1"), ("engines", "u1"), ("channels", "u1"),
     ("partition", "<u2", 2), ("rows", "<u2", 2), ("offset", "<u4", 2), ("bytes", "<u4", 2),
     ("elements", "<u4"), ("zero", "<u4")]
)  # fmt: skip
NO_COEFFICIENTS = 0xFFFFFFFF
DONE, UNSUPPORTED = 0, 2


def windows(record: Any, image: Array) -> list[tuple[int, int, Array]]:
    """The rows of both windows of a case: partition, first byte within it, and the bytes, which are views of `image`."""
    rows, start = [], 0
    for which in range(2):
        width = int(record["bytes"][which])
        for row in range(int(record["rows"][which])):
            rows.append(
                (int(record["partition"][which]) + row, int(record["offset"][which]), image[start : start + width])
            )
            start += width
    return rows


def answer(word: bytes, rows: list[tuple[int, int, Array]], state: vq7.StateBuffer, policy: vq7.Policy) -> None:
    """Runs the word on the bytes of the windows and leaves there what it wrote."""
    for partition, offset, data in rows:
        state.write(partition, data, offset=offset)
    vq7.Program(word, target=state.target, policy=policy).run(state=state)
    for partition, offset, data in rows:
        data[:] = state.view(partition, offset=offset, count=data.size)


def refusal(word: bytes, engine: str, target: str, policy: vq7.Policy) -> str | None:
    """The rule that refuses a word, or None if it is taken."""
    return vq7.check(word, target, engine, policy=policy)[0].first_failed


def read_shard(folder: Path, results: Path) -> tuple[int, int]:
    """Answers one shard; gives the numbers of cases that were answered and that there are."""
    manifest = json.loads((folder / "manifest.json").read_text())
    policy = vq7.Policy(**manifest["policy"])
    target = manifest["target"]
    cases = np.fromfile(folder / "cases.bin", RECORD)
    words = np.fromfile(folder / "words.bin", "u1").reshape(-1, 64)
    images = np.fromfile(folder / "inputs.bin", "u1")
    status = np.zeros(len(cases), "u1")
    state = vq7.StateBuffer(target)
    for number, (record, word) in enumerate(zip(cases, words)):
        if record["coefficients"] != NO_COEFFICIENTS:  # batch norm takes them beside the word
            status[number] = UNSUPPORTED
            continue
        image = images[record["image"] :][: record["image_bytes"]]
        answer(word.tobytes(), windows(record, image), state, policy)
    negatives = json.loads((folder / "negative.json").read_text())
    negative_words = np.fromfile(folder / "negative.bin", "u1").reshape(-1, 64)
    refused = [refusal(word.tobytes(), row["engine"], target, policy) for row, word in zip(negatives, negative_words)]
    results.mkdir(parents=True, exist_ok=True)
    same = {key: manifest[key] for key in ("kit", "vq7", "target", "level", "seed", "shard", "policy")}
    head = {"schema_version": 1, "kind": "vq7-conformance-results", "producer": f"vq7 {vq7.__version__} through Python"}
    (results / "results.json").write_text(json.dumps({**head, **same, "complete": True, "negatives": refused}))
    images.tofile(results / "results.bin")
    status.tofile(results / "status.bin")
    return int((status == DONE).sum()), len(cases)


def main() -> None:
    """Answers every shard of a kit."""
    if len(sys.argv) != 3:
        raise SystemExit("usage: conform_reader.py KIT RESULTS")
    kit, results = map(Path, sys.argv[1:])
    shards = [kit] if (kit / "cases.bin").exists() else sorted(kit.glob("shard-*"))
    if not shards:
        raise SystemExit(f"{kit} holds no shard: make one with `vq7 conform generate --target trn2 --level 1 -o {kit}`")
    for shard in shards:
        done, all_of_them = read_shard(shard, results / shard.name if len(shards) > 1 else results)
        print(f"{shard.name}: {done} of {all_of_them} cases answered")


if __name__ == "__main__":
    main()
