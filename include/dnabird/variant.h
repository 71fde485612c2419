/**
 * Effects of variants: the probabilities that a model predicts for a window
 * with REF and with ALT, for every allele of a VCF, as an annotated VCF or a
 * table; for every base of a region; and attributions of the bases of a region.
 *
 * Definitions are in docs/math/variant-scores.md, formats in docs/formats.md.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_VARIANT_H
#define DNABIRD_VARIANT_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/model.h"
#include "dnabird/progress.h"
#include "dnabird/session.h"

BIRD_BEGIN_C

/** Status of an allele. Only the first two have scores. */
enum bird_variant_status {
    BIRD_VARIANT_OK,
    BIRD_VARIANT_SWAPPED, /* the reference has ALT instead of REF; scored */
    BIRD_VARIANT_REF_MISMATCH, /* REF differs from the reference */
    BIRD_VARIANT_NO_CHANGE,    /* REF and ALT are the same bases */
    BIRD_VARIANT_AMBIGUOUS,    /* N or another code for several bases */
    BIRD_VARIANT_SYMBOLIC,     /* <DEL> and the like, breakends */
    BIRD_VARIANT_SPANNED,      /* *: another record deletes this position */
    BIRD_VARIANT_MALFORMED,    /* not bases */
    BIRD_VARIANT_TOO_LONG,     /* longer than the window, or too many tokens */
    BIRD_VARIANT_MANY_N,       /* too many N in the window */
    BIRD_VARIANT_OFF_END,      /* beyond an end of the contig */
    BIRD_VARIANT_NO_CONTIG,    /* the reference has no such contig */
    BIRD_VARIANT_NO_ALT,       /* a record without ALT */
    BIRD_VARIANT_NO_TOKEN,     /* masked-language models: the vocabulary has no
                                  token for the bases around the change */
    BIRD_VARIANT_STATUSES
};

/** "OK", "REF_MISMATCH" ...; NULL: not a status. */
BIRD_API const char *bird_variant_status_name(int status);

/** What to do when REF differs from the reference. */
enum bird_ref_policy {
    BIRD_REF_ERROR, /* stop */
    BIRD_REF_WARN,  /* leave the allele out and warn */
    BIRD_REF_SKIP,  /* leave the allele out */
    BIRD_REF_SWAP   /* if the reference has an ALT, score it as REF */
};

/** Scores of an allele and a feature. */
enum bird_variant_score {
    BIRD_SCORE_P_REF,
    BIRD_SCORE_P_ALT,
    BIRD_SCORE_DIFF,    /* p_alt - p_ref */
    BIRD_SCORE_LOGIT,   /* difference of ln(p / (1 - p)), p within 1e-7 of 0
                           and 1 */
    BIRD_SCORE_E,       /* (1 + larger) / (n + 1) of a background of n, by
                           class and REF's value */
    BIRD_SCORE_Z,       /* normal deviate of size probability e, sign of diff */
    BIRD_SCORE_DEEPSEA, /* |diff| |logit| (DeepSEA, 2015) */
    /* Of masked-language models, whose e and z are those of llr: */
    BIRD_SCORE_LL_REF,   /* log-likelihood of the tokens around the change with
                              REF, masked, in nats, the mean of the strands; for
                              an insertion or deletion per base */
    BIRD_SCORE_LL_ALT,   /* the same with this ALT */
    BIRD_SCORE_LLR,      /* ll_alt - ll_ref */
    BIRD_SCORE_DISTANCE, /* L2 distance of the mean hidden states of both
                              windows, the mean of the strands */
    BIRD_SCORE_DISTANCE_E, /* e and z of the distance */
    BIRD_SCORE_DISTANCE_Z,
    /* Of a noise bar, over its replicates: */
    BIRD_SCORE_SD,          /* standard deviation of diff, or of llr */
    BIRD_SCORE_AGREEMENT,   /* share of replicates with the sign of the mean */
    BIRD_SCORE_LOGIT_SD,    /* standard deviation of logit */
    BIRD_SCORE_DISTANCE_SD, /* standard deviation of distance */
    /* Of a model of labels or values and a second, masked-language model: */
    BIRD_SCORE_COMBINED, /* mean of 1 - e of diff, llr and distance, each from
                            the background of its model */
    /* Of a model of measured values whose folder has a motif_weight: */
    BIRD_SCORE_EFFECT, /* diff plus motif_weight times the score "motif", in
                          the unit of the values */
    BIRD_SCORES
};
/** "p_ref", "p_alt", "diff", "logit", "e", "z", "deepsea_effect", "ll_ref",
 *  "ll_alt", "llr", "distance", "distance_e", "distance_z", "sd", "agreement",
 *  "logit_sd", "distance_sd", "combined", "effect"; or NULL. */
BIRD_API const char *bird_variant_score_name(int score);

/*
 * The score "motif" is not in this list: an allele has one, not one for each
 * feature, and it needs no model. With S(m, h) the highest score of motif m
 * (log2 of the ratio of frequencies, bits) among the windows of haplotype h, on
 * either strand, that overlap the change, and t(m) the lowest score that at most
 * 5e-4 of all words reach, it is the sum over motifs of
 *
 *     d(m) = max(0, S(m, ALT) - t(m)) - max(0, S(m, REF) - t(m))
 *
 * Positive: ALT has more or stronger matches. Beside it are the motif with the
 * largest |d(m)|, and whether the model's main score (of the feature where it
 * is largest) has the same sign: "same", "against", or "none" (no match
 * changes). docs/math/variant-scores.md.
 */

/** Largest number of shifts of a noise bar, and its size as text. */
#define BIRD_SHIFTS      32
#define BIRD_SHIFTS_TEXT (BIRD_SHIFTS * 12 + 1)

/** Takes a sentence as soon as it is known: on contig names, or a warning. */
typedef void bird_message_call(void *context, const char *sentence);

/** How ALT is tokenized where tokens have several bases, and which windows a
 *  change of length has. */
enum bird_variant_tokens {
    BIRD_TOKENS_AUTO,     /* as in the model's background; else BOTH */
    BIRD_TOKENS_BOTH,     /* the mean of two directions: ALT on the tokens of
                             REF's window, and REF on those of ALT's window.
                             Exchanging REF and ALT changes only the sign */
    BIRD_TOKENS_ANCHORED, /* ALT keeps the tokens of REF's window outside of the
                             change */
    BIRD_TOKENS_FREE      /* each window is tokenized by itself */
};

/** How windows are scored, by a model of labels or a masked-language model
 *  (zero-shot); the same for every command on variants. */
typedef struct bird_variant_params {
    const char *model;       /* folder; NULL: BIRD_MODEL_OF_ALLELES, of
                                bird_attribute_run() `regulatory` */
    const char *fasta;       /* the reference */
    int64_t window_bp;       /* 0: that of the model's background, else the
                                model's; a region in one window: the model's */
    int64_t shift_bp;        /* moves the window right by so many bases */
    const char *shifts;      /* noise bar: shifts separated by commas, "0,7,14".
                           Every allele is scored in a window of each shift on
                           each strand; scores are means. "0": one window.
                           "0,4/1,2,3": shifts behind a slash are for changes of
                           length alone. "0,7,14/5d", for models whose rows or
                           bins have several bases: an insertion or deletion of
                           d bases has five windows, moved by 0, d, ... 4d bases
                           modulo the bases of a row or bin. NULL
                           or "auto": one window if shift_bp is given; else as
                           in the model's background (a new background as in
                           the one that it replaces); else 0,7,14/5d for models
                           that predict bins, 0,7,14 if tokens depend on the
                           start of the window (tokens of several bases, a stem
                           that pools), or one window if not */
    double max_unknown;      /* share of N above which a window is not scored */
    enum bird_strand strand; /* BOTH: their mean; PLUS or MINUS */
    int64_t span_bp; /* for models that answer in bins: bins within so many
                        bases of REF are read; -1: 500 */
    enum bird_variant_tokens tokens;
    enum bird_precision precision; /* float32 */
    bird_message_call *tell; /* takes messages before scoring begins; or NULL */
    void *tell_context;
} bird_variant_params;

typedef struct bird_variant_options {
    bird_variant_params params;
    const char *variants; /* VCF or BCF, or "-" */
    const char *output;   /* NULL or "-": standard output */
    const char *format;   /* of bird_track_formats(BIRD_TRACK_VARIANT); NULL: by
                             the ending of the output's name; no ending: VCF */
    int index;            /* 1: index the output */
    int no_version;       /* 1: no provenance lines */
    int drop_genotypes;
    int resume;        /* 1: continue an interrupted run */
    int force;         /* 1: start again where an interrupted run has left
                          output.partial; 0: refuse to, BIRD_EINVAL */
    const char *shard; /* "2/3": the second of three parts with about equally
                          many records of a file; or NULL. VCF and BCF have a
                          header in each part (bcftools concat --naive); of
                          other formats only the first part has a header, and
                          all parts joined are the whole output */
    int long_rows;     /* TSV: 1: a row for each allele and feature */
    enum bird_ref_policy check_ref;
    const char *table;      /* indexed table of bird_mutate_run(): its alleles
                               are not computed again; or NULL */
    const char *zero_shot;  /* folder of a masked-language model with a
                               background, for the score "combined"; or NULL */
    const char *contig_map; /* table of contig names, or NULL */
    const char *genes;      /* BED, GTF or GFF3: the gene with the nearest
                               transcription start site to each record, and
                               the distance to it; or NULL */
    const char *region;     /* bird_regions_parse(), "chr:7" is one base; or
                               NULL: all. Records overlap a region by END or
                               REF. The input's index is used if there is one */
    const char *regions;    /* BED, or NULL; in addition to region */
    const char *features;   /* bird_features_select(); NULL: summaries */
    const char *scores;     /* names separated by commas; NULL: as the format.
                               "motif", below, is one; if it is the only one no
                               model is opened */
    const char *motifs;     /* motifs of the score "motif": a file in TRANSFAC,
                           JASPAR or MEME format; "jaspar": those that come
                           with dnabird; "none": not scored. Without `scores` a
                           file or "jaspar" adds "motif" to the other scores;
                           NULL: "jaspar" if `scores` has "motif" */
    int64_t top;            /* number of features in the summary; 3 */
    const char *prefix;     /* of INFO fields; NULL: "BIRD". Fields with this
                               prefix are replaced, others are kept */
    const char *label;   /* before names of columns; NULL: the model's name */
    const char *command; /* for the provenance lines; or NULL */
    bird_progress_call *progress; /* of records; or NULL */
    void *progress_context;
} bird_variant_options;

BIRD_API void bird_variant_options_default(bird_variant_options *o);

/** Check the options by themselves. Errors: BIRD_EINVAL */
BIRD_API BIRD_MUST_CHECK int bird_variant_check(const bird_variant_options *o);

/** Counts of a run. The sum of `status` without NO_ALT is n_allele. */
typedef struct bird_variant_summary {
    int64_t n_record;  /* read, including those of a run that was resumed */
    int64_t n_outside; /* of these outside the regions */
    int by_index;      /* 1: the input's index was used */
    int64_t n_allele;  /* ALT alleles */
    int64_t status[BIRD_VARIANT_STATUSES]; /* alleles, and records NO_ALT */
    int64_t n_free;     /* alleles that had to be tokenized by themselves */
    int64_t n_sequence; /* sequences (strands) that this run computed */
    int64_t n_cached;   /* sequences whose answer was cached */
    int64_t n_table;    /* alleles taken from the table */
    int64_t n_trimmed;  /* sequences cut to the tokens that the model reads */
    int64_t n_moved;    /* alleles scored in a window moved by a contig's end */
    int64_t n_cut; /* alleles on contigs shorter than the window: no e and z */
    int64_t n_resumed;        /* records that an earlier run wrote */
    int64_t n_resumed_allele; /* alleles of these */
    int64_t window_bp, n_feature;
    int64_t n_motif;     /* motifs of the score "motif"; 0: not scored */
    int64_t n_replicate; /* windows times strands of the noise bar; 0: none */
    char shifts[BIRD_SHIFTS_TEXT],
        tokens[16]; /* as used: "0,7,14"; "both" ... */
    int calibrated; /* 1: e-values and z were written */
    int likelihood; /* 1: by a masked-language model: scores are of
                       log-likelihoods */
    int indexed;    /* 1: an index was made */
    char model[80], digest[65];
    char contigs[512]; /* "20 is chr20": different names; or "" */
    char build[512];   /* warning about contig lengths, or "" */
    char notice[1024]; /* further messages, or "" */
} bird_variant_summary;

/**
 * Score every allele and write the output, in the order of the input.
 *
 * Memory does not grow with the number of records. The bytes of the output
 * depend on input, model and options, not on the number of threads, nor on
 * where a run was interrupted and resumed.
 *
 * Owner   texts of o are borrowed for the call; *out is untouched on failure
 * Errors  BIRD_EINVAL options; BIRD_EIO, BIRD_EFORMAT, BIRD_ERANGE input (also
 *         a REF that differs from the reference, with BIRD_REF_ERROR);
 *         BIRD_EUNSUPPORTED what BCF cannot hold; BIRD_ENOMEM;
 *         BIRD_ECANCELED. After an error there is no output.
 *
 * @param out NULL when not wanted
 */
BIRD_API BIRD_MUST_CHECK int bird_variant_run(bird_variant_summary *out,
                                              const bird_variant_options *o);

/** The summary as a JSON object in a file ("-": standard output; names as in
 *  docs/formats.md). Errors: BIRD_EIO, BIRD_ENOMEM */
BIRD_API BIRD_MUST_CHECK int
bird_variant_summary_write(const char *path, const bird_variant_summary *s,
                           double seconds);

/** Options of a background for e-values and z; fill with the default. */
typedef struct bird_background_options {
    bird_variant_params params;
    const char *variants; /* VCF or BCF whose alleles are scored; NULL: random
                             single-base changes */
    const char *regions;  /* BED with the positions of random changes; NULL: all
                             contigs */
    int64_t n;            /* random single-base changes, a third of them CpG
                             transitions, other transitions, transversions;
                             100,000 */
    int64_t n_other;      /* random changes of every other class (several bases,
                             insertions, deletions, by length and repeat:
                             docs/math/variant-scores.md); 0: these have no e
                             and z; -1: n / 10 */
    uint64_t seed;        /* 1 */
    const char *output;   /* NULL: calibration.safetensors of the model */
    bird_progress_call *progress; /* of variants; or NULL */
    void *progress_context;
} bird_background_options;

BIRD_API void bird_background_options_default(bird_background_options *o);

typedef struct bird_background_summary {
    int64_t n;                 /* variants scored */
    int64_t n_feature, n_left; /* alleles that could not be scored */
    int64_t n_sequence;
    int64_t window_bp;
    char path[512]; /* of the file that was written */
    char about[512];
    char model[80], digest[65];
    char build[512], notice[1024]; /* warnings, sentences; or "" */
} bird_background_summary;

/**
 * Score a set of variants and keep the quantiles in the model folder.
 *
 * Memory: 8 bytes for each variant and feature.
 * Errors: as above; BIRD_EINVAL no allele could be scored
 */
BIRD_API BIRD_MUST_CHECK int
bird_variant_background(bird_background_summary *out,
                        const bird_background_options *o);

/** As bird_variant_summary_write(). */
BIRD_API BIRD_MUST_CHECK int
bird_background_summary_write(const char *path,
                              const bird_background_summary *s, double seconds);

/* --- golden alleles ------------------------------------------------------ */

/**
 * Add golden alleles to the selftest.tsv of a model folder: 5 changes (of one
 * base, of two, an insertion, a deletion) in each of 4 pieces of a FASTA file,
 * with their scores in float32 in one window, ALT anchored: differences of up
 * to 16 labels, or for a masked-language model the log-likelihood ratio and the
 * distance. Nothing is added for a model that scores no changes. Call it after
 * bird_export() with `selftest`, which writes the file.
 *
 * Errors  those of opening both; BIRD_EFORMAT not enough known bases, or NaN
 */
BIRD_API BIRD_MUST_CHECK int bird_variant_selftest_write(const char *folder,
                                                         const char *fasta);

/**
 * Compute them again, as bird_model_selftest() does sequences: n_seq counts
 * alleles, and is 0 where the file has none.
 *
 * Errors  those of opening a model, with its checksums; BIRD_EINVAL there is no
 *         selftest.tsv; BIRD_EFORMAT it is damaged
 */
BIRD_API BIRD_MUST_CHECK int
bird_variant_selftest(bird_selftest *out, const char *folder,
                      enum bird_precision precision);

/* --- attribute ----------------------------------------------------------- */

/*
 * The contribution of each base of a region to an answer, by the backward pass:
 * a value for each base from few passes through the model, while mutate takes
 * three passes for each base.
 *
 * f is the log odds of one feature in the window around the region: ln(p /
 * (1 - p)) with p the mean of the strands' probabilities; for models that
 * answer in bins the mean of the log odds over the bins that mutate reads for
 * the region. With E the word embeddings, m their mean over A, C, G and T, and
 * x(t) the embedding of token t of the window,
 *
 *     gradient     a(t, v) = df/dx(t) . (E(v) - m)
 *     integrated   the same with the mean of df/dx(t) at n midpoints between a
 *                  window of m alone and x
 *
 * and the attribution of a base is a(t, v) for the base v of the sequence. The
 * attributions of `integrated` sum to f(x) - f(m) over the window as n grows
 * (Sundararajan, Taly and Yan 2017, arXiv:1703.01365, eq. 3). Where words have
 * several bases, a word has one value, m is the mean over all words of A, C, G
 * and T, and the words of the strands differ. docs/math/attribution.md.
 */
enum bird_attribute_method {
    BIRD_ATTRIBUTE_GRADIENT,
    BIRD_ATTRIBUTE_INTEGRATED,
    BIRD_ATTRIBUTE_METHODS
};

/** Largest number of midpoints, and longest region in bp. */
#define BIRD_ATTRIBUTE_STEPS 4096
#define BIRD_ATTRIBUTE_MOST  (INT64_C(1) << 20)

typedef struct bird_attribute_options {
    bird_variant_params params; /* in float32; no shifts, no tokens */
    const char *region;         /* as of bird_mutate_options, or NULL */
    const char *regions;        /* BED, or NULL; in addition to region */
    const char *output;         /* NULL or "-": standard output */
    const char *format; /* of bird_track_formats(BIRD_TRACK_ATTRIBUTE); NULL: by
                           the output's name */
    int method;         /* enum bird_attribute_method */
    int64_t steps;      /* midpoints of `integrated`; -1: 32 */
    int index;          /* 1: index the output */
    int no_version;
    const char *features; /* bird_features_select() of one; NULL: of a model
                             with one */
    const char *command;  /* for the provenance lines; or NULL */
    bird_progress_call *progress; /* of bases; or NULL */
    void *progress_context;
} bird_attribute_options;

/** The gradient, TSV to standard output. */
BIRD_API void bird_attribute_options_default(bird_attribute_options *o);

typedef struct bird_attribute_summary {
    int64_t n_region, n_base;      /* bases of the regions */
    int64_t n_scored;              /* of these in a word with a value */
    int64_t n_forward, n_backward; /* sequences (strands) in each pass */
    int64_t window_bp;
    int64_t steps;          /* 0: the gradient */
    double at, at_baseline; /* f(x) and f(m), means over the regions with
                               values; NAN without any; f(m) is NAN without
                               steps */
    double sum;             /* of the attributions of a window, the same mean */
    double completeness;    /* the largest |sum - (f(x) - f(m))| / |f(x) - f(m)|
                            of a region; NAN without steps */
    int is_short;           /* 1: a contig is shorter than the window */
    char model[80], digest[65];
    char build[512], notice[1024]; /* warnings, sentences; or "" */
} bird_attribute_summary;

/**
 * Compute attributions and write them for the bases, or words, of the regions.
 *
 * Memory  the activations of a training pass over a window on both strands
 * Errors  BIRD_EINVAL options, a region that does not fit, several features;
 *         BIRD_EUNSUPPORTED an attention map without gradient; BIRD_ERANGE no
 *         such region; those of bird_variant_run(). After an error there is no
 *         output.
 */
BIRD_API BIRD_MUST_CHECK int
bird_attribute_run(bird_attribute_summary *out,
                   const bird_attribute_options *o);

/** As bird_variant_summary_write(). */
BIRD_API BIRD_MUST_CHECK int
bird_attribute_summary_write(const char *path, const bird_attribute_summary *s,
                             double seconds);

/* --- mutate -------------------------------------------------------------- */

/*
 * Every single-base change of a region (in-silico saturation mutagenesis).
 */

/** Longest region in bp, and largest number of bases times features (512
 * MiB). */
#define BIRD_MUTATE_MOST  (INT64_C(1) << 20)
#define BIRD_MUTATE_CELLS (INT64_C(1) << 24)

typedef struct bird_mutate_options {
    bird_variant_params params;
    const char *region;  /* bird_regions_parse(), "chr:7" to the contig's end;
                           in the order given. SVG: one region; bedGraph:
                           regions that do not overlap */
    const char *regions; /* BED, or NULL; in addition to region. Regions may
                            have any length, and are merged and sorted;
                            with `each` alone */
    const char *output;  /* NULL or "-": standard output */
    const char *format;  /* of bird_track_formats(BIRD_TRACK_MUTATE); NULL: by
                            the output's name; with `regions` a table instead
                            of a matrix. A table has a row for each allele;
                            with `each` alone */
    int index;           /* 1: index the output */
    int resume;          /* tables: 1: continue an interrupted run */
    int force;           /* tables: as of bird_variant_options */
    const char *shard;   /* tables: "2/3", the second of three parts with about
                            equally many bases; the first part has the header,
                            and all parts joined are the whole table; or NULL */
    int mean;            /* tracks: 1: the mean of the three changes of a base;
                            0: the largest */
    int each;  /* 1, the default: every change is scored in its own window, as
                  `variant` does; 0: all in one window around the region, into
                  which the region must fit */
    int score; /* enum bird_variant_score, but p_ref, p_alt, ll_ref, ll_alt,
                  combined and effect; -1: DIFF, or LLR of a masked-language model */
    int no_version;
    const char *features; /* bird_features_select(); NULL: all. One for
                             bedGraph and SVG */
    const char *motifs;   /* SVG: mark the motifs of this file, in TRANSFAC,
                             JASPAR or MEME format; "jaspar": those that come
                             with dnabird; "none" or NULL: none */
    double motif_p;       /* largest p-value of a marked motif; 1e-5 */
    const char *command;  /* for the provenance lines; or NULL */
    bird_progress_call *progress; /* of bases; or NULL */
    void *progress_context;
    bird_message_call *tell; /* tables: expected size and time; or NULL */
    void *tell_context;
} bird_mutate_options;

/** Every change in its own window, differences, TSV to standard output, JASPAR's
 *  motifs. */
BIRD_API void bird_mutate_options_default(bird_mutate_options *o);

typedef struct bird_mutate_summary {
    int64_t n_base;     /* of the regions */
    int64_t n_scored;   /* of these A, C, G or T with scores */
    int64_t n_sequence; /* sequences (strands) that this run computed */
    int64_t n_feature;  /* selected */
    int64_t n_row;      /* of a table, including those of a resumed run */
    int64_t n_resumed;  /* bases that an earlier run wrote */
    int64_t window_bp;
    int is_short; /* 1: a contig is shorter than the window */
    char model[80], digest[65];
    char build[512], notice[1024]; /* warnings, sentences; or "" */
} bird_mutate_summary;

/**
 * Score all changes and write them.
 *
 * Errors  BIRD_EINVAL options, a region that does not fit; BIRD_ERANGE no such
 *         region; those of bird_variant_run(). After an error there is no
 *         output.
 */
BIRD_API BIRD_MUST_CHECK int bird_mutate_run(bird_mutate_summary *out,
                                             const bird_mutate_options *o);

/** As bird_variant_summary_write(). */
BIRD_API BIRD_MUST_CHECK int
bird_mutate_summary_write(const char *path, const bird_mutate_summary *s,
                          double seconds);

BIRD_END_C

#endif
