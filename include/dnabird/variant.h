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
    BIRD_SCORES
};
/** "p_ref", "p_alt", "diff", "logit", "e", "z", "deepsea_effect"; or NULL. */
BIRD_API const char *bird_variant_score_name(int score);

/** Told at once: a sentence on contig names, or a warning of another build. */
typedef void bird_variant_tell(void *context, const char *sentence);

/** How windows are scored; the same for every command on variants. */
typedef struct bird_variant_params {
    const char *model;       /* folder; NULL: the shipped "chromatin" */
    const char *fasta;       /* the reference */
    int64_t window_bp;       /* 0: the model's */
    int64_t shift_bp;        /* windows lie so much further right */
    double max_unknown;      /* share of N above which a window is not scored */
    enum bird_strand strand; /* BOTH: their mean; PLUS or MINUS */
    int64_t span_bp; /* of models that answer in bins: how far to either side
                        of what is replaced they are read; -1: 500 */
    int free_tokens; /* 1: ALT is encoded by itself, not anchored on REF */
    enum bird_precision precision; /* float32 */
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
    int resume;    /* 1: go on where an interrupted run stopped */
    int long_rows; /* TSV: a row an allele and feature */
    enum bird_ref_policy check_ref;
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
    bird_variant_tell *tell; /* or NULL; the summary has the sentences too */
    void *tell_context;
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
    int64_t n_trimmed;  /* sequences cut to the tokens the model reads */
    int64_t n_moved;    /* alleles scored in a window moved by a contig's end */
    int64_t n_cut; /* and in one that is as short as the contig: no e and z */
    int64_t n_resumed;        /* records that an earlier run had written */
    int64_t n_resumed_allele; /* and their alleles */
    int64_t window_bp, n_feature;
    int calibrated; /* 1: e-values and z were written */
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

/* --- mutate -------------------------------------------------------------- */

/*
 * Every single-base change of a region (in-silico saturation mutagenesis).
 */

/** Longest region, in bp, and most bases times features: 512 MiB. */
#define BIRD_MUTATE_MOST  (INT64_C(1) << 20)
#define BIRD_MUTATE_CELLS (INT64_C(1) << 24)

typedef struct bird_mutate_options {
    bird_variant_params params;
    const char *region; /* bird_regions_parse(), "chr:7" to the contig's end;
                           in the order given. SVG: one; bedGraph: none may
                           overlap another */
    const char *output; /* NULL or "-": standard output */
    const char *format; /* of bird_track_formats(BIRD_TRACK_MUTATE), or NULL:
                           by the output's name */
    int each;  /* 1: every change in a window of its own, as `variant` scores
                   it; 0: all in one window around the region, which must fit
                   into it */
    int score; /* enum bird_variant_score, of DIFF on */
    int no_version;
    const char *features;         /* bird_features_select(); NULL: all. One, for
                             bedGraph and SVG */
    const char *command;          /* for the provenance lines; or NULL */
    bird_progress_call *progress; /* of bases; or NULL */
    void *progress_context;
} bird_mutate_options;

/** One window, differences, TSV to standard output. */
BIRD_API void bird_mutate_options_default(bird_mutate_options *o);

typedef struct bird_mutate_summary {
    int64_t n_base;     /* of the regions */
    int64_t n_scored;   /* of them A, C, G or T with scores */
    int64_t n_sequence; /* computed, a strand each */
    int64_t n_feature;  /* shown */
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
