/**
 * A scan being evaluated: its windows as items, the truth, blocks, calls.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_SCAN_EVAL_H
#define BIRD_TRAIN_SCAN_EVAL_H

#include "dnabird/scan_eval.h"
#include "seq/intervals.h"

/** A window. list is 0 for + and unstranded windows, 1 for -. */
struct bird_scan_item {
    int64_t start, end, anchor;
    double p;    /* raw output: what is ranked and has thresholds */
    double said; /* the probability that a user reads; rises with p */
    int32_t contig;
    int8_t list;
};

/** Sorted by list, contig, start, end. */
struct bird_scan_items {
    struct bird_scan_item *at;
    int64_t n, cap;
};

struct bird_scan {
    const bird_scan_options *o;
    struct bird_contigs contigs;
    int has_regions;
    struct bird_intervals regions; /* merged */
    struct bird_intervals truth;   /* true TSSs of the regions */
    struct bird_intervals all;     /* every TSS */
    struct bird_intervals covered; /* scanned bases of the regions, merged */
    uint8_t *tss_scanned;          /* (truth.n) */
    struct bird_scan_items items[BIRD_SCAN_N_MODE];
    int64_t n_unscored, n_short, scanned_bp;
    int64_t widest;    /* bp of a window of the file */
    int64_t *block_of; /* (contigs.n+1) first block of a contig */
};

/** Read all inputs. Errors as bird_scan_evaluate(). */
BIRD_MUST_CHECK int bird_scan_open(struct bird_scan *s,
                                   const bird_scan_files *files,
                                   const bird_scan_options *o);
void bird_scan_free(struct bird_scan *s);

/** Add a window (strand '.': on both) if its anchor lies in the regions. */
BIRD_MUST_CHECK int bird_scan_add(struct bird_scan *s,
                                  const struct bird_interval *w, double p,
                                  double said);
/** Fit the model's map on the windows (calibrate), and say what it says. */
BIRD_MUST_CHECK int bird_scan_calibrate(struct bird_scan *s,
                                        const bird_scan_files *files);
/** Does a start site lie near the window's anchor, on either strand? */
int bird_scan_is_true(const struct bird_scan *s,
                      const struct bird_scan_item *x);
/** Windows of the intervals' or the floor's predictor. */
BIRD_MUST_CHECK int bird_scan_add_predictor(struct bird_scan *s,
                                            const bird_scan_files *files);

/** Do two items of one list, a before b, belong to one call? */
int bird_scan_joined(const struct bird_scan *s, const struct bird_scan_item *a,
                     const struct bird_scan_item *b);

/** A run of windows with anchors first .. last, the best ones lo .. hi. */
struct bird_scan_call {
    int64_t first, last, lo, hi;
    double p, said;
    int32_t contig;
    int8_t list;
};
struct bird_scan_call bird_scan_call_of(const struct bird_scan_item *x);
void bird_scan_call_join(struct bird_scan_call *a,
                         const struct bird_scan_call *b);
int64_t bird_scan_summit(const struct bird_scan_call *c);

/** What lies at a call's summit, or along it. */
struct bird_scan_judgement {
    int is_false, is_antisense;
    int64_t from, to; /* truth.at[from .. to-1] lie within reach; ask
                         bird_scan_counts() for each */
};
void bird_scan_judge(struct bird_scan_judgement *out, const struct bird_scan *s,
                     int mode, const struct bird_scan_call *c);
/** Does the strand of true TSS t fit a call of that list in that mode? */
int bird_scan_counts(const struct bird_scan *s, int mode, int64_t t, int list);

/** The thresholds for the targets of s->o. */
BIRD_MUST_CHECK int bird_scan_choose(double *threshold, struct bird_scan *s,
                                     int mode);

#endif
