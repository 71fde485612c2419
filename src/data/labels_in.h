/**
 * Files of labelled bins ("dnabird labels"), read line by line: bins, or the
 * sequences around them, and the numbers of their labels. docs/formats.md has
 * the format.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_DATA_LABELS_IN_H
#define BIRD_DATA_LABELS_IN_H

#include <stdint.h>

#include "dnabird/features.h"
#include "seq/input.h"
#include "seq/intervals.h"

#define BIRD_LABELS_MAGIC "##dnabird-labels"
enum {
    BIRD_LABELS_VERSION = 1,  /* bins on a reference */
    BIRD_LABELS_SEQUENCES = 2 /* sequences without coordinates */
};

/** Start with {0}. */
struct bird_labels_in {
    struct bird_lines lines;
    bird_features features;
    int64_t bin, context;        /* bp */
    int regions;                 /* 1: parts have borders inside contigs */
    int sequences;               /* 1: rows are sequences, contigs.n is 0 */
    struct bird_contigs contigs; /* of the reference, in its order */
    int64_t *length;             /* (contigs.n) */
    uint8_t *unknown;            /* (contigs.n, features.n) 1: not known;
                                    NULL of sequences */
    int64_t cap_length, cap_label;
    int32_t *label;
    int32_t last; /* contig of the line before */
};

/** One bin; `label` and `sequence` live until the next one. */
struct bird_labels_bin {
    int32_t contig; /* -1 of sequences */
    int64_t start, end;
    const char
        *sequence; /* (context) bases around it; NULL: read a reference */
    const int32_t *label; /* (n) rising */
    int64_t n, line;
};

/**
 * Open and read the header.
 * Errors: BIRD_EIO; BIRD_EFORMAT with file and line; BIRD_EUNSUPPORTED a newer
 * version; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_labels_open(struct bird_labels_in *l,
                                     const char *path);
/** The same over n bytes in memory, which are copied. */
BIRD_MUST_CHECK int bird_labels_open_memory(struct bird_labels_in *l,
                                            const char *name, const void *data,
                                            int64_t n);
/** Safe on a zeroed one. */
void bird_labels_close(struct bird_labels_in *l);

/** The next bin: 1, 0 at the end, or a negative bird_status. */
BIRD_MUST_CHECK int bird_labels_next(struct bird_labels_in *l,
                                     struct bird_labels_bin *out);

#endif
