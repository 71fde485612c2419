/**
 * Evaluation of a model, with baselines: on labelled sequences, on masked
 * tokens, and on a scan of a genome.
 *
 * Belongs to libdnabird_train.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_EVALUATE_H
#define DNABIRD_EVALUATE_H

#include <stdint.h>
#include <stdio.h>

#include "dnabird/dataset.h"
#include "dnabird/error.h"
#include "dnabird/intervals.h"
#include "dnabird/metrics.h"
#include "dnabird/model.h"
#include "dnabird/progress.h"
#include "dnabird/session.h"

BIRD_BEGIN_C

/* --- labelled sequences --------------------------------------------------- */

enum bird_evaluate_format {
    BIRD_EVALUATE_TSV,
    BIRD_EVALUATE_JSON,
    BIRD_EVALUATE_FEATURES /* models of several labels: one line for each
                              label */
};

typedef struct bird_evaluate_options {
    const char *model; /* folder; NULL: the shipped one */
    bird_model_run run;
    const char *test;          /* file of labelled sequences */
    bird_dataset_options data; /* how to read `test`; the classes are the
                                  model's, and so are the columns of a multi-
                                  label model when no label is named here */
    /** NULL: `test` has rows. Else `test` and baseline_train are BED files
     *  of windows of bins, which these files label, for a model that answers
     *  in bins; `data` and `train` are not used. The baseline and GC see
     *  three times a bin's bases around its middle, on the + strand. Bins
     *  without a known label are left out. */
    const bird_bin_files *bins;
    bird_bin_options bin; /* the bin's size is the model's; margin_bp, site_bp
                             and other_bp < 0: the model's */
    /** Rows the model was trained on: metrics are computed a second time, on
     *  the test rows that share no sequence and no k-mer with them. NULL:
     *  not. */
    const char *train;
    int shared_k; /* the k of those k-mers; 0: bird_dataset_shared_k() of the
                     test rows */
    /** Fit the baselines on these rows; NULL: the baselines in the model
     *  folder, if there are any. */
    const char *baseline_train;
    int keep_baselines;      /* 1: write the fitted baselines into the model
                           folder */
    enum bird_strand strand; /* MODEL, PLUS or BOTH */
    /** 1: evaluate the model's raw outputs, not calibrated probabilities. */
    int raw;
    /** 1: first fit the calibration map on these rows, choose a threshold
     *  for each label by F1, and write both into the model folder. The rows
     *  must have the share of positives of a genome, or the probabilities
     *  are not those of a genome. */
    int calibrate;
    /** Several labels: medians are over the labels with at least this many
     *  positives and this many negatives; 1. */
    int64_t min_positives;
    /** n_boot < 0: 1,000, or 0 for several labels of 0 and 1 and for classes of
     *  bases, which have no intervals. threshold -1: the
     *  threshold of the calibration map, by label; without a map a raw
     *  output of 0.5. */
    bird_metrics_options metrics;
    /** Measured values: columns of `test` with replicates, of which each value is
     *  the mean: "a,b;c,d", values between semicolons. Or their correlation,
     *  "R" or "R:K" for each value or for all, where each value is the mean of K
     *  replicates of which two have the correlation R; K is 1 without. They give
     *  the ceiling of the model's correlation (docs/math/ranking.md). One of the
     *  two at most; NULL: none */
    const char *replicates, *replicate_correlation;
    /** "-": standard output; NULL: no output. */
    const char *output;
    enum bird_evaluate_format format; /* format of `output` */
    const char *json;                 /* the metrics as JSON; or NULL */
    const char *html; /* models of several labels: an HTML page; or NULL */
    const char *predictions; /* one line for each row: name (without one the
                                row's number from 1), label, probability; of
                                classes of bases one for each base; or NULL */
    const char *command; /* command line to write into the outputs, or NULL */
    bird_progress_call *progress; /* counts sequences scored; or NULL */
    void *progress_context;
} bird_evaluate_options;

/** Set the defaults named above, and those of the members. */
BIRD_API void bird_evaluate_options_default(bird_evaluate_options *o);

/** Metrics of one predictor on one part of the rows. */
typedef struct bird_figures {
    const char *part; /* "all", or "clean": rows that share nothing with
                         `train` */
    /** "model", "k-mers", "positions", "GC", of classes of bases and of token
     *  ids "most-frequent", the shares of the classes in these rows; or "model-k-mers" etc.: the
     *  model's metrics minus those of the best baseline (by AUROC on these
     *  rows), with intervals over common resamples */
    char predictor[24];
    /** Several labels: the label's name; or "median": over the n_label
     *  labels with enough positives and negatives (min_positives);
     *  "median:CLASS": over those of a class. Else NULL. */
    const char *label;
    int64_t n_label; /* number of labels of a median */
    int ranks_only;  /* 1: the predictor is not a probability (GC share): only
                       AUROC and AUPRC are meaningful */
    bird_metrics m;
} bird_figures;

/** Metrics of one predictor of one measured value on one part of the rows. */
typedef struct bird_value_figures {
    const char *part;   /* "all" or "clean" */
    char predictor[24]; /* "model", "GC"; with replicates also "replicate", one
                           of them by another, and "ceiling" */
    const char *label;  /* name of the value */
    int64_t n;          /* rows with a measured value */
    int has_sd;         /* 1: the predictor gives standard deviations, too */
    /* Pearson's coefficient, Spearman's, mean squared error in the unit of the
     * value; of predicted standard deviations the share of rows within 1, the
     * mean square of the error in standard deviations, and the mean of -log p
     * under the normal distribution; their percentile intervals. NaN: not
     * defined, as the error of GC */
    double value[6], lo[6], hi[6];
} bird_value_figures;

/** Start with {0}. Owner: bird_evaluation_free() frees all members. */
typedef struct bird_evaluation {
    bird_figures *figures; /* (n_figures) */
    int64_t n_figures;
    bird_value_figures *values; /* (n_values) of a model of measured values,
                                   which has no figures; else NULL */
    int64_t n_values;
    int64_t n_row;              /* rows of the test file */
    int64_t n_exact, n_overlap; /* rows not in "clean": the whole sequence is
                                   in `train`; or only a k-mer is (on either
                                   strand) */
    int shared_k;               /* 0: no `train` */
    int both_strands;           /* 1: the mean of both strands */
    int calibrated;             /* 1: probabilities are calibrated */
    char uncalibrated[512];     /* the reason why not, as a sentence */
    bird_reliability_table
        reliability;   /* several labels: of all predictions together */
    int64_t n_trimmed; /* sequences longer than the model's input, which were
                          cut */
    char model[80], digest[65]; /* name of the folder; digest of the weights */
    char **notice;              /* (n_notice) sentences for the user */
    int64_t n_notice;
    char **label_name; /* (n_label); NULL: one label */
    int64_t n_label;
    char **median_name; /* (n_median) "median", "median:TF" ... */
    int64_t n_median;
    bird_features features; /* class, cell type etc. of the labels; may be
                               empty */
} bird_evaluation;

/**
 * Score the test rows and compute metrics.
 *
 * A model with one class a row is evaluated on all rows; one with a class for
 * each token (architecture BigBirdForTokenClassification) on all bases whose class
 * is known, without resamples; a model of several
 * labels label by label, with medians over the labels. A label without
 * positives or without negatives is not evaluated; a notice names it. A model of
 * measured values is compared with each value by correlation. The
 * baselines and GC see the sequence as given, whatever the strand. All output
 * files appear at the end, or none.
 *
 * Owner    *out is the caller's; untouched on failure, no file left behind
 * Threads  results do not depend on their number
 * Errors   BIRD_EINVAL options, a model that does not classify, rows without
 *          labels; BIRD_EIO, BIRD_EFORMAT files; BIRD_ENOMEM; BIRD_ECANCELED by
 *          progress
 */
BIRD_API BIRD_MUST_CHECK int bird_evaluate(bird_evaluation *out,
                                           const bird_evaluate_options *o);
/** Free what it holds, and zero it. NULL is fine. */
BIRD_API void bird_evaluation_free(bird_evaluation *e);

/**
 * Print as TSV: set, metric, value, lo, hi. The set is part/predictor, e.g.
 * "all/model"; with several labels part/predictor:label. After an empty line
 * follows the reliability table of "all/model".
 * Errors: BIRD_EIO.
 */
BIRD_API BIRD_MUST_CHECK int bird_evaluation_print(FILE *f,
                                                   const bird_evaluation *e);

/* --- masked-language models -------------------------------------------------
 *
 * How well a masked-language model predicts masked tokens, in bits per base,
 * compared with Markov models that predict the same bases.
 *
 * Windows of held-out sequence are tokenized, a share of their tokens is
 * masked, and every predictor gives the masked ("hidden") tokens probabilities.
 * docs/math/bits-per-base.md defines bits per base and derives the baselines.
 */

/** Largest order of a Markov baseline. */
#define BIRD_MLM_MAX_ORDER 12

/** Paths and texts are borrowed while bird_evaluate_mlm() runs. */
typedef struct bird_mlm_options {
    const char *model;        /* folder with a masked-language head */
    bird_model_run run;       /* pad_to is not used */
    const char *const *fasta; /* (n_fasta) held-out sequence */
    int64_t n_fasta;
    const char *regions; /* BED file, or regions separated by commas, which
                            are merged: each window lies inside one of them;
                            NULL: whole contigs */
    /** Training sequence of the Markov baselines. Both NULL: no baselines;
     *  regions alone: regions of `fasta`. */
    const char *const *train_fasta; /* (n_train_fasta) */
    int64_t n_train_fasta;
    const char *train_regions;
    /** Windows of context_bp bp, stride_bp apart (0: context_bp); or, with
     *  context_bp 0, consecutive windows of length_tok tokens, special ones
     *  included (0: the model's maximum). */
    int64_t context_bp, stride_bp, length_tok;
    /** Tokens that the model reads at a time, special ones included: the tokens of a
     *  window are cut into rows of one length, up to this one, each read alone. The
     *  hidden tokens are those of the whole window, so that answers with little and
     *  with much context can be compared. 0: a window is one row. */
    int64_t row_tok;
    int64_t windows; /* number of windows sampled, a function of the seed; 0:
                        all */
    double max_n;    /* windows with a larger share of bases other than A, C, G,
                     T are skipped and counted; 0.05 */
    double mask;     /* share of a window's tokens that is masked; 0.15 */
    uint64_t seed;   /* of masks, sampled windows and resamples; 1 */
    int order[BIRD_MLM_MAX_ORDER]; /* (n_order) orders of the Markov
                                      baselines, rising, 1 to 12; 3, 4 .. 12 */
    int n_order;
    const char *repeats; /* BED file of repeats: a token with more than half
                            of its bases in it is a repeat, whatever the
                            case; NULL: lower case marks repeats */
    int by_contig;       /* 1: metrics of every contig as well */
    int64_t n_boot;      /* resamples of the windows; 0: no intervals; 1000 */
    double level;        /* of the percentile intervals; 0.95 */
    const char *output;  /* TSV; "-": standard output; NULL: no output */
    const char *json;    /* metrics and options as JSON; or NULL */
    const char *tokens;  /* TSV with a line for every hidden token; or NULL */
    const char *command; /* command line to write into the outputs, or NULL */
    bird_progress_call *progress; /* counts windows scored; or NULL */
    void *progress_context;
} bird_mlm_options;

/** The defaults named above. */
BIRD_API void bird_mlm_options_default(bird_mlm_options *o);

/** A token is a repeat when more than half of its bases are in `repeats`, or
 *  lower case in the reference. */
enum bird_mlm_class {
    BIRD_MLM_ALL,
    BIRD_MLM_REPEAT,    /* repeats */
    BIRD_MLM_NONREPEAT, /* other tokens; by case: on contigs with lower case
                           alone */
    BIRD_MLM_N_CLASS
};
/** "all", "repeat", "nonrepeat"; static. */
BIRD_API const char *bird_mlm_class_name(enum bird_mlm_class c);

enum bird_mlm_metric {
    BIRD_MLM_BITS_PER_BASE,  /* bits of the hidden tokens / bases in them */
    BIRD_MLM_BITS_PER_TOKEN, /* the same bits / hidden tokens */
    BIRD_MLM_ACCURACY, /* share of hidden tokens with the largest probability */
    /* The same given the token's length: among the tokens of that length,
     * whose probabilities are scaled to sum to 1. */
    BIRD_MLM_BITS_GIVEN_LENGTH, /* bits per base */
    BIRD_MLM_ACCURACY_GIVEN_LENGTH,
    /* The model's bits per base minus this predictor's; below 0 the model is
     * better. Intervals are of the difference, over common resamples. */
    BIRD_MLM_MODEL_LESS,
    BIRD_MLM_MODEL_LESS_GIVEN_LENGTH,
    BIRD_MLM_BASES_PER_TOKEN, /* mean length of hidden tokens; predictor
                                 "tokens" */
    BIRD_MLM_N_METRIC
};
/** Its name in the tables ("bits_per_base"); static. */
BIRD_API const char *bird_mlm_metric_name(enum bird_mlm_metric m);

typedef struct bird_mlm_value {
    const char *set; /* "all", or a contig's name; owned by the evaluation */
    enum bird_mlm_class part;
    char predictor[24]; /* "model", "uniform", "markov_left_3",
                           "markov_both_3" .., "tokens" */
    enum bird_mlm_metric metric;
    double value, lo, hi;              /* NaN: not defined, or no resamples */
    int64_t n_window, n_token, n_base; /* windows with hidden tokens of the
                                          class, these tokens, their bases */
} bird_mlm_value;

/** Start with {0}. Owner: bird_mlm_evaluation_free() frees all members. */
typedef struct bird_mlm_evaluation {
    bird_mlm_value *figures; /* (n_figures) */
    int64_t n_figures;
    char **set_name; /* (n_set) */
    int64_t n_set;
    int64_t n_window;    /* windows scored */
    int64_t n_rich;      /* windows skipped: too many unknown bases */
    int64_t n_not_drawn; /* windows not sampled */
    int64_t rest_bp;     /* bases of the regions outside all windows */
    int64_t n_cut; /* windows with more tokens than the model reads, cut at
                      their end */
    int64_t n_token, n_bp; /* tokens and bases of the windows, without
                              special tokens */
    int64_t n_hidden;      /* tokens hidden */
    int64_t n_unknown; /* hidden tokens not scored: they hold unknown bases */
    int64_t n_class_window; /* windows on contigs with lower case */
    int64_t n_trained;      /* windows that overlap the training sequence of the
                          baselines */
    int64_t train_bp;       /* bases of that training sequence */
    char model[80], digest[65];
    char *notice; /* sentences for the user, each ended by '\n'; or NULL */
} bird_mlm_evaluation;

/**
 * Evaluate a masked-language model.
 *
 * Which tokens are hidden is a function of (seed, contig, start of the window)
 * and its tokens; all hidden tokens become [MASK]. All output files appear at
 * the end, or none.
 *
 * Owner    *out is the caller's; untouched on failure, no file left behind
 * Memory   the model's; for order k 4^(k+2) / 3 * 4 bytes (358 MB at 12) and a
 *          quarter byte for each training base; a contig of held-out sequence
 * Threads  results do not depend on their number
 * Errors   BIRD_EINVAL options, a model without a masked-language head, a
 *          tokenizer without [MASK] or with overlapping tokens, no window;
 *          BIRD_EIO, BIRD_EFORMAT, BIRD_ERANGE files; BIRD_ENOMEM;
 *          BIRD_ECANCELED
 */
BIRD_API BIRD_MUST_CHECK int bird_evaluate_mlm(bird_mlm_evaluation *out,
                                               const bird_mlm_options *o);
/** Free what it holds, and zero it. NULL is fine. */
BIRD_API void bird_mlm_evaluation_free(bird_mlm_evaluation *e);

/** Print as TSV with a header line: set, class, predictor, metric, value, lo,
 *  hi, windows, tokens, bases. Errors: BIRD_EIO. */
BIRD_API BIRD_MUST_CHECK int
bird_mlm_evaluation_print(FILE *f, const bird_mlm_evaluation *e);

/* --- scans ------------------------------------------------------------------
 *
 * How well a scan of a genome finds transcription start sites (TSSs): recall at
 * a given number of false calls per Mb, and ranking metrics by window.
 *
 * Terms. A *window* has an interval, a strand and a probability; its *anchor*
 * is the base at which the model expects the TSS. A *call* is a run of windows
 * of one strand at or above a threshold, each overlapping or touching the next
 * (with `merge`: the next one starts at most so many bp behind its start); its
 * *summit* is the anchor of its best window, or the middle of the best ones when
 * they tie. The *true* TSSs are to be found. *Further* TSSs need not be found,
 * but a call near one is not false.
 *
 * Recall is the share of the true TSSs with a summit within `within` bp.
 * Stranded: the call is on the TSS's strand. Unstranded: the windows of both
 * strands become one with the larger probability before they are merged, and
 * the strand of the TSS does not matter. `recall` is over the TSSs that lie in
 * a scanned window, `recall_all` over those of the regions.
 *
 * A false call has no TSS, true or further, within `within` bp of its summit,
 * on either strand. Their number is given per scanned Mb: bases of the regions
 * in any window that has a probability. An antisense call has such TSSs on the
 * other strand alone.
 *
 * With `extent` all these distances are to the call's extent, from the anchor
 * of its first window to that of its last, instead of to its summit. Intervals
 * are usually compared like this; it favours long calls.
 *
 * AUROC and average precision: a window is positive when a true TSS of its
 * strand lies within `zone` bp of its anchor; else it is left out when any TSS
 * lies within `within` bp (either strand), and negative otherwise.
 *
 * Thresholds and rankings use the raw output; the printed probability rises with
 * it.
 *
 * Confidence intervals are percentiles over resamples of blocks of `block` bp.
 * Coordinates are 0-based half-open.
 */

enum { BIRD_SCAN_MAX_TARGET = 8 };

enum bird_scan_mode {
    BIRD_SCAN_STRANDED,
    BIRD_SCAN_UNSTRANDED,
    BIRD_SCAN_N_MODE
};

/** How an interval of a BED file, used as a predictor, becomes a
 *  probability. */
enum bird_scan_score {
    BIRD_SCORE_LENGTH,   /* L / (L + 1000 bp) */
    BIRD_SCORE_CPG,      /* n / (n + 100), n its CpG dinucleotides */
    BIRD_SCORE_OBSERVED, /* r / (r + 1), r = CpG * L / (C * G) */
    BIRD_SCORE_COLUMN    /* column 5 / 1000 */
};

typedef struct bird_scan_files {
    const char *windows; /* as `dnabird promoter -O windows` writes them:
                            chrom, start, end, strand, probability (".": not
                            scored), status, raw output (default: the
                            probability); plain or gzip; NULL: `intervals` is
                            used */
    const char *model;   /* folder whose calibration map turns raw outputs into
                          probabilities; NULL: the probabilities of the
                          windows */
    int calibrate;       /* 1: first fit that map on these windows, and write it
                      into the folder */
    const char *intervals;    /* BED: the score of a window is the
                              largest of the intervals in which its anchor
                              lies, else 0; needs fasta */
    const char *baseline;     /* baseline.safetensors of a model, whose k-mer
                             baseline scores windows; needs fasta */
    const char *const *fasta; /* (n_fasta) */
    int64_t n_fasta;
    const char *truth;        /* true TSSs: BED6, GTF or GFF3 */
    const char *const *other; /* (n_other) further TSSs */
    int64_t n_other;
    bird_transcript_filter transcripts; /* which transcripts of GTF and GFF3
                                           count */
    const char *regions; /* BED: anchors and TSSs inside count; NULL: all
                            count */
} bird_scan_files;

typedef struct bird_evaluate_scan_options {
    int64_t within; /* 500 bp */
    int64_t zone;   /* 100 bp */
    int64_t anchor; /* bp from a window's 5' end; -1: its middle */
    int extent;     /* 1: distances to the extent, not to the summit; 0 */
    int64_t merge;  /* 0: overlapping or touching windows merge */
    int64_t window, stride; /* of the windows that intervals score: 1000, 100
                               bp */
    double max_n;    /* largest share of unknown bases in such a window; 0.05 */
    int score_short; /* 1: windows shorter than the widest of the file, as on
                        short contigs, count; 0 */
    enum bird_scan_score score; /* LENGTH */
    int64_t block;              /* 100000 bp */
    int64_t n_boot;             /* 1000 resamples (ranking metrics: at most
                                   200); 0: no intervals */
    double level;               /* 0.95 */
    uint64_t seed;              /* 1 */
    int n_target;               /* 3 */
    double target[BIRD_SCAN_MAX_TARGET]; /* false calls per Mb: 1, 5, 20 */
    int given; /* 1: thresholds are those below; 0: the lowest threshold
                  above which the false calls never exceed the target is
                  chosen */
    double threshold[BIRD_SCAN_N_MODE][BIRD_SCAN_MAX_TARGET];
} bird_evaluate_scan_options;

/** The defaults named above. */
BIRD_API void bird_evaluate_scan_options_default(bird_evaluate_scan_options *o);

/** NaN: not defined, or no resamples. */
typedef struct bird_estimate {
    double value, lo, hi;
} bird_estimate;

/** Results at one threshold; windows with probability 0 are never called. */
typedef struct bird_scan_point {
    double target, threshold;     /* INFINITY: nothing is called */
    double threshold_probability; /* the smallest probability of a called
                                     window */
    double call_probability; /* mean probability of the calls; the share that
                                is true is 1 - n_false / n_call */
    int64_t n_call, n_false, n_antisense, n_found;
    bird_estimate recall, recall_all, false_per_mb;
} bird_scan_point;

typedef struct bird_scan_result {
    int64_t n_window, n_unscored; /* each strand counts */
    int64_t n_short;    /* unscored windows that are shorter than the others */
    int64_t scanned_bp; /* both strands count once */
    int64_t n_tss, n_tss_scanned; /* true TSSs */
    int64_t n_tss_repeated; /* duplicates (same base and strand), not counted */
    int64_t n_positive, n_negative; /* windows for the ranking metrics */
    bird_estimate auroc, auprc;
    /** Of windows, each on one strand; positive when a TSS, true or further,
     *  lies within `within` bp of the anchor, on either strand. */
    bird_reliability_table reliability;
    int is_probability; /* 0: scores of intervals, which are not
                           probabilities */
    int n_target;
    bird_scan_point point[BIRD_SCAN_N_MODE][BIRD_SCAN_MAX_TARGET];
} bird_scan_result;

/**
 * Evaluate a scan.
 *
 * Memory  about 150 bytes a window
 * Errors  BIRD_EINVAL an option, or no window lies in the regions; BIRD_EIO;
 *         BIRD_EFORMAT with file and line; BIRD_ENOMEM
 */
BIRD_API BIRD_MUST_CHECK int
bird_scan_evaluate(bird_scan_result *out, const bird_scan_files *files,
                   const bird_evaluate_scan_options *o);

/** "stranded", "unstranded". */
BIRD_API const char *bird_scan_mode_name(int mode);

/** Write thresholds as TSV: "#mode target threshold". Errors: BIRD_EIO. */
BIRD_API BIRD_MUST_CHECK int
bird_scan_thresholds_write(const char *path, const bird_scan_result *r);
/** Read such a file: sets n_target, target, threshold and given. Errors:
 *  BIRD_EIO, BIRD_EFORMAT; *o is then unchanged. */
BIRD_API BIRD_MUST_CHECK int
bird_scan_thresholds_read(bird_evaluate_scan_options *o, const char *path);

/**
 * Print as TSV with a header line: set, mode, target, figure, value, lo, hi.
 * Errors: BIRD_EIO.
 */
BIRD_API BIRD_MUST_CHECK int bird_scan_print(FILE *f, const char *set,
                                             const bird_scan_result *r);

BIRD_END_C

#endif
