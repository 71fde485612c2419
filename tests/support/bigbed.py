"""
The bigBed files of tests/data/peaks: the peaks that tests/cli/peaks_data.sh
writes as narrowPeak, by the Rust library bigtools (pip install pybigtools),
and by hand, in the other byte order and not compressed, after the tables of
Kent et al. 2010 (Bioinformatics 26:2204, supplement).

    python3 tests/support/bigbed.py peaks.narrowPeak FOLDER

SPDX-License-Identifier: MIT
"""

import struct
import sys

CONTIGS = {"A": 6000, "B": 6000}
NARROW_PEAK = """table narrowPeak
"peaks of a track"
(
    string chrom;       "contig"
    uint chromStart;    "start, from 0"
    uint chromEnd;      "end"
    string name;        "name"
    uint score;         "0 to 1000"
    char[1] strand;     "+, - or ."
    float signalValue;  "signal"
    float pValue;       "-log10, or -1"
    float qValue;       "-log10, or -1"
    int peak;           "summit from the start, or -1"
)
"""


def peaks(path):
    with open(path) as f:
        rows = [line.rstrip("\n").split("\t", 3) for line in f]
    return sorted((c, int(s), int(e), rest) for c, s, e, rest in rows)


def by_bigtools(path, rows):
    import pybigtools

    f = pybigtools.open(path, "w")
    f.write(CONTIGS, iter(rows), autosql=NARROW_PEAK)
    f.close()


def by_hand(path, rows):
    number = {c: i for i, c in enumerate(CONTIGS)}
    blocks = [
        b"".join(
            struct.pack(">III", number[c], s, e) + rest.encode() + b"\0"
            for c, s, e, rest in rows
            if c == contig
        )
        for contig in CONTIGS
    ]
    tree = struct.pack(">IIIIQQ", 0x78CA8C91, 2, 1, 8, len(CONTIGS), 0)
    tree += struct.pack(">BBH", 1, 0, len(CONTIGS))
    for c, bp in CONTIGS.items():
        tree += c.encode() + struct.pack(">II", number[c], bp)
    at_data = 64 + len(tree)
    at_index = at_data + 8 + sum(map(len, blocks))
    # a root with one leaf for each block
    leaf, at = [], at_data + 8
    for i, b in enumerate(blocks):
        item = struct.pack(">IIIIQQ", i, 0, i, 6000, at, len(b))
        leaf.append(struct.pack(">BBH", 1, 0, 1) + item)
        at += len(b)
    index = struct.pack(
        ">IIQIIIIQII", 0x2468ACE0, 2, len(blocks), 0, 0, 1, 6000, at_index, 1, 0
    )
    child = at_index + len(index) + 4 + 24 * len(leaf)
    index += struct.pack(">BBH", 0, 0, len(leaf))
    for i, x in enumerate(leaf):
        index += struct.pack(">IIIIQ", i, 0, i, 6000, child)
        child += len(x)
    head = struct.pack(
        ">IHHQQQHHQQIQ",
        *(0x8789F2EB, 4, 0, 64, at_data, at_index, 10, 10, 0, 0, 0, 0),
    )
    with open(path, "wb") as f:
        count = struct.pack(">Q", len(rows))
        f.write(head + tree + count + b"".join(blocks) + index + b"".join(leaf))


if __name__ == "__main__":
    rows = peaks(sys.argv[1])
    by_bigtools(sys.argv[2] + "/peaks.bigBed", rows)
    by_hand(sys.argv[2] + "/swapped.bb", rows)
