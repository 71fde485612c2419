/**
 * The effect of a change: what a model returns for a window with REF and for
 * one with ALT, each computed once, in packs.
 *
 * The values of a change are the mean over windows, directions and strands:
 *
 *     windows     one for each shift; with several shifts (a noise bar) both
 *                 strands are kept apart, and each window on each strand is a
 *                 replicate of the measurement
 *     directions  with BIRD_TOKENS_BOTH: ALT put into the window of the
 *                 reference, and REF put into the window of the haplotype with
 *                 ALT, unless both are the same
 *
 * What a window is, and how a model scores it: variant/effect_window.h and
 * variant/effect_kind.h.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_EFFECT_H
#define BIRD_VARIANT_EFFECT_H

#include "session/layout.h"
#include "session/model.h"
#include "variant/allele.h"
#include "variant/effect_kind.h"

struct bird_effect;

/** 1: the model is a masked-language model: its values are log-likelihoods and
 *  a distance (enum bird_likelihood_value), not probabilities of labels. */
int bird_effect_is_likelihood(const bird_model *m);

/** Bases of the model's window; 0: its folder does not say. */
int64_t bird_effect_window_bp(const bird_model *m);

struct bird_effect_options {
    struct bird_layout layout;  /* with the window of the user or the model */
    int64_t shift[BIRD_SHIFTS]; /* (n_shift) bases by which windows lie further
                                   right */
    int64_t n_shift;            /* 1: no noise bar */
    int64_t n_shift_same; /* of these for substitutions, which move no flank;
                             0: all */
    int64_t n_spaced;     /* > 0: insertions and deletions have this many
                             windows (at most n_shift) instead of `shift`,
                             spaced by their length;
                             bird_effect_spaced_shift() */
    int64_t period_bp;  /* with n_spaced: bases after which a start is the same
                             again, those of a bin or of a row */
    double max_unknown; /* share of N above which a window is not scored */
    int plus, minus;    /* 1: this strand is scored */
    enum bird_variant_tokens tokens; /* BOTH, ANCHORED or FREE */
    int64_t span_bp; /* on a grid: bins this far from the replaced bases are
                        read */
    int unshared;    /* 1: for measurements: every allele of a masked-language
                        model and every window is computed by itself; no value
                        changes */
};

/** Windows of an insertion or deletion, or of a substitution. */
int64_t bird_effect_windows(const struct bird_effect_options *o, int is_length);

/** Bases by which window k is moved to the right (0 <= k < n_spaced): shift[0] +
 *  k length, modulo the period; where these repeat, the next round begins one base
 *  later. length: bases by which a flank moves. */
int64_t bird_effect_spaced_shift(const struct bird_effect_options *o, int64_t k,
                                 int64_t length);

/** 1: ALT keeps the tokens of REF outside of the change. */
int bird_effect_is_anchored(const bird_model *m,
                            const struct bird_effect_options *o);

/**
 * Model and genome must outlive it. Owner: *out is the caller's.
 * Errors: BIRD_EINVAL the model does not score changes; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_effect_new(struct bird_effect **out,
                                    const bird_model *m, bird_genome *g,
                                    const struct bird_effect_options *o);

/** Effects of no model, for runs that score motifs alone: it has the cache of
 *  bases, no features, and nothing may be submitted. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_effect_new_empty(struct bird_effect **out,
                                          bird_genome *g);
void bird_effect_free(struct bird_effect *e);

/** From now on all changes are scored in the window around this region; the
 *  status of a change outside of that window is TOO_LONG. */
void bird_effect_set_region(struct bird_effect *e, int64_t start, int64_t end);

/** The window around a region, and the bins that are read of it. */
struct bird_region_window {
    int64_t start, end; /* on a grid they may lie beyond the contig's ends */
    const char *bases;  /* (end - start) N beyond the contig; borrowed until the
                           next call */
    struct bird_bin_range bins; /* the first begins at start */
};

/**
 * bird_effect_set_region(), and the window of the first shift. The region has
 * at most bird_effect_max_region() bases. *status is BIRD_VARIANT_OK, MANY_N,
 * or TOO_LONG (the region lies in a margin); *out is filled when it is OK.
 * Errors: those of reading the genome
 */
BIRD_MUST_CHECK int bird_effect_region(struct bird_effect *e,
                                       struct bird_region_window *out,
                                       enum bird_variant_status *status,
                                       int64_t contig, int64_t start,
                                       int64_t end);

/** Length of the longest region that always fits into one window. */
int64_t bird_effect_max_region(const struct bird_effect *e);

/** Bases on either side of a change that its windows may read. */
int64_t bird_effect_reach(const struct bird_effect *e);

/** Features that are scored: the model's labels; 1 for a masked-language
 *  model. */
int64_t bird_effect_features(const struct bird_effect *e);

/** Whether a masked-language model computes distances; it does unless it is
 *  told not to. Ignored by other models. */
void bird_effect_set_distance(struct bird_effect *e, int wanted);

/** The cache of the reference's bases; borrowed. */
struct bird_contig_cache *bird_effect_cache(struct bird_effect *e);

/** A change that was submitted. */
struct bird_request {
    int64_t ref, alt;    /* numbers of its values, until bird_effect_evict() */
    int64_t n_replicate; /* shifts times strands; 0: no noise bar */
    int64_t n_changed;   /* tokens of the strand with more; on a grid bases */
    int tokenized_alone; /* 1: ALT was tokenized by itself on some strand */
    int both_directions; /* 1: scored in both directions */
    int moved;           /* 1: an end of the contig moved the window */
    int cut;             /* 1: the contig is shorter than the window */
    int change_class;    /* bird_change_class() */
};

/**
 * Submit a change in its normal form. *status is BIRD_VARIANT_OK, TOO_LONG
 * (REF or ALT does not fit into the window, or has too many tokens), MANY_N or
 * NO_TOKEN; *out is filled when it is OK.
 * Errors: those of reading the genome and of scoring
 */
BIRD_MUST_CHECK int bird_effect_submit(struct bird_effect *e,
                                       struct bird_request *out,
                                       enum bird_variant_status *status,
                                       const struct bird_change *c);

/** Compute all that was submitted. Errors: those of scoring */
BIRD_MUST_CHECK int bird_effect_flush(struct bird_effect *e);

/** Values of one number: (features), or (BIRD_LIKELIHOOD_VALUES) of a
 *  masked-language model; means over all replicates. Call after
 *  bird_effect_flush(); borrowed until the next bird_effect_submit(). */
const float *bird_effect_values(const struct bird_effect *e, int64_t number);

/** Most replicates of a noise bar, shifts times strands; 0: no noise bar. */
int64_t bird_effect_replicates(const struct bird_effect *e);

/** (n_replicate of the request, values) of the same number, when there is a
 *  noise bar. */
const float *bird_effect_replicate_values(const struct bird_effect *e,
                                          int64_t number);

/** Numbers of a change that are compared with a background: the differences of
 *  all features; for a masked-language model the log-likelihood ratio and the
 *  distance. */
int64_t bird_effect_n_statistic(const struct bird_effect *e);

/** Write these statistics (n_statistic) of a computed request to out. */
void bird_effect_statistics(float *out, const struct bird_effect *e,
                            const struct bird_request *r);

/** Drop all requests: their values are no longer needed. */
void bird_effect_evict(struct bird_effect *e);

/** What the sessions did. */
void bird_effect_count(const struct bird_effect *e, bird_session_counts *out);

#endif
