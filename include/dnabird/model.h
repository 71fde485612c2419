/**
 * A model folder: configuration, weights, tokenizer, and dnabird's own files.
 *
 * It has Hugging Face's layout: config.json, weights, tokenizer.json, and
 * dnabird.json for the rest; docs/model-folder.md describes each.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_MODEL_H
#define DNABIRD_MODEL_H

#include <stdint.h>

#include "dnabird/error.h"

BIRD_BEGIN_C

typedef struct bird_model_init_options {
    const char *preset;    /* "tiny", "small", "base" or "large" (as
                              google/bigbird-roberta-large); "tiny" */
    const char *config;    /* a config.json instead, whose head is used; or
                              NULL */
    int64_t positions;     /* longest sequence in tokens; 0 = the preset's */
    const char *tokenizer; /* a tokenizer.json, which also gives the size of
                              the vocabulary; NULL: 32000 and no tokenizer */
    const char *pattern;   /* of the attention: "bigbird", "full", "window",
                              "etc", "strided", "fixed", "star" or "random",
                              with parameters "window,width=2,block=16"; NULL:
                              bigbird, or as config says */
    const char *random;    /* plan, zero, none or uniform; NULL: plan */
    const char *parts;     /* of the attention, with commas: "window,random";
                              NULL: global, window, random */
    uint64_t pattern_seed; /* seed of random blocks, up to 2^63 - 1; default
                              0 */
    const char *map;       /* of attention scores to probabilities: "softmax",
                              "topk:8", "sparsemax", "entmax:1.5",
                              "sparselin:0.5", "hardmax"; NULL: softmax */
    const char *stem;      /* convolutions before the encoder, "15x192/4,5x128":
                              layers of KERNELxCHANNELS, /POOL, + where the
                              input is added, :ACTIVATION, :plain without
                              LayerNorm; NULL: none */
    const char *motifs;    /* a file of motifs (JASPAR, MEME, TRANSFAC) or
                              "jaspar", of which three quarters of the stem's
                              first filters are made; NULL: all are random */
    int64_t layers;        /* of the encoder; -1: the preset's or config's */
    double branch_scale;   /* initial scale of the layers' branches, which is
                              then learned; NAN: none, a plain BigBird */
    const char *labels;    /* comma-separated names, "class:name" or "name",
                              or their number: a head of several labels;
                              NULL: the masked-language head */
    const char *head;      /* head of these labels, one of
                              bird_head_choice(); "cls" */
    int64_t bin_bp;        /* bases of a bin, for heads over bins; 200 */
    int64_t window_bp;     /* bases of the model's windows; 0: not specified */
    uint64_t seed;         /* 1 */
} bird_model_init_options;

BIRD_API void bird_model_init_options_default(bird_model_init_options *o);

/**
 * Make a folder with random weights and a masked-language head, or one for
 * labels.
 *
 * Weights depend only on the options, not on the number of threads.
 *
 * Errors  BIRD_EINVAL the folder holds a model already, an unknown preset or
 *         head, positions that are not a multiple of the block size; BIRD_EIO
 * Source  initial values as in the reference implementation: normal with
 *         standard deviation 0.02, biases 0, LayerNorm gains 1, the padding
 *         token's row 0
 */
BIRD_API BIRD_MUST_CHECK int bird_model_init(const char *folder,
                                             const bird_model_init_options *o);

/**
 * Name i of the heads that init and finetune make: "sequence" (as in
 * transformers), "pooled" (linear on the pooler, as in GENA-LM), "cls" (linear
 * on token 0, as in BigBird's paper) ...; NULL past the last.
 */
BIRD_API const char *bird_head_choice(int i);

/** The random blocks of sparse attention. */
enum bird_blocks {
    BIRD_BLOCKS_AS_MODEL, /* as the model folder says */
    BIRD_BLOCKS_PLAN,     /* the seeded plan, as transformers trains, and
                             evaluated up to 4.28 */
    BIRD_BLOCKS_ZERO,     /* block 0, as transformers evaluates since 4.29 */
    BIRD_BLOCKS_NONE      /* nothing */
};

/**
 * Precision of products in the encoder's linear layers and, with AVX512-BF16, of
 * attention (then bfloat16); the rest is float32.
 * bfloat16 and int8 need a build with oneDNN and a processor
 * for which it has the matrix product.
 */
enum bird_precision {
    BIRD_FLOAT32,
    BIRD_BFLOAT16,
    BIRD_INT8 /* weights rounded by output channel, activations by row */
};

/** "float32", "bfloat16" or "int8". */
BIRD_API const char *bird_precision_name(enum bird_precision p);

/** How to run a model, where it differs from its folder. */
typedef struct bird_model_run {
    enum bird_blocks blocks;
    int64_t pad_to;     /* 0: sequences are run at their own length. Else
                           they are padded to this many tokens with masked
                           padding, as in padded batches: attention is then
                           that of the padded length */
    int64_t token_type; /* token type of all tokens; -1: the model's */
    enum bird_precision precision; /* float32 */
} bird_model_run;

BIRD_API void bird_model_run_default(bird_model_run *r);

/**
 * A notice on the random blocks of a run, if its folder does not name them and
 * the release that wrote the folder decided.
 *
 * Owner   *out is the caller's, free(); NULL: no notice
 * Errors  BIRD_EIO, BIRD_EFORMAT, BIRD_EUNSUPPORTED of its two JSON files
 */
BIRD_API BIRD_MUST_CHECK int bird_model_notice(char **out, const char *folder,
                                               const bird_model_run *r);

/**
 * A notice on what transformers computes differently: since release 4.29 it
 * evaluates with block 0 instead of random blocks where attention is sparse,
 * and without token_type_ids it takes type 0.
 *
 * Owner   *out is the caller's, free(); NULL: it computes the same
 * Errors  those of bird_model_notice()
 */
BIRD_API BIRD_MUST_CHECK int bird_model_notice_transformers(char **out,
                                                            const char *folder);

/** Changes by bird_model_grow(); 0 and NULL: as in the model. */
typedef struct bird_model_grow_options {
    int64_t positions;   /* longest sequence in tokens, at least the model's */
    int64_t block_size;  /* tokens of a block of the attention */
    const char *pattern; /* of the attention, as of bird_model_init() */
    const char *random;  /* plan, zero, none or uniform */
    const char *parts;   /* of the attention, with commas: "global,window"; or
                           "full" */
    uint64_t pattern_seed; /* seed of random blocks; 0: the model's */
    const char *map;       /* of attention scores, as of bird_model_init() */
    int64_t widen;         /* factor for features and heads, 1 to 16 */
    int64_t layers;        /* layers of the encoder, more than the model's,
                              with random weights; -1: the model's */
    double branch_scale;   /* initial scale of the branches of added layers,
                              which is then learned (that of the model's own
                              layers begins at 1); 0: an added layer only
                              normalises; NAN: as the model */
} bird_model_grow_options;

BIRD_API void bird_model_grow_options_default(bird_model_grow_options *o);

/**
 * Make a folder with a model's weights for longer sequences, another attention
 * or more features, to train it further. Row p of the position embedding
 * becomes row p mod P of the model's P rows: within P positions, distances
 * between tokens are unchanged. With the pattern etc, g global tokens come
 * before [CLS] in the model's tokenizer: row p of the embedding becomes row g +
 * p, and the model reads g tokens more. In a wider model feature j is a copy of
 * feature j mod H of the model's H, and so are heads and hidden units; a weight
 * is divided at random among the copies of its input, so that the outputs stay
 * the same (except for random blocks, which differ from head to head) and the
 * copies can learn different features. Thresholds and calibration are left out,
 * since they were fitted to the old model.
 *
 * Errors  BIRD_EINVAL the folder holds a model already, fewer positions than
 *         the model has, positions that are not a multiple of the block size;
 *         those of opening a model
 * Source  repeating position embeddings: Beltagy et al. 2020, section 5
 *         (arXiv:2004.05150); copies of features: Chen et al. 2016, Net2Net,
 *         section 2.2 (arXiv:1511.05641)
 */
BIRD_API BIRD_MUST_CHECK int bird_model_grow(const char *folder,
                                             const char *model,
                                             const bird_model_grow_options *o);

/**
 * Path of a model that comes with dnabird: in $DNABIRD_DATA/models, the
 * installation's share/dnabird/models, or the source tree's data/models, the
 * first with a folder of this name. NULL: `regulatory`, the default of `chromatin`,
 * `attribute` and `embed`. The default of `promoter` is BIRD_MODEL_OF_STARTS, that of `variant`
 * and `mutate` BIRD_MODEL_OF_ALLELES.
 *
 * Owner   *out is the caller's, free()
 * Errors  BIRD_EIO not found; BIRD_EINVAL a name with a slash
 */
BIRD_API BIRD_MUST_CHECK int bird_default_model(char **out, const char *name);
#define BIRD_MODEL_OF_STARTS  "starts"
#define BIRD_MODEL_OF_ALLELES "activity"

/**
 * The models that come with dnabird, a line each: name, bytes, what it is for and
 * its path, between tabs.
 *
 * Owner   *out is the caller's, free()
 * Errors  BIRD_EIO the folder of models is missing; BIRD_ENOMEM
 */
BIRD_API BIRD_MUST_CHECK int bird_shipped_models(char **out);

/**
 * Description of a model folder: lines with a name, blanks and a value.
 *
 * Owner   *out is the caller's, free()
 * Errors  those of opening a model: BIRD_EIO, BIRD_EFORMAT, BIRD_EUNSUPPORTED
 */
BIRD_API BIRD_MUST_CHECK int bird_model_describe(char **out,
                                                 const char *folder);

/**
 * Compare the folder's files with the checksums in its dnabird.json, and the
 * weights with the configuration: for each a line with "OK" or the problem.
 *
 * Owner   *out is the caller's, free()
 * Errors  those of opening a model; BIRD_EINVAL no checksums are stored
 *
 * @param[out] n_wrong lines that are not OK
 */
BIRD_API BIRD_MUST_CHECK int bird_model_verify(char **out, int64_t *n_wrong,
                                               const char *folder);

/** Result of bird_model_selftest(). */
typedef struct bird_selftest {
    int64_t n_seq, n_agree; /* sequences; those whose answers all agree
                               within the tolerance */
    int64_t n_answer;       /* answers that were compared */
    double largest;         /* largest difference, relative to the answer or
                               to 1, whichever is larger; infinite: the model
                               returned NaN */
    double tolerance;       /* tolerance of the precision */
} bird_selftest;

/**
 * Recompute the golden answers in a folder's selftest.tsv
 * (docs/model-folder.md), which bird_export() writes.
 *
 * Errors  those of opening a model, except for checksums, which are not
 *         compared;
 *         BIRD_EINVAL no selftest.tsv; BIRD_EFORMAT it is damaged
 */
BIRD_API BIRD_MUST_CHECK int bird_model_selftest(bird_selftest *out,
                                                 const char *folder,
                                                 const bird_model_run *run);

/* --- import -------------------------------------------------------------- */

/*
 * Import of other models into a folder of dnabird.
 *
 * Every command opens Hugging Face's folders directly. An imported folder opens
 * faster and stores decisions: random blocks, token type, and how sequence is
 * cut into k-mers.
 */

typedef struct bird_import_options {
    bird_model_run run;  /* blocks and token_type are kept in dnabird.json;
                            pad_to is ignored */
    int bf16;            /* weights as bfloat16, rounded; else float32 */
    int64_t kmer_stride; /* > 0: the vocabulary holds k-mers with this
                            distance between their starts: tokenizer.json is
                            made from it */
    const char *vocab;   /* that vocabulary: a token on each line, or a JSON
                            object of tokens and ids; NULL: vocab.txt or
                            vocab.json of the folder */
    int no_special;      /* 1: no [CLS] and [SEP] around a sequence of k-mers */
} bird_import_options;

BIRD_API void bird_import_options_default(bird_import_options *o);

/** Summary of an import. */
typedef struct bird_import_summary {
    int64_t n_param, n_tensor;
    char weights[64]; /* name of the source's weights, or of their index */
    char blocks[8];   /* random blocks: plan, zero, none */
    char why[96];     /* source of that choice */
    int64_t n_token;  /* tokens of the tokenizer; 0: none */
    char notice[256]; /* a message for the user, or "" */
} bird_import_summary;

/**
 * Write the model of folder `from` as the new folder `to`: config.json,
 * model.safetensors, tokenizer.json, and dnabird.json with its origin. The
 * folder appears once it is complete.
 *
 * Errors  those of opening a model; BIRD_EINVAL `to` exists already, options
 *         that do not fit the model, a vocabulary without k-mers; BIRD_EIO
 */
BIRD_API BIRD_MUST_CHECK int bird_import(bird_import_summary *out,
                                         const char *from, const char *to,
                                         const bird_import_options *o);

/* --- export -------------------------------------------------------------- */

/*
 * Copies of a model folder: in another precision, compressed, or with
 * thresholds and facts that were measured later.
 */

typedef struct bird_export_options {
    int bf16;               /* weights as bfloat16, rounded to nearest even;
                               else float32 */
    int compress;           /* 1: model.safetensors.zst, which transformers
                               does not open; 0: model.safetensors */
    const char *thresholds; /* file of `evaluate scan --choose`, whose
                               stranded thresholds are added to the model; or
                               NULL */
    double default_rate;    /* false calls per Mb of the default threshold */
    const char *facts;      /* JSON object whose fields are added to
                               dnabird.json and replace existing ones, except
                               those that say how the model is computed; or
                               NULL */
    int encoder_only;       /* 1: only the plain BigBird, without stem and
                               head, scales of branches multiplied into the
                               weights: for inputs_embeds of transformers */
    const char *selftest;   /* FASTA file: 100 pieces of it and what the model
                               that is written answers go into selftest.tsv;
                               or NULL. bird_variant_selftest_write() adds
                               alleles to the folder that was written */
    int force;              /* replace a model that is there */
} bird_export_options;

/** Defaults: float32, not compressed, nothing added, 5 false calls per Mb. */
BIRD_API void bird_export_options_default(bird_export_options *o);

/**
 * Write the model of folder `from` as folder `to`, with its tokenizer and its
 * stored baselines, without the object `run` of dnabird.json, which describes a
 * training run. If the copy gives the same answers (weights as floats, or as
 * bfloat16 that they were already), selftest.tsv and calibration.safetensors
 * are copied, the latter for the copy's digest; else they are left out. The
 * folder appears as a whole with one rename: after a failure it does not exist,
 * or is unchanged. Without `force`, `to` must not exist or be an empty folder.
 * With `force` a model's folder is replaced as a whole; one with other files or
 * with folders in it is still refused.
 *
 * With encoder_only the copy is another model, without a head: dnabird.json
 * holds only its origin, and after a stem there is no tokenizer, since the
 * encoder's rows are not those of token ids.
 *
 * Errors  those of opening a model; BIRD_EINVAL the folders are the same, `to`
 *         is used, no threshold for default_rate, or an encoder without layers;
 *         BIRD_EUNSUPPORTED transformers cannot compute this model (allowed if
 *         the weights are compressed, so that only dnabird opens them);
 *         BIRD_EIO, BIRD_EFORMAT
 */
BIRD_API BIRD_MUST_CHECK int bird_export(const char *from, const char *to,
                                         const bird_export_options *o);

BIRD_END_C

#endif
