/**
 * How good a model is: on labelled sequences, filling in hidden sequence, and
 * scanning a genome; each beside baselines.
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

/* --- labelled sequences --------------------------------------------------- */

enum bird_evaluate_format {
    BIRD_EVALUATE_TSV,
    BIRD_EVALUATE_JSON,
    BIRD_EVALUATE_FEATURES /* of several labels: a line a label */
};

typedef struct bird_evaluate_options {
    const char *model; /* folder; NULL: the shipped one */
    bird_model_run run;
    const char *test;          /* labelled sequences */
    bird_dataset_options data; /* how to read them; classes come from the
                                  model, and so do a multi-label model's
                                  columns when no label is named here */
    /** Or NULL. Else test is a BED file of windows of bins, labelled by these
     * files, for a model with a head over bins, and so is baseline_train; data
     * and train are not looked at. The baseline and GC see three times a bin's
     * bases around its middle, on +. Bins of which nothing is known are left
     * out. */
    const bird_bin_files *bins;
    bird_bin_options bin; /* the bin is the model's; a margin and a
                             distance of other starts < 0 too */
    /** Rows the model has learned from: all is measured again on test rows
     * that share no sequence and no k-mer with them. NULL: not. */
    const char *train;
    int shared_k; /* that k; 0: bird_dataset_shared_k() of the test rows */
    /** Fit the baselines on these rows; NULL: the model's own, if it has some. */
    const char *baseline_train;
    int keep_baselines;      /* 1: put those into the model folder */
    enum bird_strand strand; /* MODEL, PLUS or BOTH */
    /** 1: the model's raw outputs, not the probabilities of its map. */
    int raw;
    /** 1: fit that map on these rows first (on the background as it is on the
     * genome, or the probabilities are not those of a genome), choose a
     * threshold for each label by F1, and put both into the model folder. */
    int calibrate;
    /** Of several labels: medians are over those with at least so many
     * positives and as many negatives; 1. */
    int64_t min_positives;
    /** n_boot < 0: 1,000, or none for several labels. threshold -1:
     * the map's own, by label; without one where the raw output is 0.5. */
    bird_metrics_options metrics;
    /** Where to: "-" is standard output, NULL nowhere. */
    const char *output;
    enum bird_evaluate_format format; /* of output */
    const char *json;                 /* the same as JSON */
    const char *html;                 /* of several labels: a page */
    const char *predictions;          /* a line a row: name (else number from
                                         1), label, probability */
    const char *command;              /* kept in the outputs, or NULL */
    bird_progress_call *progress;     /* of sequences scored; or NULL */
    void *progress_context;
} bird_evaluate_options;

/** The defaults named above, and those of their parts. */
BIRD_API void bird_evaluate_options_default(bird_evaluate_options *o);

/** Metrics of one predictor on one part of the rows. */
typedef struct bird_figures {
    const char *part; /* "all" or "clean" */
    /** "model", "k-mers", "positions", "GC"; or "model-k-mers" etc.: the
     * model's less those of the best baseline (by AUROC on these rows), with
     * intervals over common resamples */
    char predictor[24];
    /** Of several labels: its name; or "median" over those that have positives
     * and negatives (min_positives of them), "median:CLASS" over those of a
     * class: n_label of them. Else NULL. */
    const char *label;
    int64_t n_label; /* of a median */
    int ranks_only;  /* the predictor is no probability (GC share): AUROC and
                          AUPRC alone mean something */
    bird_metrics m;
} bird_figures;

/** Start with {0}; all belongs to it: bird_evaluation_free(). */
typedef struct bird_evaluation {
    bird_figures *figures; /* (n_figures) */
    int64_t n_figures;
    int64_t n_row;              /* rows of the test file */
    int64_t n_exact, n_overlap; /* left out of "clean": the whole sequence is
                                   in train; only a k-mer of it is (on either
                                   strand) */
    int shared_k;               /* 0 without train */
    int both_strands;           /* what was done */
    int calibrated;             /* probabilities are those of a map */
    char uncalibrated[512];     /* else why not, in words */
    bird_reliability_table
        reliability;            /* of several labels: all answers together */
    int64_t n_trimmed;          /* scored sequences cut to the model's length */
    char model[80], digest[65]; /* name of the folder, digest of the model */
    char **notice;              /* (n_notice) sentences for the user */
    int64_t n_notice;
    char **label_name; /* (n_label) of several labels, else NULL */
    int64_t n_label;
    char **median_name; /* (n_median) "median", "median:TF" ... */
    int64_t n_median;
    bird_features features; /* what is known of the labels; may be empty */
} bird_evaluation;

/**
 * Score the test rows and measure.
 *
 * A model of one class a row is measured on all rows; one of several labels
 * label by label, with medians over them. A label without positives or without
 * negatives is not evaluated: a notice names it. The baselines and
 * GC always see the sequence as given. Files of output appear together at the
 * end.
 *
 * Owner    *out is the caller's; untouched on failure, no file left behind
 * Threads  results do not depend on their number
 * Errors   BIRD_EINVAL options, a model that does not classify, rows without
 *          labels; BIRD_EIO, BIRD_EFORMAT files; BIRD_ENOMEM
 */
BIRD_API BIRD_MUST_CHECK int bird_evaluate(bird_evaluation *out,
                                           const bird_evaluate_options *o);
/** Free what it holds, and zero it. NULL is fine. */
BIRD_API void bird_evaluation_free(bird_evaluation *e);

/**
 * Print as TSV: set, metric, value, lo, hi. The set is part/predictor, e.g.
 * "all/model", with ":label" behind when there are several labels. After an
 * empty line follows the reliability table of "all/model".
 * Errors: BIRD_EIO.
 */
BIRD_API BIRD_MUST_CHECK int bird_evaluation_print(FILE *f,
                                                   const bird_evaluation *e);

/* --- masked-language models -------------------------------------------------
 *
 * How well a masked-language model fills in hidden sequence: bits per base,
 * beside Markov models that are asked for the same bases.
 *
 * Windows of held-out sequence are tokenized, a share of their tokens is
 * hidden, and every predictor gives the hidden tokens probabilities.
 * docs/math/bits-per-base.md says what is divided by what, and derives the
 * baselines.
 */

/** Largest order of a Markov baseline. */
#define BIRD_MLM_MAX_ORDER 12

/** Paths and texts are borrowed while bird_evaluate_mlm() runs. */
typedef struct bird_mlm_options {
    const char *model;        /* folder with a masked-language head */
    bird_model_run run;       /* pad_to is not looked at */
    const char *const *fasta; /* (n_fasta) held-out sequence */
    int64_t n_fasta;
    const char *regions; /* BED, or regions between commas: windows lie whole
                            inside one of them (merged); NULL: contigs */
    /** What the Markov baselines learn from. Neither given: there are none;
     *  regions alone: of `fasta`. */
    const char *const *train_fasta; /* (n_train_fasta) */
    int64_t n_train_fasta;
    const char *train_regions;
    /** Windows: context_bp bp each, stride_bp apart (0: context_bp); or, with
     *  context_bp 0, length_tok tokens with the special ones (0: as many as
     *  the model reads), one behind the other. */
    int64_t context_bp, stride_bp, length_tok;
    int64_t windows; /* at most so many, drawn by the seed; 0: all */
    double max_n;    /* windows with a larger share of bases other than A, C,
                        G, T are left out and counted; 0.05 */
    double mask;     /* share of a window's tokens that is hidden; 0.15 */
    uint64_t seed;   /* of masks, drawn windows and resamples; 1 */
    int order[BIRD_MLM_MAX_ORDER]; /* (n_order) of the Markov baselines,
                                      rising, 1 to 12; 3, 4 .. 12 */
    int n_order;
    const char *repeats; /* BED: the tokens more than half of whose bases lie in
                            it are the repeats, on all contigs, whatever the
                            case; NULL: lower case says it */
    int by_contig;       /* 1: also every contig by itself */
    int64_t n_boot;      /* resamples of the windows; 0: no intervals; 1000 */
    double level;        /* of the percentile intervals; 0.95 */
    const char *output;  /* TSV; "-" is standard output; NULL: nowhere */
    const char *json;    /* metrics and the run as JSON */
    const char *tokens;  /* TSV of every hidden token */
    const char *command; /* kept in the outputs, or NULL */
    bird_progress_call *progress; /* of windows scored; or NULL */
    void *progress_context;
} bird_mlm_options;

/** The defaults named above. */
BIRD_API void bird_mlm_options_default(bird_mlm_options *o);

/** By the mask that is given, or lower case in the reference; more than half of
 *  a token's bases. */
enum bird_mlm_class {
    BIRD_MLM_ALL,
    BIRD_MLM_REPEAT,    /* repeat-masked */
    BIRD_MLM_NONREPEAT, /* not; by case on a contig that has lower case */
    BIRD_MLM_N_CLASS
};
/** "all", "repeat", "nonrepeat"; static. */
BIRD_API const char *bird_mlm_class_name(enum bird_mlm_class c);

enum bird_mlm_metric {
    BIRD_MLM_BITS_PER_BASE,  /* bits of the hidden tokens / bases in them */
    BIRD_MLM_BITS_PER_TOKEN, /* the same bits / hidden tokens */
    BIRD_MLM_ACCURACY,       /* share of hidden tokens given most */
    /* The same where the token's length is told: among the vocabulary's tokens
     * of that length, whose probabilities are made to sum to 1. */
    BIRD_MLM_BITS_GIVEN_LENGTH, /* per base */
    BIRD_MLM_ACCURACY_GIVEN_LENGTH,
    /* The model's bits per base less this predictor's; below 0 the model is
     * better. Intervals are of the difference, over common resamples. */
    BIRD_MLM_MODEL_LESS,
    BIRD_MLM_MODEL_LESS_GIVEN_LENGTH,
    BIRD_MLM_BASES_PER_TOKEN, /* of hidden tokens: predictor "tokens" */
    BIRD_MLM_N_METRIC
};
/** Its name in the tables ("bits_per_base"); static. */
BIRD_API const char *bird_mlm_metric_name(enum bird_mlm_metric m);

typedef struct bird_mlm_value {
    const char *set; /* "all", or a contig's name; belongs to the evaluation */
    enum bird_mlm_class part;
    char predictor[24]; /* "model", "uniform", "markov_left_3",
                           "markov_both_3" .., "tokens" */
    enum bird_mlm_metric metric;
    double value, lo, hi;              /* NaN: not defined; no intervals */
    int64_t n_window, n_token, n_base; /* hidden tokens of the class, their
                                          bases, windows that have some */
} bird_mlm_value;

/** Start with {0}; all belongs to it: bird_mlm_evaluation_free(). */
typedef struct bird_mlm_evaluation {
    bird_mlm_value *figures; /* (n_figures) */
    int64_t n_figures;
    char **set_name; /* (n_set) */
    int64_t n_set;
    int64_t n_window;       /* windows scored */
    int64_t n_rich;         /* left out: too many unknown bases */
    int64_t n_not_drawn;    /* not among those drawn */
    int64_t rest_bp;        /* bases of the regions that fill no window */
    int64_t n_cut;          /* windows of more tokens than the model reads: cut
                               at their end */
    int64_t n_token, n_bp;  /* of the windows, special tokens apart */
    int64_t n_hidden;       /* tokens hidden */
    int64_t n_unknown;      /* of them not scored: unknown bases in them */
    int64_t n_class_window; /* windows on contigs with lower case */
    int64_t n_trained;      /* windows that touch what the baselines learned
                               from */
    int64_t train_bp;       /* bases that the baselines learned from */
    char model[80], digest[65];
    char *notice; /* sentences for the user, each ended by '\n'; or NULL */
} bird_mlm_evaluation;

/**
 * Evaluate a masked-language model.
 *
 * Which tokens are hidden is a function of (seed, contig, place of the
 * window) and its tokens; all of them become [MASK]. Files of output appear
 * together at the end.
 *
 * Owner    *out is the caller's; untouched on failure, no file left behind
 * Memory   the model's; for order k 4^(k+2) / 3 * 4 bytes (358 MB at 12) and a
 *          quarter byte a training base; a contig of held-out sequence
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
 * How well a scan of a genome finds start sites: recall at a given number of
 * false calls per Mb, and ranking metrics by window.
 *
 * Words. A *window* has a place, a strand and a probability; its *anchor* is
 * the base at which the model expects the start site. A *call* is a run of
 * windows of one strand at or above a threshold, each overlapping or touching
 * the next (or starting at most `merge` bp after it); its *summit* is the
 * anchor of its best window, or the middle of the best ones when they tie.
 *
 * Truth is one set of start sites (TSSs); further sets excuse a call without
 * being asked for.
 * - recall: share of the true TSSs with a summit within `within` bp. Stranded:
 *   the call is on the TSS's strand. Unstranded: the windows of both strands
 *   become one by their larger probability before they are merged, and the
 *   strand of the TSS does not matter. `recall` is over the TSSs that lie in
 *   a scanned window, `recall_all` over those of the regions.
 * - a false call has no TSS, true or further, within `within` bp of its
 *   summit, on either strand; its number is given per scanned Mb: bases of
 *   the regions in any window that has a probability. An antisense call has
 *   such TSSs, but on the other strand alone.
 * - probability: what a user reads; thresholds and rankings are of the raw
 *   output, which rises with it.
 * With `extent` all these distances are to the call's extent, from the anchor
 * of its first window to that of its last, instead of to its summit: the way
 * an interval is usually compared; long calls have it easier.
 * - AUROC and average precision: a window is positive when a true TSS of its
 *   strand lies within `zone` bp of its anchor, left out when it is not and
 *   any TSS lies within `within` bp (either strand), else negative.
 *
 * Intervals are percentiles over resamples of blocks of `block` bp.
 * Coordinates are 0-based half-open.
 */

enum { BIRD_SCAN_MAX_TARGET = 8 };

enum bird_scan_mode {
    BIRD_SCAN_STRANDED,
    BIRD_SCAN_UNSTRANDED,
    BIRD_SCAN_N_MODE
};

/** How an interval of a BED file used as a predictor becomes a probability. */
enum bird_scan_score {
    BIRD_SCORE_LENGTH,   /* L / (L + 1000 bp) */
    BIRD_SCORE_CPG,      /* n / (n + 100), n its CpG dinucleotides */
    BIRD_SCORE_OBSERVED, /* r / (r + 1), r = CpG * L / (C * G) */
    BIRD_SCORE_COLUMN    /* column 5 / 1000 */
};

typedef struct bird_scan_files {
    const char *windows; /* as `dnabird promoter -O windows` writes them:
                            chrom, start, end, strand, probability ("." = not
                            scored), status, raw output (without it the
                            probability); plain or gzip; NULL: intervals */
    const char *model;   /* folder whose map turns raw outputs into
                                 probabilities; NULL: those of the windows */
    int calibrate; /* 1: fit that map on these windows first, and put it into
                      the folder */
    const char *intervals;    /* BED: a window whose anchor lies in one has its
                                 score, else 0; needs fasta */
    const char *baseline;     /* baseline.safetensors of a model: windows are
                                 scored by its k-mers; needs fasta */
    const char *const *fasta; /* (n_fasta) */
    int64_t n_fasta;
    const char *truth;        /* BED6, GTF or GFF3 */
    const char *const *other; /* (n_other) the same */
    int64_t n_other;
    bird_transcript_filter transcripts; /* of GTF and GFF3 */
    const char *regions; /* BED: anchors and TSSs inside count; NULL: all */
} bird_scan_files;

typedef struct bird_evaluate_scan_options {
    int64_t within;         /* 500 bp */
    int64_t zone;           /* 100 bp */
    int64_t anchor;         /* bp from a window's 5' end; -1: its middle */
    int extent;             /* 1: distances to the extent, not the summit; 0 */
    int64_t merge;          /* 0: overlapping or touching windows merge */
    int64_t window, stride; /* of intervals' windows: 1000, 100 bp */
    double max_n;           /* unknown bases in such a window at most: 0.05 */
    int score_short;        /* 1: windows shorter than the others (of a file,
                               its widest), as in a short contig, count; 0 */
    enum bird_scan_score score; /* LENGTH */
    int64_t block;              /* 100000 bp */
    int64_t n_boot;             /* 1000 resamples (ranking metrics: at most
                                   200); 0: no intervals */
    double level;               /* 0.95 */
    uint64_t seed;              /* 1 */
    int n_target;               /* 3 */
    double target[BIRD_SCAN_MAX_TARGET]; /* false calls per Mb: 1, 5, 20 */
    int given; /* 1: thresholds are those below, else chosen here: the lowest
                  one up to which the false calls never exceed the target */
    double threshold[BIRD_SCAN_N_MODE][BIRD_SCAN_MAX_TARGET];
} bird_evaluate_scan_options;

/** The defaults named above. */
BIRD_API void bird_evaluate_scan_options_default(bird_evaluate_scan_options *o);

/** NaN where not defined, or without resamples. */
typedef struct bird_estimate {
    double value, lo, hi;
} bird_estimate;

/** A mode at one threshold; windows with probability 0 are never called. */
typedef struct bird_scan_point {
    double target, threshold;     /* INFINITY: nothing is called */
    double threshold_probability; /* the smallest of a called window */
    double call_probability; /* mean probability of the calls; 1 - n_false /
                              n_call of them came true */
    int64_t n_call, n_false, n_antisense, n_found;
    bird_estimate recall, recall_all, false_per_mb;
} bird_scan_point;

typedef struct bird_scan_result {
    int64_t n_window, n_unscored;   /* strands counted apart */
    int64_t n_short;                /* of the unscored: shorter than a window */
    int64_t scanned_bp;             /* strands counted once */
    int64_t n_tss, n_tss_scanned;   /* true ones */
    int64_t n_tss_repeated;         /* read, and at the base and strand of
                                       another: not counted */
    int64_t n_positive, n_negative; /* windows of the ranking metrics */
    bird_estimate auroc, auprc;
    /** Windows, a strand each: true where a start site, true or further, lies
     * within `within` bp of the anchor, on either strand. */
    bird_reliability_table reliability;
    int is_probability; /* 0: of intervals, whose score is none */
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
/** Read such a file: fills n_target, target, threshold and given.
 *  Errors: BIRD_EIO, BIRD_EFORMAT; *o untouched. */
BIRD_API BIRD_MUST_CHECK int
bird_scan_thresholds_read(bird_evaluate_scan_options *o, const char *path);

/**
 * Print as TSV with a header line: set, mode, target, figure, value, lo, hi.
 * Errors: BIRD_EIO.
 */
BIRD_API BIRD_MUST_CHECK int bird_scan_print(FILE *f, const char *set,
                                             const bird_scan_result *r);

#endif
