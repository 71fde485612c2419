/**
 * How well scores of alleles follow what was measured of them: rank
 * correlation, AUROC and average precision, element by element and together,
 * beside baselines that look at no model.
 *
 * Words. An *allele* is a contig, position, REF and one ALT. An *element* is a
 * promoter, an enhancer, a contig: alleles of one experiment, whose effects are
 * measured on one scale. A *group* is several experiments on the same element.
 * Alleles are of a *class*: single-base changes, changes of several bases to as
 * many, insertions and deletions; classes are never mixed.
 *
 * Belongs to libdnabird_train. docs/math/variant-evaluation.md derives the
 * intervals.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_EVALUATE_VARIANTS_H
#define DNABIRD_EVALUATE_VARIANTS_H

#include <stdint.h>
#include <stdio.h>

#include "dnabird/error.h"
#include "dnabird/progress.h"

enum bird_allele_class {
    BIRD_CLASS_SNV,
    BIRD_CLASS_MNV,   /* several bases by as many */
    BIRD_CLASS_INDEL, /* lengths differ */
    BIRD_N_ALLELE_CLASS
};
/** "snv", "mnv", "indel"; static. */
BIRD_API const char *bird_allele_class_name(enum bird_allele_class c);

enum bird_allele_metric {
    BIRD_SPEARMAN,     /* of score and effect, equal values by their mean rank;
                          NaN where either is the same throughout */
    BIRD_SPEARMAN_ABS, /* of |score| and |effect| */
    BIRD_ALLELE_AUROC, /* positives against the others by |score|, or by score
                          (`signed_scores`); NaN without both */
    BIRD_ALLELE_AUPRC, /* average precision, likewise */
    BIRD_N_ALLELE_METRIC
};
/** "spearman", "spearman_abs", "auroc", "auprc"; static. */
BIRD_API const char *bird_allele_metric_name(enum bird_allele_metric m);

/** Texts are borrowed while bird_evaluate_variants() runs. Columns are those of
 *  a table's header line, or INFO fields, with or without "INFO/" in front. */
typedef struct bird_variants_options {
    const char *scored; /* VCF, BCF, or a table between tabs with CHROM, POS,
                           REF, ALT; plain, gzip, bgzip or zstd (tables) */
    const char *const *score; /* (n_score) columns of it; * ? [ ] are globs,
                                 which choose columns of numbers alone */
    int64_t n_score;
    const char *measured; /* column of the measured effect, or NULL */
    /** File that has this column and all below; NULL: `scored`. Alleles are
     *  the same by contig, position, REF and ALT as they are written. */
    const char *measured_in;
    const char *labels;   /* column of 1 (positive) and 0; or NULL */
    const char *p_column; /* column of p-values; or NULL */
    const char *barcodes; /* column of counts; or NULL */
    const char *element;  /* column of element names; NULL: contigs */
    double min_barcodes;  /* alleles with fewer are left out; 0 */
    /** Without `labels` positive is |effect| > min_effect with p < max_p;
     *  negative: no AUROC. */
    double min_effect; /* -1 */
    double max_p;      /* 1e-5; looked at with p_column */
    int signed_scores; /* 1: AUROC and AUPRC by score, not by its size; 0 */
    const char *elements_bed; /* BED: its intervals are the elements (first of
                                 those that hold a position); others are left
                                 out; or NULL */
    const char *groups;       /* table: element, group; or NULL */
    int64_t min_alleles;      /* elements with fewer have no metrics; 10 */
    const char *fasta;        /* baselines are computed on it; or NULL */
    const char *model;    /* folder with a k-mer baseline, for one; or NULL */
    const char *features; /* labels of that baseline by themselves; or NULL */
    int64_t n_boot;       /* resamples; 0: no intervals; 1000 */
    double level;         /* of the percentile intervals; 0.95 */
    uint64_t seed;        /* 1 */
    const char *output;   /* TSV; "-" is standard output; NULL: nowhere */
    const char *json;     /* the same as JSON */
    const char *html;     /* a page with pictures */
    const char *command;  /* kept in the outputs, or NULL */
    bird_progress_call *progress; /* of elements measured; or NULL */
    void *progress_context;
} bird_variants_options;

/** The defaults named above; all other members are 0. */
BIRD_API void bird_variants_options_default(bird_variants_options *o);

enum bird_allele_level {
    BIRD_LEVEL_ELEMENT, /* one of the elements */
    BIRD_LEVEL_GROUP,   /* mean over the elements of a group of several */
    BIRD_LEVEL_MEAN,    /* mean over groups, an element alone being one */
    BIRD_LEVEL_POOLED   /* all alleles as if they were of one element */
};
/** "element", "group", "mean", "pooled"; static. */
BIRD_API const char *bird_allele_level_name(enum bird_allele_level l);

typedef struct bird_variants_figure {
    enum bird_allele_level level;
    const char *element; /* its name or the group's, else "all"; belongs to the
                            evaluation, as the score's */
    enum bird_allele_class of;
    /** A column; "baseline:NAME"; or, at BIRD_LEVEL_MEAN, "SCORE-baseline:NAME":
     *  the score less the baseline that is best by this metric, over the same
     *  resamples: an interval that holds 0 claims nothing. */
    const char *score;
    enum bird_allele_metric metric;
    double value, lo, hi; /* NaN: not defined; no interval */
    int64_t n;            /* alleles; of a mean: groups it is over */
    int64_t n_positive;   /* of AUROC and AUPRC of one element; else -1 */
} bird_variants_figure;

/** Start with {0}; all belongs to it: bird_variants_evaluation_free(). */
typedef struct bird_variants_evaluation {
    bird_variants_figure *figures; /* (n_figures) by level, element, class */
    int64_t n_figures;
    char **name; /* (n_name) what figures point at */
    int64_t n_name;
    int64_t n_allele;     /* measured, with barcodes enough, in an element */
    int64_t n_read;       /* in the file of the measured column */
    int64_t n_unmeasured; /* without a value there, or in no element */
    int64_t n_few;        /* with too few barcodes */
    int64_t n_not_base;   /* ALT is not A, C, G, T */
    int64_t n_unmatched;  /* not in the scored file */
    int64_t n_repeated;   /* in the scored file once more: the first counts */
    int64_t n_element;
    char *notice; /* sentences for the user, each ended by '\n'; or NULL */
} bird_variants_evaluation;

/**
 * Evaluate scores of alleles.
 *
 * An allele without a number in a score's column ("." "NA" "nan" or nothing)
 * does not count for that score. Intervals are percentiles over resamples
 * drawn as a function of (seed, element, class, resample): of an element its
 * alleles, of a mean the groups and in each its alleles.
 *
 * Owner    *out is the caller's; untouched on failure, no file left behind
 * Memory   32 bytes and 8 a score an allele; of a second file about 100 bytes
 *          and 8 a score an allele of it; 8 n_boot a score, class and metric
 * Threads  results do not depend on their number
 * Errors   BIRD_EINVAL options, a column that is not there (names those that
 *          are), no allele left; BIRD_EFORMAT a file, with record or line;
 *          BIRD_ERANGE an allele that the reference does not have; BIRD_EIO;
 *          BIRD_ENOMEM; BIRD_ECANCELED
 */
BIRD_API BIRD_MUST_CHECK int
bird_evaluate_variants(bird_variants_evaluation *out,
                       const bird_variants_options *o);
/** Free what it holds, and zero it. NULL is fine. */
BIRD_API void bird_variants_evaluation_free(bird_variants_evaluation *e);

/** Print as TSV with a header line: level, element, class, score, metric,
 *  value, low, high, n, positives. Errors: BIRD_EIO. */
BIRD_API BIRD_MUST_CHECK int
bird_variants_evaluation_print(FILE *f, const bird_variants_evaluation *e);

#endif
