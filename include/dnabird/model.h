/**
 * A model folder: configuration, weights, tokenizer, and what dnabird adds.
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

typedef struct bird_model_init_options {
    const char *preset;    /* "tiny", "small" or "base"; "tiny" */
    const char *config;    /* a config.json instead, or NULL; its head stands */
    int64_t positions;     /* longest sequence in tokens; 0 = the preset's */
    const char *tokenizer; /* a tokenizer.json, which also gives the size of
                              the vocabulary; NULL: 32000 and no tokenizer */
    const char *pattern;   /* of the attention: "bigbird", "full", "window",
                              "strided", "fixed", "star" or "random", with
                              parameters "window,width=2,block=16"; NULL:
                              bigbird, or as config says */
    const char *random;    /* plan, zero, none, uniform; NULL: plan */
    const char *parts;     /* of the attention, with commas: "window,random";
                              NULL: global, window, random */
    uint64_t pattern_seed; /* of blocks that are drawn, up to 2^63 - 1; 0 */
    const char *map;       /* of attention scores to probabilities: "softmax",
                              "topk:8", "sparsemax", "entmax:1.5",
                              "sparselin:0.5", "hardmax"; NULL: softmax */
    const char *stem;      /* convolutions before the encoder, "15x192/4,5x128":
                              layers of KERNELxCHANNELS, /POOL, + where the
                              input is added, :ACTIVATION, :plain without
                              LayerNorm; NULL: none */
    int64_t layers;        /* of the encoder; -1: the preset's or config's */
    double branch_scale;   /* of the layers' branches at the start, learned
                              from then on; NAN: none, a plain BigBird */
    const char *labels;    /* names with commas, "class:name" or "name", or
                              their number: a head of several labels; NULL:
                              the masked-language head */
    const char *head;      /* of these labels, of bird_head_choice(); "cls" */
    int64_t bin_bp;        /* bases of an answer, of heads over bins; 200 */
    int64_t window_bp;     /* that the model is for; 0: not said */
    uint64_t seed;         /* 1 */
} bird_model_init_options;

BIRD_API void bird_model_init_options_default(bird_model_init_options *o);

/**
 * Make a folder with random weights and a masked-language head, or one for
 * labels.
 *
 * Weights are a function of the options alone, for any number of threads.
 *
 * Errors  BIRD_EINVAL the folder holds a model already, no such preset
 *         or head, positions that are no multiple of the block size; BIRD_EIO
 * Source  start values as in the reference: normal with standard deviation
 *         0.02, biases 0, LayerNorm gains 1, the padding token's row 0
 */
BIRD_API BIRD_MUST_CHECK int bird_model_init(const char *folder,
                                             const bird_model_init_options *o);

/** Name i of the heads that init and finetune make: "sequence" (that of
 *  transformers), "pooled" and "cls" (linear on the pooler, as GENA-LM, and on
 *  token 0, as BigBird's paper) ...; NULL past the last. */
BIRD_API const char *bird_head_choice(int i);

/** What the random blocks of sparse attention hold. */
enum bird_blocks {
    BIRD_BLOCKS_AS_MODEL, /* what the model folder says */
    BIRD_BLOCKS_PLAN,     /* the seeded plan, as transformers trains, and up to
                             4.28 evaluated */
    BIRD_BLOCKS_ZERO,     /* block 0, as transformers evaluates since 4.29 */
    BIRD_BLOCKS_NONE      /* nothing */
};

/**
 * What the encoder's linear layers multiply in; sums are float32, and so is
 * everything else. All but float32 need oneDNN, in the build and on a
 * processor that it has the product for.
 */
enum bird_precision {
    BIRD_FLOAT32,
    BIRD_BFLOAT16,
    BIRD_INT8 /* weights rounded by output channel, activations by row */
};

/** "float32", "bfloat16" or "int8". */
BIRD_API const char *bird_precision_name(enum bird_precision p);

/** How a model is run, where that is not as its folder says. */
typedef struct bird_model_run {
    enum bird_blocks blocks;
    int64_t pad_to;     /* 0: sequences are run at their own length. Else they
                           are filled up to so many tokens with masked padding,
                           as scripts do that pad batches: attention then is
                           that of the padded length */
    int64_t token_type; /* of every token; -1: the model's */
    enum bird_precision precision; /* float32 */
} bird_model_run;

BIRD_API void bird_model_run_default(bird_model_run *r);

/**
 * What a user should know of how a model will be run: which random blocks,
 * when its folder does not say and they were chosen by its age.
 *
 * Owner   *out is the caller's, free(); NULL when there is nothing to tell
 * Errors  BIRD_EIO, BIRD_EFORMAT, BIRD_EUNSUPPORTED of its two JSON files
 */
BIRD_API BIRD_MUST_CHECK int bird_model_notice(char **out, const char *folder,
                                               const bird_model_run *r);

/** What bird_model_grow() changes; 0 and NULL: as the model has it. */
typedef struct bird_model_grow_options {
    int64_t positions;   /* longest sequence in tokens, at least the model's */
    int64_t block_size;  /* tokens of a block of the attention */
    const char *pattern; /* of the attention, as of bird_model_init() */
    const char *random;  /* plan, zero, none, uniform */
    const char *parts;   /* of the attention, with commas: "global,window"; or
                           "full" */
    uint64_t pattern_seed; /* of blocks that are drawn; 0: the model's */
    const char *map;       /* of attention scores, as of bird_model_init() */
    int64_t widen;         /* as many times the features and heads, 1 to 16 */
    int64_t layers;        /* of the encoder: more than the model's, with random
                              weights; -1: the model's */
    double branch_scale;   /* of the branches of added layers, learned from then
                              on (those of the model's own begin at 1); 0: an
                              added layer only normalises; NAN: as the model */
} bird_model_grow_options;

BIRD_API void bird_model_grow_options_default(bird_model_grow_options *o);

/**
 * Make a folder with a model's weights for longer sequences, with another
 * attention or with more features, to be trained further. Row p of the
 * position embedding becomes row p mod P of the model's P rows: within P
 * positions tokens stay as far apart as they were. With the pattern etc, g global
 * tokens come before [CLS] in the model's tokenizer: row p of the embedding
 * becomes row g + p, and the model reads g tokens more. Wider, feature j is a copy
 * of feature j mod H of the model's H, and so are heads and hidden units; a
 * weight is shared out at random among the copies of its input, so that the
 * model answers as before (but for random blocks, which differ from head to
 * head) and the copies learn apart. Thresholds and calibration are left out,
 * since they were found with the model as it was.
 *
 * Errors  BIRD_EINVAL the folder holds a model already, fewer positions than
 *         the model has, positions that are no multiple of the block size;
 *         those of opening a model
 * Source  repeating position embeddings: Beltagy et al. 2020, section 5
 *         (arXiv:2004.05150); copies of features: Chen et al. 2016, Net2Net,
 *         section 2.2 (arXiv:1511.05641)
 */
BIRD_API BIRD_MUST_CHECK int bird_model_grow(const char *folder,
                                             const char *model,
                                             const bird_model_grow_options *o);

/**
 * Where a model that comes with dnabird lies: in $DNABIRD_DATA/models, the
 * installation's share/dnabird/models, or the source tree's data/models,
 * whichever has a folder of this name first. Without a name (NULL) the one that
 * the commands run when none is given: `regulatory`.
 *
 * Owner   *out is the caller's, free()
 * Errors  BIRD_EIO none has it; BIRD_EINVAL a name with a slash
 */
BIRD_API BIRD_MUST_CHECK int bird_default_model(char **out, const char *name);

/**
 * What a folder holds, in words: lines of a name, blanks and a value.
 *
 * Owner   *out is the caller's, free()
 * Errors  those of opening a model: BIRD_EIO, BIRD_EFORMAT, BIRD_EUNSUPPORTED
 */
BIRD_API BIRD_MUST_CHECK int bird_model_describe(char **out,
                                                 const char *folder);

/**
 * Compare the folder's files with the checksums in its dnabird.json, and the
 * weights with the configuration: a line of "OK" or what is wrong for each.
 *
 * Owner   *out is the caller's, free()
 * Errors  those of opening a model; BIRD_EINVAL no checksums are stored
 *
 * @param[out] n_wrong lines that are not OK
 */
BIRD_API BIRD_MUST_CHECK int bird_model_verify(char **out, int64_t *n_wrong,
                                               const char *folder);

/** What bird_model_selftest() found. */
typedef struct bird_selftest {
    int64_t n_seq, n_agree; /* sequences; those of which no answer differs by
                               more than the tolerance */
    int64_t n_answer;       /* that were compared */
    double largest;         /* difference, of the size of the answer or of 1,
                               whichever is more; infinite: NaN came */
    double tolerance;       /* that of the precision */
} bird_selftest;

/**
 * Compute the golden answers again that a folder keeps in selftest.tsv
 * (docs/model-folder.md), which bird_export() writes.
 *
 * Errors  those of opening a model, but for checksums, which are not compared;
 *         BIRD_EINVAL there is no selftest.tsv; BIRD_EFORMAT it is damaged
 */
BIRD_API BIRD_MUST_CHECK int bird_model_selftest(bird_selftest *out,
                                                 const char *folder,
                                                 const bird_model_run *run);

/* --- import -------------------------------------------------------------- */

/*
 * Models of others, taken over into a folder of our own.
 *
 * Every command opens Hugging Face's folders as they are; a folder taken over
 * opens faster, keeps what was decided once (which random blocks, a token
 * type, how sequence is cut into k-mers), and does not change any more.
 */

typedef struct bird_import_options {
    bird_model_run run;  /* blocks and token_type are kept in dnabird.json;
                              pad_to is not looked at */
    int bf16;            /* weights as bfloat16, rounded; else float32 */
    int64_t kmer_stride; /* > 0: the vocabulary is one of k-mers, cut so far
                              apart: tokenizer.json is made of it */
    const char *vocab;   /* that vocabulary: a token a line, or a JSON object
                              of tokens and ids; NULL: vocab.txt or vocab.json
                              of the folder */
    int no_special;      /* 1: no [CLS] and [SEP] around a sequence of k-mers */
} bird_import_options;

BIRD_API void bird_import_options_default(bird_import_options *o);

/** What was taken over. */
typedef struct bird_import_summary {
    int64_t n_param, n_tensor;
    char weights[64]; /* name of the source's weights, or of their index */
    char blocks[8];   /* random blocks: plan, zero, none */
    char why[96];     /* where that comes from */
    int by_age;       /* 1: from the release that wrote config.json */
    int64_t n_token;  /* of the tokenizer; 0: the folder has none */
    char notice[256]; /* a sentence for the user, or "" */
} bird_import_summary;

/**
 * Write the model of folder `from` as the new folder `to`: config.json,
 * model.safetensors, tokenizer.json, and dnabird.json with where it comes
 * from. The folder appears when it is whole.
 *
 * Errors  those of opening a model; BIRD_EINVAL `to` is there already, options
 *         that do not fit the model, a vocabulary without k-mers; BIRD_EIO
 */
BIRD_API BIRD_MUST_CHECK int bird_import(bird_import_summary *out,
                                         const char *from, const char *to,
                                         const bird_import_options *o);

/* --- export -------------------------------------------------------------- */

/*
 * A model folder rewritten: in another precision, compressed, with
 * thresholds and facts that were measured since.
 */

typedef struct bird_export_options {
    int bf16;               /* weights as bfloat16, rounded to nearest even;
                               else float32 */
    int compress;           /* model.safetensors.zst, which transformers does
                               not open; else model.safetensors */
    const char *thresholds; /* file of `evaluate scan --choose`: its stranded
                               thresholds go into the model; or NULL */
    double default_rate;    /* false calls per Mb of the default threshold */
    const char *facts;      /* JSON object whose fields go into dnabird.json,
                               over those that are there; or NULL */
    int encoder_only;       /* the plain BigBird alone, without stem and head,
                               scales of branches multiplied into their
                               weights: for inputs_embeds of transformers */
    const char *selftest;   /* FASTA file: 100 pieces of it and what the model
                               that is written answers go into selftest.tsv;
                               or NULL. bird_variant_selftest_write() adds
                               alleles to the folder that was written */
    int force;              /* replace a model that is there */
} bird_export_options;

/** Fill with: float32, plain, nothing added, 5 false calls per Mb. */
BIRD_API void bird_export_options_default(bird_export_options *o);

/**
 * Write the model of folder `from` as folder `to`, with its tokenizer and its
 * stored baselines, without the object `run` of dnabird.json, which tells how
 * and when a training was run. Where the copy answers the same (weights as
 * floats, or as bfloat16 that they were already) selftest.tsv and
 * calibration.safetensors come along, the latter for the copy's digest;
 * else they are left out. The folder is made as a whole, and one
 * rename puts it in its place: after a failure it is not there, or as it was.
 * Without `force` its place is free or an empty folder. With it a model's
 * folder is replaced, nothing of the old one stays; one with other files or
 * with folders in it is refused all the same.
 *
 * With encoder_only it is another model, which answers nothing by itself:
 * dnabird.json says where it comes from and no more, and where there was a stem
 * there is no tokenizer, since token ids do not lead to its rows.
 *
 * Errors  those of opening a model; BIRD_EINVAL the folders are one, the place
 *         is taken, or the thresholds have none at default_rate;
 *         BIRD_EUNSUPPORTED transformers cannot compute this model, and the
 *         weights are not compressed, by which it is said to be for dnabird
 *         alone; BIRD_EINVAL an encoder without layers; BIRD_EIO,
 *         BIRD_EFORMAT
 */
BIRD_API BIRD_MUST_CHECK int bird_export(const char *from, const char *to,
                                         const bird_export_options *o);

#endif
