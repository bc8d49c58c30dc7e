#!/usr/bin/env python3
"""Writes the NEFF packages of this folder: one for every variant of docs/spec/streams.md. Python's standard library only.

    make_neff.py OUT      write them into the folder OUT
    make_neff.py --check  compare with the files beside this script; compressed payloads are compared with gzip taken off,
                          because another zlib may write other bytes for the same content

No package of a vendor is used: the words are those that the sources of docs/spec/streams.md print, and zeros.
"""

import gzip
import hashlib
import io
import json
import pathlib
import struct
import sys
import tarfile

# tarfile fills archives up to 10 KiB; that the end mark is there is enough.
tarfile.RECORDSIZE = tarfile.BLOCKSIZE


def word(start, text=""):
    """A word: its first bytes, and a name from byte 12 on."""
    data = bytearray(64)
    data[: len(start)] = start
    data[12 : 12 + len(text)] = text.encode()
    return bytes(data)


COLLECTIVE = word([0xC8, 0x10, 0, 0, 0x04, 0x0A, 0x13, 0x16])
TRIGGER_IN = word([0xC1, 0x10], "q_gradient_in")
TRIGGER_OUT = word([0xC1, 0x10, 0, 0, 0x04, 0x16], "q_gradient_out")
SEMAPHORE = word([0xA0, 0x10, 0, 0, 0x04, 0x0B])
# Waits for what TRIGGER_OUT's stream leaves behind, signals 10 and 11 for the two waits above.
SIGNAL_10 = word([0xA4, 0x10, 0, 0, 0, 0, 0x13, 0x0A])
SIGNAL_11 = word([0xA4, 0x10, 0, 0, 0, 0, 0x13, 0x0B])
END = bytes([0xDF, 0x10] + [0] * 10 + [1]) + bytes(51)
# ADD_INT on int32[128, 512]: POOL takes it.
ADD_INT = bytes.fromhex(
    "4110000000000000000000008808c480"
    "00000000010001000100000201000100"
    "00100000010001000100000201000100"
    "00200000010001000100000201000100"
)
QUANTIZE_LONG = word([0xE3, 0x11])

PE = COLLECTIVE
POOL = TRIGGER_IN + TRIGGER_OUT + SEMAPHORE
DVE = SIGNAL_10 + SIGNAL_11 + ADD_INT
ACT = ADD_INT * 3 + END
SP = SEMAPHORE + END


def as_json(value):
    return (json.dumps(value, indent=1) + "\n").encode()


def old_members(prefix=""):
    """Lower-case streams that def.json names."""
    definition = {"pe_instr": "pe.bin", "nested": [{"pool_instr": "pool.bin"}], "dve_instr": "dve.bin"}
    return [
        (prefix + "neff.json", as_json({"version": "2.0", "nodes": ["sg00"]})),
        (prefix + "kelf-a.json", as_json({})),
        (prefix + "sg00/def.json", as_json(definition)),
        (prefix + "sg00/pe.bin", PE),
        (prefix + "sg00/pe.asm", b"PSEUDO_TRIGGER_COLLECTIVE $S[10]>0 $S[22]++@complete;\n"),
        (prefix + "sg00/pool.bin", POOL),
        (prefix + "sg00/dve.bin", DVE),
    ]


def new_members(prefix=""):
    """Title-case streams that the engines' own JSON files name."""
    return [
        (prefix + "neff.json", as_json({"version": "2.0"})),
        (prefix + "info.json", as_json({"name": "two_subgraphs"})),
        (prefix + "sg00/def.json", as_json({"ucode_lib": "ucode_lib.json"})),
        (prefix + "sg00/Pool0.json", as_json({"instr": "Pool0.bin", "dma": [{"desc": [1, 2]}]})),
        (prefix + "sg00/Pool0.bin", POOL),
        (prefix + "sg00/PE0.json", as_json({"instr": "PE0.bin"})),
        (prefix + "sg00/PE0.bin", PE),
        (prefix + "sg01/Activation1.json", as_json({"dma": [], "instr": "Activation1.bin"})),
        (prefix + "sg01/Activation1.bin", ACT),
        (prefix + "sg01/DVE.json", as_json({"instr": "stream_of_dve"})),
        (prefix + "sg01/stream_of_dve", DVE),
        (prefix + "sg01/SP.json", as_json({"instr": "SP"})),
        (prefix + "sg01/SP", SP),
    ]


def tar(members, format):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as archive:
        folders = set()
        for name, data in members:
            folder = name.rpartition("/")[0]
            if folder not in folders and folder not in ("", "."):
                folders.add(folder)
                entry = tarfile.TarInfo(folder)
                entry.type = tarfile.DIRTYPE
                archive.addfile(entry)
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def with_header(version, payload, size=0x400, said=None, digest=None):
    """The package: a header of `size` bytes that says `said`, and the payload."""
    header = bytearray(size)

    def put(at, data):
        if at + len(data) <= size:
            header[at : at + len(data)] = data

    digest = digest or (hashlib.sha256 if version == 1 else hashlib.md5)(payload).digest()
    put(0x000, struct.pack("<QQQQQ", version, said or size, len(payload), 2, 0))
    put(0x028, b"vq7 fixture")
    put(0x0A8, struct.pack("<I", version - 1))
    put(0x0AC, digest)
    put(0x0CC, bytes(range(16)))
    put(0x0DC, b"a_kernel")
    put(0x1DC, struct.pack("<I", 1))
    put(0x1E0, bytes([1]))
    put(0x220, struct.pack("<Q", 0x3))
    put(0x228, struct.pack("<I", 1))
    return bytes(header) + payload


def zip(data):
    return gzip.compress(data, mtime=0)


def variants():
    deep = "sg00/" + "a_folder_with_a_rather_long_name/" * 8
    long = [("sg00/Pool0.json", as_json({"instr": deep[5:] + "pool.bin"})), (deep + "pool.bin", POOL)]
    old = tar(old_members(), tarfile.USTAR_FORMAT)
    new = tar(new_members(), tarfile.PAX_FORMAT)
    by_name = [("a/act0.bin", ACT), ("a/activation1.bin", ADD_INT), ("Pool.BIN", POOL), ("notes.bin", b"no stream")]
    return {
        "v1_tar.neff": with_header(1, old),
        "v2_gzip.neff": with_header(2, zip(new)),
        "v1_title_case.neff": with_header(1, new),
        "bare_pax.neff": new,
        "bare_gzip.neff": zip(old),
        "dot_names.neff": with_header(1, tar(old_members("./"), tarfile.GNU_FORMAT)),
        "gnu_long_names.neff": with_header(1, tar(long, tarfile.GNU_FORMAT)),
        "pax_long_names.neff": with_header(1, tar(long, tarfile.PAX_FORMAT)),
        "by_name.neff": with_header(1, tar(by_name, tarfile.USTAR_FORMAT)),
        "short_header.neff": with_header(1, old, size=0x100),
        "long_header.neff": with_header(2, zip(new), size=0x800),
        "header_size_off.neff": with_header(1, old, said=0x300),
        "wrong_hash.neff": with_header(1, old, digest=bytes(32)),
        "quantize_long.neff": tar([("sg00/dve.bin", ADD_INT + QUANTIZE_LONG + ADD_INT)], tarfile.USTAR_FORMAT),
    }


def plain(package):
    """A package with gzip taken off, and without what depends on how it was compressed."""
    at = package.find(b"\x1f\x8b\x08")
    if at not in (0, 0x400, 0x800):
        return package
    header = bytearray(package[:at])
    if header:
        header[0x10:0x18] = bytes(8)
        header[0xAC:0xCC] = bytes(32)
    return bytes(header) + gzip.decompress(package[at:])


def main():
    if sys.argv[1:] == ["--check"]:
        folder = pathlib.Path(__file__).parent
        packages = variants()
        wrong = [name for name, data in packages.items() if plain((folder / name).read_bytes()) != plain(data)]
        strays = {path.name for path in folder.glob("*.neff")} - set(packages)
        for name in sorted(set(wrong) | strays):
            print(f"{name} is not what this script writes")
        sys.exit(1 if wrong or strays else 0)
    folder = pathlib.Path(sys.argv[1])
    for name, data in variants().items():
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
