/**
 * A walk over the bases of a genome for `promoter` and `chromatin`: sequence to
 * tiles, tiles to a session, and its answers to rows, in the order of the
 * bases.
 *
 * There is one walk for all models, by the model's layout (session/layout.h). A
 * tile is the core of a layout, with its margins; a row is one bin of a tile.
 * A layout that is not on a grid has one bin, the window.
 *
 * A shard is a part of the bases. It writes what begins there, be it a bin, a
 * call or a run of equal values, whole. So the walk starts a little before the
 * shard's first base, and continues after its last base until everything that
 * began within the shard has ended.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SCAN_SCAN_H
#define BIRD_SCAN_SCAN_H

#include "dnabird/progress.h"
#include "scan/source.h"
#include "session/layout.h"

/** What is scanned, as the user asks for it; texts are borrowed. */
struct bird_scan_input {
    const char *fasta, *region, *regions; /* bird_source_open() */
    const char *shard;                    /* "2/3"; NULL: all */
    double max_unknown; /* largest share of characters other than A, C, G, T */
    int score_short;    /* 1: contigs shorter than the context are scored */
    int64_t min_length; /* bp: shorter contigs are not scored, as
                           BIRD_STATUS_SHORT; 0: a bin, where bins lie on the
                           contig; else none */
    int centre; /* 1: one bin around the middle of each sequence or region */
    int sorted; /* 1: centred regions in the order of the genome */
    bird_progress_call *progress;
    void *progress_context;
};

/** A bin, scored or skipped. Pointers live for the call. */
struct bird_scan_row {
    int64_t contig, start, end;
    const char *name;    /* of the contig */
    const char *regions; /* names of the regions it is for, or NULL */
    const char *status;  /* why it is not scored; NULL: scored */
    const float *value;  /* (strands, labels), raw: 2 strands with
                            BIRD_STRAND_EACH, else 1; NULL: not scored */
};

/** How the model is run over it, and what takes the rows. */
struct bird_scan_plan {
    const bird_model *model; /* must outlive the scan */
    struct bird_layout layout;
    enum bird_strand strand; /* of the session */
    int genome; /* 1: the lengths of all contigs are needed before the scan */
    int names;  /* 1: rows name their regions */
    /** Takes the rows in the order of the bases. */
    int (*put)(void *context, const struct bird_scan_row *row);
    /** Can an output record that started before `before`, on the row's contig,
     *  still extend past this row? NULL: rows are the records. */
    int (*extends)(void *context, const struct bird_scan_row *row,
                   int64_t before);
    void *context;
};

struct bird_scan_counts {
    int64_t n_contig, n_empty, n_bp; /* sequences (or regions), those without a
                                        base, and their bases */
    int64_t n_row, n_scored;         /* bins, and those scored */
    int64_t n_short, n_unknown;      /* skipped: BIRD_STATUS_SHORT, and for N
                                        or for bases beyond the contig */
    int64_t n_beyond;                /* of n_unknown: beyond the contig */
    int64_t n_trimmed, n_cached;     /* bird_session_counts */
    char build[256];  /* a warning: another build of the genome; or "" */
    char notice[512]; /* sentences for the user, or "" */
};

struct bird_scan;

/**
 * Open the sequences and a session.
 * Owner: *out is the caller's, bird_scan_close(); what input and plan point at
 * must outlive it
 * Errors: those of bird_source_open() and bird_session_new()
 */
BIRD_MUST_CHECK int bird_scan_begin(struct bird_scan **out,
                                    const struct bird_scan_input *input,
                                    const struct bird_scan_plan *plan);
/** Scan everything. Errors: those of reading, scoring and put() */
BIRD_MUST_CHECK int bird_scan_run(struct bird_scan *s);
void bird_scan_count(const struct bird_scan *s, struct bird_scan_counts *out);
void bird_scan_close(struct bird_scan *s);

/** Where the sequences come from; borrowed. */
const struct bird_source *bird_scan_source(const struct bird_scan *s);

/** Does the shard write a record that begins there? Always 1 without shards. */
int bird_scan_owns(const struct bird_scan *s, int64_t contig, int64_t start);

/** 1 if this shard writes no header: it is not the first. */
int bird_scan_headless(const char *shard);

/** Check the path of the FASTA file, the threshold and the share of N. Errors:
 *  BIRD_EINVAL */
BIRD_MUST_CHECK int bird_scan_check(const char *fasta, double threshold,
                                    double max_unknown);

#endif
