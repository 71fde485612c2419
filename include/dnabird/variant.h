/**
 * What alleles do: probabilities of a window with REF and with ALT, for every
 * allele of a VCF, as an annotated VCF or a table.
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

/** What became of an allele. The first two have scores. */
enum bird_variant_status {
    BIRD_VARIANT_OK,
    BIRD_VARIANT_SWAPPED,      /* ALT is what the reference has; scored */
    BIRD_VARIANT_REF_MISMATCH, /* REF is not what the reference has */
    BIRD_VARIANT_NO_CHANGE,    /* REF and ALT are the same bases */
    BIRD_VARIANT_AMBIGUOUS,    /* N or a letter for several bases */
    BIRD_VARIANT_SYMBOLIC,     /* <DEL> and the like, breakends */
    BIRD_VARIANT_SPANNED,      /* *: another record deletes the place */
    BIRD_VARIANT_MALFORMED,    /* not bases */
    BIRD_VARIANT_TOO_LONG,     /* longer than the window, or too many tokens */
    BIRD_VARIANT_MANY_N,       /* too many N in the window */
    BIRD_VARIANT_OFF_END,      /* before or behind the contig */
    BIRD_VARIANT_NO_CONTIG,    /* the reference has no such contig */
    BIRD_VARIANT_NO_ALT,       /* a record without ALT */
    BIRD_VARIANT_NO_TOKEN,     /* masked-language models: the vocabulary has no
                                  token for what the change touches */
    BIRD_VARIANT_STATUSES
};

/** "OK", "REF_MISMATCH" ...; NULL when there is none of that number. */
BIRD_API const char *bird_variant_status_name(int status);

/** What to do where REF is not what the reference has. */
enum bird_ref_policy {
    BIRD_REF_ERROR, /* stop */
    BIRD_REF_WARN,  /* go on, and count it in the notices */
    BIRD_REF_SKIP,  /* go on */
    BIRD_REF_SWAP   /* score the ALT that the reference has, the sign turned */
};

/** Numbers of an allele and a feature. */
enum bird_variant_score {
    BIRD_SCORE_P_REF,
    BIRD_SCORE_P_ALT,
    BIRD_SCORE_DIFF,    /* p_alt - p_ref */
    BIRD_SCORE_LOGIT,   /* difference of ln(p / (1 - p)), p within 1e-7 of 0
                           and 1 */
    BIRD_SCORE_E,       /* (1 + larger) / (n + 1) of a background of n */
    BIRD_SCORE_Z,       /* diff / root mean square of the background */
    BIRD_SCORE_DEEPSEA, /* |diff| |logit|, as in 2015 */
    /* Of masked-language models, whose e and z are those of llr: */
    BIRD_SCORE_LL_REF,     /* log-likelihood of what the change touches with
                              REF, in nats, the mean of the strands; of a change
                              of length per base */
    BIRD_SCORE_LL_ALT,     /* and with this ALT */
    BIRD_SCORE_LLR,        /* ll_alt - ll_ref */
    BIRD_SCORE_DISTANCE,   /* L2 distance of the mean hidden states of both
                              windows, the mean of the strands */
    BIRD_SCORE_DISTANCE_E, /* e and z of the distance */
    BIRD_SCORE_DISTANCE_Z,
    /* Of a noise bar, over its draws: */
    BIRD_SCORE_SD,          /* standard deviation of diff, or of llr */
    BIRD_SCORE_AGREEMENT,   /* share of them with the sign of their mean */
    BIRD_SCORE_LOGIT_SD,    /* standard deviation of logit */
    BIRD_SCORE_DISTANCE_SD, /* and of distance */
    /* Of a model of labels with a masked-language model besides: */
    BIRD_SCORE_COMBINED, /* mean of 1 - e of diff, llr and distance, each among
                            its own model's background */
    BIRD_SCORES
};
/** "p_ref", "p_alt", "diff", "logit", "e", "z", "deepsea_effect", "ll_ref",
 *  "ll_alt", "llr", "distance", "distance_e", "distance_z", "sd", "agreement",
 *  "logit_sd", "distance_sd", "combined"; or NULL. */
BIRD_API const char *bird_variant_score_name(int score);

/** Shifts of a noise bar at most, and the bytes they take as text. */
#define BIRD_SHIFTS      32
#define BIRD_SHIFTS_TEXT (BIRD_SHIFTS * 12 + 1)

/** Told at once: a sentence on contig names, or a warning of another build. */
typedef void bird_message_call(void *context, const char *sentence);

/** How ALT is encoded where tokens have several bases, and how a change of
 *  length is cut. */
enum bird_variant_tokens {
    BIRD_TOKENS_AUTO,     /* as the model's background was made; else BOTH */
    BIRD_TOKENS_BOTH,     /* the mean of two ways: ALT on the tokens of REF's
                             window, REF on those of ALT's: exchanged alleles
                             have the same numbers with the other sign */
    BIRD_TOKENS_ANCHORED, /* ALT on the tokens of REF's window */
    BIRD_TOKENS_FREE      /* each by itself */
};

/** How windows are scored, by a model of probabilities or a masked-language
 *  model, whose scores need no labels; the same for every command on variants. */
typedef struct bird_variant_params {
    const char *model;  /* folder; NULL: the shipped one */
    const char *fasta;  /* the reference */
    int64_t window_bp;  /* 0: the model's */
    int64_t shift_bp;   /* windows lie so much further right */
    const char *shifts; /* noise bar: shifts between commas, "0,7,14": every
                           allele has a window of each on each strand, scores
                           are their means. "0": one window. NULL or "auto":
                           with shift_bp none; else as the model's background
                           was made; else 0,7,14 where what the model reads has
                           a frame (tokens of several bases, a stem that
                           pools), and none where it has not */
    double max_unknown; /* share of N above which a window is not scored */
    enum bird_strand strand; /* BOTH: their mean; PLUS or MINUS */
    int64_t span_bp; /* of models that answer in bins: how far to either side
                        of what is replaced they are read; -1: 500 */
    enum bird_variant_tokens tokens;
    enum bird_precision precision; /* float32 */
    bird_message_call *tell; /* what there is to say before it begins: what the
                                noise bar costs; or NULL */
    void *tell_context;
} bird_variant_params;

typedef struct bird_variant_options {
    bird_variant_params params;
    const char *variants; /* VCF or BCF, or "-" */
    const char *output;   /* NULL or "-": standard output */
    const char *format;   /* of bird_track_formats(BIRD_TRACK_VARIANT); NULL:
                             by the output's name, which must have an ending
                             of theirs, or none: VCF */
    int index;            /* 1: index the output */
    int no_version;       /* 1: no provenance lines */
    int drop_genotypes;
    int resume;        /* 1: go on where an interrupted run stopped */
    const char *shard; /* "2/3": the second of three parts of about as many
                          records, of a file; or NULL. VCF and BCF have the
                          header in each (bcftools concat --naive); of other
                          formats the first alone has it, and one behind the
                          other they are the whole */
    int long_rows;     /* TSV: a row an allele and feature */
    enum bird_ref_policy check_ref;
    const char *table;      /* of bird_mutate_run() with regions, indexed: what
                               it has is not computed; or NULL */
    const char *zero_shot;  /* folder of a masked-language model with a
                               background, for the score "combined"; or NULL */
    const char *contig_map; /* table of contig names, or NULL */
    const char *region;     /* bird_regions_parse(), "chr:7" is one base; or
                               NULL: all. A record that overlaps one by END or
                               REF counts. By the input's index if it has one */
    const char *regions;    /* BED, or NULL; beside region: both */
    const char *features;   /* bird_features_select(); NULL: summaries */
    const char *scores;     /* names between commas; NULL: by the form */
    int64_t top;            /* features that the summary names; 3 */
    const char *prefix;     /* of VCF's fields; NULL: "BIRD". What is there
                               under it is replaced, the rest stays */
    const char *label;      /* stands before names of columns; NULL: the
                               model's */
    const char *command;    /* for the provenance lines; or NULL */
    bird_progress_call *progress; /* of records; or NULL */
    void *progress_context;
} bird_variant_options;

BIRD_API void bird_variant_options_default(bird_variant_options *o);

/** Do the options make sense by themselves? Errors: BIRD_EINVAL. */
BIRD_API BIRD_MUST_CHECK int bird_variant_check(const bird_variant_options *o);

/** What a run did: alleles are the sum of `status` but NO_ALT. */
typedef struct bird_variant_summary {
    int64_t n_record;  /* read, of the run that it goes on from too */
    int64_t n_outside; /* of them outside the regions: left out */
    int by_index;      /* 1: the input's index was used: few others were read */
    int64_t n_allele;  /* ALT alleles */
    int64_t status[BIRD_VARIANT_STATUSES]; /* alleles, and records NO_ALT */
    int64_t n_free;     /* alleles tokenized by themselves, unasked */
    int64_t n_sequence; /* sequences computed, a strand each, in this run */
    int64_t n_cached;   /* sequences whose tokens had come before */
    int64_t n_table;    /* alleles taken from the table */
    int64_t n_trimmed;  /* sequences cut to the tokens the model reads */
    int64_t n_moved;    /* alleles scored in a window moved by a contig's end */
    int64_t n_cut; /* and in one that is as short as the contig: no e and z */
    int64_t n_resumed;        /* records that an earlier run had written */
    int64_t n_resumed_allele; /* and their alleles */
    int64_t window_bp, n_feature;
    int64_t n_replicate; /* windows times strands of the noise bar; 0: none */
    char shifts[BIRD_SHIFTS_TEXT],
        tokens[16]; /* "0,7,14"; "both" ...; what was taken */
    int calibrated; /* 1: e-values and z were written */
    int likelihood; /* 1: by a masked-language model: scores are of
                       log-likelihoods */
    int indexed;    /* 1: an index was made */
    char model[80], digest[65];
    char contigs[512]; /* "20 is chr20": names that differ; or "" */
    char build[512];   /* a warning: contig lengths differ; or "" */
    char notice[1024]; /* further sentences, or "" */
} bird_variant_summary;

/**
 * Score every allele and write the output, in the order of the input.
 *
 * Memory is bounded whatever the number of records. Output bytes are a
 * function of input, model and options, not of the number of threads, nor of
 * where a run was interrupted and resumed.
 *
 * Owner   texts of o are borrowed for the call; *out is untouched on failure
 * Errors  BIRD_EINVAL options; BIRD_EIO, BIRD_EFORMAT, BIRD_ERANGE input (also
 *         a REF that the reference does not have, with BIRD_REF_ERROR);
 *         BIRD_EUNSUPPORTED what BCF cannot hold; BIRD_ENOMEM;
 *         BIRD_ECANCELED. No output of that name appears.
 */
BIRD_API BIRD_MUST_CHECK int bird_variant_run(bird_variant_summary *out,
                                              const bird_variant_options *o);

/** The summary as a JSON object in a file ("-": standard output; names as in
 *  docs/formats.md). Errors: BIRD_EIO, BIRD_ENOMEM */
BIRD_API BIRD_MUST_CHECK int
bird_variant_summary_write(const char *path, const bird_variant_summary *s,
                           double seconds);

/** A background for e-values and z: fill with its default. */
typedef struct bird_background_options {
    bird_variant_params params;
    const char *variants; /* VCF or BCF whose alleles are scored; NULL: random
                             single-base changes */
    const char *regions;  /* BED where random ones lie; NULL: all contigs */
    int64_t n;            /* random ones; 100,000 */
    int64_t n_other;      /* of every other class of changes (several bases,
                        insertions, deletions, each by length: docs/math/
                        variant-scores.md), which have e and z of their own
                        class then; -1: n / 10 with a masked-language model,
                        else 0, and e and z of all are of single bases */
    double transitions;   /* share of A<>G and C<>T among them; 2/3 */
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
    char path[512]; /* written */
    char about[512];
    char model[80], digest[65];
    char build[512], notice[1024]; /* warnings, sentences; or "" */
} bird_background_summary;

/**
 * Score a set of variants and keep the quantiles in the model folder.
 *
 * Memory: 4 bytes a variant and feature.
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
 * Add golden alleles to the selftest.tsv of a model folder: of 4 pieces of a
 * FASTA file 5 changes each (of one base, of two, an insertion, a deletion),
 * with what bird_variant_run() makes of them in float32 in one window, ALT
 * anchored: differences of up to 16 labels, or of a masked-language model the
 * log-likelihood ratio and the distance. Nothing is added for a model that
 * scores no changes. Call it after bird_export() with `selftest`, which writes
 * the file.
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
 * What each base of a region has to do with an answer, by the backward pass: a
 * number a base of few passes through the model, where mutate takes three
 * passes a base.
 *
 * Attributed is f, the log odds of one feature in the window around the region:
 * ln(p / (1 - p)) with p the mean of the strands' probabilities; of models that
 * answer in bins the mean of it over the bins that mutate would read for the
 * region. With E the word embeddings, m their mean over A, C, G and T, and x(t)
 * the embedding at place t of the window,
 *
 *     gradient     a(t, v) = df/dx(t) . (E(v) - m)
 *     integrated   the same of the mean of df/dx(t) at n midpoints between a
 *                  window of m alone and x
 *
 * and the attribution of a base is a(t, v) of the base v that is there. Over
 * the window those of `integrated` add up to f(x) - f(m) as n grows
 * (Sundararajan, Taly and Yan 2017, arXiv:1703.01365, eq. 3). Where words have
 * several bases a word has one number, m is over all words of A, C, G and T,
 * and each strand has words of its own. docs/math/attribution.md.
 */
enum bird_attribute_method {
    BIRD_ATTRIBUTE_GRADIENT,
    BIRD_ATTRIBUTE_INTEGRATED,
    BIRD_ATTRIBUTE_METHODS
};

/** Midpoints at most, and the longest region, in bp. */
#define BIRD_ATTRIBUTE_STEPS 4096
#define BIRD_ATTRIBUTE_MOST  (INT64_C(1) << 20)

typedef struct bird_attribute_options {
    bird_variant_params params; /* in float32; no shifts, no tokens */
    const char *region;         /* as of bird_mutate_options, or NULL */
    const char *regions;        /* BED, or NULL; beside region: both */
    const char *output;         /* NULL or "-": standard output */
    const char *format; /* of bird_track_formats(BIRD_TRACK_ATTRIBUTE), or NULL:
                           by the output's name */
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
    int64_t n_region, n_base; /* bases of the regions */
    int64_t n_scored;         /* of them in a word with a value, on a strand */
    int64_t n_forward, n_backward; /* sequences through each pass, a strand
                                      each */
    int64_t window_bp;
    int64_t steps;          /* 0: the gradient */
    double at, at_baseline; /* f(x) and f(m), means over regions; f(m) is NAN
                               without steps */
    double sum;          /* of the attributions of the whole window, its mean */
    double completeness; /* the largest |sum - (f(x) - f(m))| / |f(x) - f(m)|
                            of a region; NAN without steps */
    int is_short;        /* 1: a contig is shorter than the window */
    char model[80], digest[65];
    char build[512], notice[1024]; /* warnings, sentences; or "" */
} bird_attribute_summary;

/**
 * Attribute and write: of a region the bases, or words, that lie in it.
 *
 * Memory  of a window on both strands what training keeps of it
 * Errors  BIRD_EINVAL options, a region that does not fit, several features;
 *         BIRD_EUNSUPPORTED an attention map without gradient; BIRD_ERANGE no
 *         such region; those of bird_variant_run(). No output of that name
 *         appears.
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

/** Longest region, in bp, and most bases times features: 512 MiB. */
#define BIRD_MUTATE_MOST  (INT64_C(1) << 20)
#define BIRD_MUTATE_CELLS (INT64_C(1) << 24)

typedef struct bird_mutate_options {
    bird_variant_params params;
    const char *region;  /* bird_regions_parse(), "chr:7" to the contig's end;
                           in the order given. SVG: one; bedGraph: none may
                           overlap another */
    const char *regions; /* BED, or NULL; beside region: both, of any length,
                            merged and sorted, and `each` */
    const char *output;  /* NULL or "-": standard output */
    const char *format;  /* of bird_track_formats(BIRD_TRACK_MUTATE), or NULL:
                            by the output's name, with regions a table and no
                            matrix. A table has a row an allele, and `each` */
    int index;           /* 1: index the output */
    int resume;          /* tables: 1: go on where an interrupted run stopped */
    const char *shard;   /* tables: "2/3", the second of three parts of about
                            as many bases, of which the first has the header:
                            one behind the other they are the whole; or NULL */
    int mean;            /* tracks: 1: of the three changes of a base the mean,
                            not the largest */
    int each;  /* 1: every change in a window of its own, as `variant` scores
                   it; 0: all in one window around the region, which must fit
                   into it */
    int score; /* enum bird_variant_score, no p or ll; -1: DIFF, or LLR of a
                  masked-language model */
    int no_version;
    const char *features; /* bird_features_select(); NULL: all. One, for
                             bedGraph and SVG */
    const char *motifs;   /* SVG: mark the motifs of this file, TRANSFAC's or
                           JASPAR's format; "jaspar": those that come with
                           dnabird; "none" or NULL: none */
    double motif_p;       /* with p-values up to this; 1e-5 */
    const char *command;  /* for the provenance lines; or NULL */
    bird_progress_call *progress; /* of bases; or NULL */
    void *progress_context;
    bird_message_call *tell; /* tables: how large and how long; or NULL */
    void *tell_context;
} bird_mutate_options;

/** One window, differences, TSV to standard output, JASPAR's motifs. */
BIRD_API void bird_mutate_options_default(bird_mutate_options *o);

typedef struct bird_mutate_summary {
    int64_t n_base;     /* of the regions */
    int64_t n_scored;   /* of them A, C, G or T with scores */
    int64_t n_sequence; /* computed, a strand each, in this run */
    int64_t n_feature;  /* shown */
    int64_t n_row;      /* of a table, of the run that it goes on from too */
    int64_t n_resumed;  /* bases that an earlier run had written */
    int64_t window_bp;
    int is_short; /* 1: a contig is shorter than the window */
    char model[80], digest[65];
    char build[512], notice[1024]; /* warnings, sentences; or "" */
} bird_mutate_summary;

/**
 * Score all changes and write them.
 *
 * Errors  BIRD_EINVAL options, a region that does not fit; BIRD_ERANGE no such
 *         region; those of bird_variant_run(). No output of that name appears.
 */
BIRD_API BIRD_MUST_CHECK int bird_mutate_run(bird_mutate_summary *out,
                                             const bird_mutate_options *o);

/** As bird_variant_summary_write(). */
BIRD_API BIRD_MUST_CHECK int
bird_mutate_summary_write(const char *path, const bird_mutate_summary *s,
                          double seconds);

#endif
