/**
 * What `promoter` and `chromatin` share: sequence to tiles to a session to
 * rows, in order.
 *
 * A shard is a part of the bases: it has what begins there, be it a window, a
 * call or a run of equal values, whole. So it scores a little before its first
 * base, to know what began there already, and goes on behind its last one
 * until what began within it has ended.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SCAN_SCAN_H
#define BIRD_SCAN_SCAN_H

#include "base/text.h"
#include "dnabird/tiles.h"
#include "scan/source.h"
#include "seq/intervals.h"
#include "seq/tiles.h"
#include "session/probability.h"
#include "session/session.h"

/** A window or bin, scored or skipped. Pointers live for the call. */
struct bird_scan_row {
    int64_t contig, start, end;
    const char *name;    /* of the contig */
    const char *regions; /* names of the regions it is for, or NULL */
    char strand;         /* '+', '-', or '.' for the mean of both */
    const char *status;  /* why it is not scored; NULL: scored */
    const float *value;  /* (labels of the session), raw; NULL: not scored */
};

/** Takes rows in the order of the sequence, '+' before '-'. */
typedef int bird_scan_put(void *context, const struct bird_scan_row *row);

/** Does something that began before a place of the row's contig go on, or may
 *  it, behind this row? */
typedef int bird_scan_open(void *context, const struct bird_scan_row *row,
                           int64_t before);

/** How a scan goes; texts are borrowed. */
struct bird_scan_options {
    const char *fasta, *region, *regions;
    const char *shard;    /* "2/3"; or NULL: all. It is for bird_scan_owns() */
    bird_scan_open *open; /* of shards; NULL: rows are all there is */
    double max_unknown;   /* share of other characters than A, C, G, T */
    int score_short;
    int bins;   /* 1: bins in their context; 0: windows */
    int centre; /* bins: one around the middle of each sequence or region */
    int index;  /* the output will be indexed: centred regions are sorted */
    int genome; /* the lengths of all contigs are asked for before the scan */
    enum bird_strand strand;
    bird_scan_put *put;
    void *context;
    bird_progress_call *progress;
    void *progress_context;
};

struct bird_scan_item; /* a tile whose answer has not come */

/** A scan. Start with {0}; model, o and widths are set by the command. */
struct bird_scan {
    bird_model *model;
    struct bird_scan_options o;
    int64_t width_bp, step_bp; /* window and stride; context and bin */
    /* Of a model that answers in bins: their width. Tiles are step_bp wide, a
       whole number of bins, in the middle of a context of width_bp, and every
       bin becomes a row. 0: every tile does. */
    int64_t bin_bp;
    /* And the bp from one to the next: bin_bp, or a part of it, and then they
       overlap, and every base is computed bin_bp / stride_bp times. */
    int64_t stride_bp;
    bird_session *session;
    struct bird_source source;
    struct bird_intervals named; /* regions before they were joined */
    bird_regions near; /* (source.regions.n) with the bases before them where
                          a bin that overlaps them may begin */
    bird_windows *windows;
    struct bird_bins *bins;
    struct bird_scan_item *item; /* (n) */
    int64_t n, cap, pending;     /* answers that have not come */
    struct bird_text names;      /* of contigs and regions of the items */
    struct bird_text regions;    /* of the bin at hand */
    uint8_t *bad;                /* (n_bad) bins of the items: too many N */
    float *kept; /* (passes, bins, labels) of the tile at hand, where its bins
                    overlap */
    int64_t n_bad, cap_bad, n_kept, cap_kept; /* n_kept: passes */
    int64_t name, name_contig;                /* the last contig's, in names */
    int64_t n_tile, n_scored, n_unknown, n_short, n_beyond;
    char build[256];   /* a warning: another build of the genome; or "" */
    char notice[1024]; /* sentences for the user, or "" */
    struct bird_scan_place {
        int64_t contig, start;
    } first, end;   /* what begins from here to there is the shard's */
    int enough;     /* all of it is there */
    int64_t wanted; /* cursor of the regions that bins overlap */
};

/** Is what begins there the shard's? Without shards all is. */
int bird_scan_owns(const struct bird_scan *s, int64_t contig, int64_t start);

/** Is it a shard behind which others, or before it, have the header? */
int bird_scan_headless(const struct bird_scan *s);

/**
 * The widths of a scan with a model that answers in bins (model is open), from
 * what is asked for, 0: the model's own. Margins of a window are context alone.
 * Errors: BIRD_EINVAL bins do not fit; those of the model's facts
 * @param option that asks for the window, as in sentences
 */
BIRD_MUST_CHECK int bird_scan_choose_bins(struct bird_scan *s,
                                          const char *option, int64_t window_bp,
                                          int64_t stride_bp);

/** Open what is scanned, and the session. Errors: those of both */
BIRD_MUST_CHECK int bird_scan_prepare(struct bird_scan *s);
/** All of it. Errors: those of reading, scoring and put() */
BIRD_MUST_CHECK int bird_scan_run(struct bird_scan *s);
void bird_scan_close(struct bird_scan *s);

/** Sequences (or regions) met, those of them without a base, and bases. */
void bird_scan_count(const struct bird_scan *s, int64_t *n_contig,
                     int64_t *n_empty, int64_t *n_bp);

/** Is there a file, and are threshold and share of N of use? Errors:
 *  BIRD_EINVAL */
BIRD_MUST_CHECK int bird_scan_check(const char *fasta, double threshold,
                                    double max_unknown);

#endif
