/**
 * Alleles to evaluate: measured effects, scores, elements, and baselines.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_EVAL_ALLELE_SET_H
#define BIRD_EVAL_ALLELE_SET_H

#include <stdint.h>

#include "base/text.h"
#include "dnabird/evaluate_variants.h"
#include "seq/contigs.h"

struct bird_allele {
    int64_t start, end; /* REF, 0-based half-open */
    double effect;      /* NaN: not known */
    int32_t element;
    int of;    /* enum bird_allele_class */
    int label; /* 1 positive, 0 negative, -1 not known */
};

struct bird_element {
    char *name;
    int32_t contig;     /* of the set; -1: alleles on several */
    int64_t start, end; /* of its interval, of its contig, else of its
                           alleles */
    int64_t group;      /* -1: none was named */
};

/** Start with {0}. */
struct bird_allele_set {
    struct bird_allele *at; /* (n) in the order of the file */
    int64_t n, cap;
    double *score; /* (n, n_score) */
    int64_t cap_score;
    char **score_name; /* (n_score) columns, then baselines */
    uint8_t *left_out; /* (n_score) 1: a column that a glob matches but that
                          has text */
    int64_t n_column;  /* number of scores that are columns */
    int64_t n_score, cap_name;
    struct bird_element *element; /* (n_element) in the order of the file */
    int64_t n_element, cap_element;
    char **group; /* (n_group) names */
    int64_t n_group, cap_group;
    struct bird_contigs contigs;
    int64_t n_read, n_unmeasured, n_few, n_not_base, n_unmatched, n_repeated;
    int64_t n_again; /* alleles of an element that were measured before */
    struct bird_text notice; /* sentences for the user, each ended by '\n' */
};

/** Read the alleles of the options. Errors: those of
 *  bird_evaluate_variants() */
BIRD_MUST_CHECK int bird_allele_set_read(struct bird_allele_set *out,
                                         const bird_variants_options *o);
void bird_allele_set_free(struct bird_allele_set *s);

/** Append the name of a score. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_allele_set_name_score(struct bird_allele_set *s,
                                               const char *name);

/** Add a sentence to the notice. */
BIRD_MUST_CHECK int bird_allele_set_note(struct bird_allele_set *s,
                                         const char *fmt, ...)
    BIRD_PRINTF(2, 3);

/** The part in which ref and alt differ: its start and its lengths, after
 *  trimming equal bases at the end, then at the start. */
struct bird_difference {
    int64_t at, n_ref, n_alt;
};
struct bird_difference bird_allele_difference(const char *ref, const char *alt);

/* --- baselines: allele_baselines.c ---------------------------------------- */

struct bird_allele_row;
struct bird_allele_baselines;

/**
 * Open the baselines that the options ask for; their names are appended to the
 * set's scores. *out stays NULL without a reference.
 * Errors: of opening reference and model; BIRD_EINVAL labels that the model
 * does not have
 */
BIRD_MUST_CHECK int
bird_allele_baselines_new(struct bird_allele_baselines **out,
                          struct bird_allele_set *s,
                          const bird_variants_options *o);
void bird_allele_baselines_free(struct bird_allele_baselines *b);

/**
 * Baselines of an allele, into its scores from out on. The distance from the
 * middle of the element is set later, by bird_allele_baselines_middle().
 * Errors: BIRD_ERANGE REF differs from the reference; of reading it
 * @param where names the allele in messages
 */
BIRD_MUST_CHECK int bird_allele_baselines_score(struct bird_allele_baselines *b,
                                                double *out,
                                                const struct bird_allele_row *r,
                                                const char *where);

/** Length of a contig of the reference; -1: there is no such contig. */
int64_t bird_allele_baselines_contig(const struct bird_allele_baselines *b,
                                     const char *name);

/** After all alleles are read: set how close each allele is to the middle of
 *  its element. */
void bird_allele_baselines_middle(struct bird_allele_set *s);

#endif
