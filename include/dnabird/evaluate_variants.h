/**
 * How well scores of alleles agree with measured effects: rank correlation,
 * AUROC and average precision, for each element and over all, with baselines
 * that need no model.
 *
 * Terms. An *allele* is a contig, position, REF and one ALT. An *element* is a
 * promoter, an enhancer or a contig: alleles of one experiment, whose effects
 * are on one scale. A *group* is several experiments on the same element. The
 * *class* of an allele is SNV, MNV (several bases by as many) or indel; classes
 * are never mixed.
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

BIRD_BEGIN_C

enum bird_allele_class {
    BIRD_CLASS_SNV,
    BIRD_CLASS_MNV,   /* several bases by as many */
    BIRD_CLASS_INDEL, /* lengths differ */
    BIRD_N_ALLELE_CLASS
};
/** "snv", "mnv", "indel"; static. */
BIRD_API const char *bird_allele_class_name(enum bird_allele_class c);

enum bird_allele_metric {
    BIRD_SPEARMAN,     /* of score and effect; equal values get their mean rank;
                      NaN when all scores or all effects are equal */
    BIRD_SPEARMAN_ABS, /* of |score| and |effect| */
    BIRD_ALLELE_AUROC, /* positives against negatives by |score|, or by score
                          (`signed_scores`); NaN when either is missing */
    BIRD_ALLELE_AUPRC, /* average precision, of the same */
    BIRD_N_ALLELE_METRIC
};
/** "spearman", "spearman_abs", "auroc", "auprc"; static. */
BIRD_API const char *bird_allele_metric_name(enum bird_allele_metric m);

/** Texts are borrowed while bird_evaluate_variants() runs. A column is named
 *  as in the table's header line, or is an INFO field, with or without the
 *  prefix "INFO/". */
typedef struct bird_variants_options {
    const char *scored;       /* VCF, BCF, or a tab-separated table with CHROM,
                           POS, REF, ALT; plain, gzip, bgzip or zstd (tables) */
    const char *const *score; /* (n_score) columns of scores; with * ? [ ]
                                 they are globs, which match columns of
                                 numbers alone */
    int64_t n_score;
    const char *measured; /* column of the measured effect, or NULL */
    /** File with this column and those below; NULL: `scored`. Two alleles
     *  are equal when contig, position, REF and ALT are written alike. */
    const char *measured_in;
    const char *labels;   /* column of 1 (positive) and 0; or NULL */
    const char *p_column; /* column of p-values; or NULL */
    const char *barcodes; /* column of counts; or NULL */
    const char *element;  /* column of element names; NULL: contigs */
    double min_barcodes;  /* alleles with fewer barcodes are left out; 0 */
    /** Without `labels` an allele is positive when |effect| > min_effect and
     *  p < max_p; min_effect < 0: no AUROC. */
    double min_effect; /* -1 */
    double max_p;      /* 1e-5; used with p_column */
    int signed_scores; /* 1: AUROC and AUPRC by score, not by |score|; 0 */
    const char *elements_bed; /* BED file of elements: an allele belongs to
                                 the first interval that holds its position;
                                 alleles outside are left out; or NULL */
    const char *groups;       /* table of element and group; or NULL */
    int64_t min_alleles; /* elements with fewer alleles have no metrics; 10 */
    const char *fasta;   /* reference, for the baselines; NULL: no baselines */
    /** Motifs of the baseline "motif", which is the score `motif` of
     *  bird_variant_run(): a file, "jaspar" for those that come with dnabird,
     *  "none" or NULL for no such baseline; "jaspar". Needs `fasta`. */
    const char *motifs;
    const char *model;    /* folder with a k-mer baseline; or NULL */
    const char *features; /* labels of that baseline that become scores of
                             their own; or NULL */
    int64_t n_boot;       /* resamples; 0: no intervals; 1000 */
    double level;         /* of the percentile intervals; 0.95 */
    uint64_t seed;        /* 1 */
    const char *output;   /* TSV; "-": standard output; NULL: no output */
    const char *json;     /* the metrics as JSON; or NULL */
    const char *html;     /* an HTML page with plots; or NULL */
    const char *command;  /* command line to write into the outputs, or NULL */
    bird_progress_call *progress; /* counts elements; or NULL */
    void *progress_context;
} bird_variants_options;

/** Set the defaults named above; all other members are 0. */
BIRD_API void bird_variants_options_default(bird_variants_options *o);

enum bird_allele_level {
    BIRD_LEVEL_ELEMENT, /* an element */
    BIRD_LEVEL_GROUP,   /* mean over the elements of a group of more than one */
    BIRD_LEVEL_MEAN,    /* mean over groups; an element without a group is a
                        group */
    BIRD_LEVEL_POOLED   /* all alleles, as of one element */
};
/** "element", "group", "mean", "pooled"; static. */
BIRD_API const char *bird_allele_level_name(enum bird_allele_level l);

typedef struct bird_variants_figure {
    enum bird_allele_level level;
    const char *element; /* name of the element or group, else "all"; owned
                            by the evaluation, as is `score` */
    enum bird_allele_class of;
    /** A column; "baseline:NAME"; or, at BIRD_LEVEL_MEAN,
     *  "SCORE-baseline:NAME": the score's metric minus that of the best
     *  baseline by this metric, over the same resamples. When the interval
     *  holds 0 no difference is shown. */
    const char *score;
    enum bird_allele_metric metric;
    double value, lo, hi; /* NaN: not defined, or no resamples */
    int64_t n;            /* number of alleles; of a mean: of groups */
    int64_t n_positive;   /* AUROC and AUPRC of one element: number of
                           positives; else -1 */
} bird_variants_figure;

/** Start with {0}. Owner: bird_variants_evaluation_free() frees all members. */
typedef struct bird_variants_evaluation {
    bird_variants_figure *figures; /* (n_figures) by level, element, class */
    int64_t n_figures;
    char **name; /* (n_name) names that `figures` points to */
    int64_t n_name;
    int64_t n_allele;     /* alleles evaluated: measured, with enough barcodes,
                         in an element */
    int64_t n_read;       /* alleles in the file of the measured column */
    int64_t n_unmeasured; /* alleles without a measured value, or in no
                             element */
    int64_t n_few;        /* alleles with too few barcodes */
    int64_t n_not_base;   /* ALT is not A, C, G, T */
    int64_t n_unmatched;  /* alleles not in the scored file */
    int64_t n_repeated;   /* duplicates in the scored file: the first counts */
    int64_t n_element;
    char *notice; /* sentences for the user, each ended by '\n'; or NULL */
} bird_variants_evaluation;

/**
 * Evaluate scores of alleles.
 *
 * An allele without a number in a score's column (".", "NA", "nan" or empty) is
 * not used for that score. Intervals are percentiles over resamples, which are
 * a function of (seed, element, class, resample): of the alleles of an element;
 * for a mean of the groups, and of the alleles of each.
 *
 * Owner    *out is the caller's; untouched on failure, no file left behind
 * Memory   for each allele 32 bytes and 8 a score; for each allele of a second
 *          file about 100 bytes and 8 a score; 8 n_boot for each score, class
 *          and metric
 * Threads  results do not depend on their number
 * Errors   BIRD_EINVAL options, a missing column (the message lists the
 *          columns), no allele left; BIRD_EFORMAT a file, with record or line;
 *          BIRD_ERANGE REF differs from the reference; BIRD_EIO; BIRD_ENOMEM;
 *          BIRD_ECANCELED
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

BIRD_END_C

#endif
