/**
 * Probabilities of a window without and with a change in it, each computed
 * once, in packs: the mean over the strands asked for, the shifts of the noise
 * bar, and both ways where tokens of ALT depend on those of REF.
 *
 * The window of a change is W bp around its first base, moved inward at the
 * ends of the contig, the whole of a contig that is shorter; around the middle
 * of what is replaced where that is over W/2. The changed window covers the
 * same interval of the reference. With several shifts every change has that
 * many windows, and strands are kept apart: each window on each strand is a
 * draw, and a change's values are the means of the draws. One shift has what
 * variant/effect_frame.h says.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_EFFECT_H
#define BIRD_VARIANT_EFFECT_H

#include "session/model.h"
#include "variant/allele.h"

struct bird_effect;

struct bird_effect_options {
    int64_t window_bp;          /* W */
    int64_t shift[BIRD_SHIFTS]; /* (n_shift) */
    int64_t n_shift;            /* 1: no noise bar */
    int64_t shift_bp;   /* of one frame: the window is moved by so much to the
                           right */
    double max_unknown; /* share of N above which a window is not scored */
    int plus, minus;    /* strands */
    int each;           /* both strands are kept apart */
    enum bird_variant_tokens tokens; /* BOTH, ANCHORED or FREE */
    int64_t span_bp; /* of models that answer in bins: how far to either
                           side of what is replaced they are read */
    int unshared;    /* of masked-language models: 1: every allele has passes
                           of its own, which changes no number */
};

/**
 * Model and genome must outlive it. Owner: *out is the caller's.
 * Errors: BIRD_EINVAL the model does not score sequences, or a quantity;
 * BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_effect_new(struct bird_effect **out,
                                    const bird_model *m, bird_genome *g,
                                    const struct bird_effect_options *o);
void bird_effect_free(struct bird_effect *e);

/** From now on every change is looked at in the window start .. end of its
 *  contig; one that is not inside is TOO_LONG. */
void bird_effect_fix(struct bird_effect *e, int64_t start, int64_t end);

/** The same, with the window that lies around a region of a contig. */
void bird_effect_fix_around(struct bird_effect *e, int64_t contig,
                            int64_t start, int64_t end);

/** The window around a region, and what is read of it: the one that changes of
 *  the region are looked at in after bird_effect_fix_around(). */
struct bird_region_window {
    int64_t start, end;       /* beyond the contig with bins: N there */
    const char *bases;        /* (end - start); until the next window */
    int64_t first_bin, n_bin; /* that are read; 0, 1 without bins */
};

/**
 * Of a region of at most bird_effect_room() bases. *status is BIRD_VARIANT_OK,
 * MANY_N, or TOO_LONG (it lies in a margin); *out is filled when it is OK.
 * Errors: those of reading the genome
 */
BIRD_MUST_CHECK int bird_effect_region(struct bird_effect *e,
                                       struct bird_region_window *out,
                                       enum bird_variant_status *status,
                                       int64_t contig, int64_t start,
                                       int64_t end);

/** Bases of a region that one window holds for certain. */
int64_t bird_effect_room(const struct bird_effect *e);

/** Bases to either side of a change that its windows may read: 2 W where a
 *  change of length has windows that keep one flank (models that answer in
 *  bins, tokens both ways), else W, and the largest shift. */
int64_t bird_effect_reach(const struct bird_effect *e);

/** Probabilities of a window: labels of the session's answers. Of a
 *  masked-language model 1. */
int64_t bird_effect_features(const struct bird_effect *e);

/** Whether a masked-language model is to compute distances, too; it does until
 *  it is told. No other model does. */
void bird_effect_distance(struct bird_effect *e, int wanted);

/** The bases that changes are made normal against; borrowed. */
struct bird_contig_cache *bird_effect_bases(struct bird_effect *e);

/** Where a change's probabilities will be, and how it was tokenized. */
struct bird_request {
    int64_t ref, alt;  /* places, until bird_effect_evict(): 2 i, 2 i + 1 */
    int64_t n_changed; /* tokens, of the strand with more; of models that
                          answer in bins bases */
    int free;          /* 1: ALT tokenized by itself on some strand */
    int turned;        /* 1: both ways */
    int moved;         /* 1: the contig's end moved the window */
    int cut;           /* 1: the contig is shorter than the window */
    int change_class;  /* bird_change_class() */
};

/**
 * Ask for a change in its normal form. *status is BIRD_VARIANT_OK, TOO_LONG
 * (what is replaced or put in is longer than the window, or too many tokens),
 * MANY_N or NO_TOKEN; *out is filled when it is OK.
 * Errors: those of reading the genome and of scoring
 */
BIRD_MUST_CHECK int bird_effect_submit(struct bird_effect *e,
                                       struct bird_request *out,
                                       enum bird_variant_status *status,
                                       const struct bird_change *c);

/** Compute what was asked for. */
BIRD_MUST_CHECK int bird_effect_flush(struct bird_effect *e);

/** (features) of a place, the means of all draws, after bird_effect_flush();
 *  until the next request. Of a masked-language model (BIRD_MASKED_VALUES),
 *  variant/effect_masked.h. */
const float *bird_effect_values(const struct bird_effect *e, int64_t place);

/** Windows times strands of a noise bar; 0: there is none. */
int64_t bird_effect_draws(const struct bird_effect *e);

/** The same of each draw, (draws, features). */
const float *bird_effect_draw(const struct bird_effect *e, int64_t place);

/** Numbers of a change that have a background: the differences of all
 *  features, or of a masked-language model its log-likelihood ratio and its
 *  distance. */
int64_t bird_effect_scales(const struct bird_effect *e);

/** These numbers (scales) of an answered request. */
void bird_effect_scaled(float *out, const struct bird_effect *e,
                        const struct bird_request *r);

/** Places are no longer asked for. */
void bird_effect_evict(struct bird_effect *e);

/** What its session did. */
void bird_effect_count(const struct bird_effect *e, bird_session_counts *out);

#endif
