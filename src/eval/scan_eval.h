/**
 * Inside bird_scan_evaluate(): windows, true TSSs, blocks.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_EVAL_SCAN_EVAL_H
#define BIRD_EVAL_SCAN_EVAL_H

#include "dnabird/evaluate.h"
#include "seq/intervals.h"

/** A window. list is 0 for + and unstranded windows, 1 for -. */
struct bird_scan_item {
    int64_t start, end, anchor;
    double p;           /* raw output, for rankings and thresholds */
    double probability; /* calibrated; rises with p */
    int32_t contig;
    int8_t list;
};

/** Sorted by list, contig, start, end. */
struct bird_scan_items {
    struct bird_scan_item *at;
    int64_t n, cap;
};

struct bird_scan_eval {
    const bird_evaluate_scan_options *o;
    struct bird_contigs contigs;
    int has_regions;
    struct bird_intervals regions; /* merged */
    struct bird_intervals truth;   /* true TSSs of the regions */
    struct bird_intervals all;     /* every TSS */
    struct bird_intervals covered; /* scanned bases of the regions, merged */
    uint8_t *tss_scanned;          /* (truth.n) */
    struct bird_scan_items items[BIRD_SCAN_N_MODE];
    int64_t n_unscored, n_short, scanned_bp;
    int64_t widest;    /* bp of the widest window of the file */
    int64_t *block_of; /* (contigs.n+1) first block of a contig */
};

/** Read all inputs. Errors as bird_scan_evaluate(). */
BIRD_MUST_CHECK int bird_scan_open(struct bird_scan_eval *s,
                                   const bird_scan_files *files,
                                   const bird_evaluate_scan_options *o);
void bird_scan_free(struct bird_scan_eval *s);

/** 1: a TSS lies near the window's anchor, on either strand */
int bird_scan_is_true(const struct bird_scan_eval *s,
                      const struct bird_scan_item *x);

#endif
