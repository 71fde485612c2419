/**
 * The model folder: config.json, weights, tokenizer.json and dnabird.json.
 *
 * The weights are model.safetensors, the same as .zst, several files with
 * model.safetensors.index.json, or PyTorch's pytorch_model.bin, also with an
 * index: the first of these that is there.
 *
 * dnabird.json is an object; docs/model-folder.md lists its fields. What it adds
 * to Hugging Face's layout is the kind of a linear head, label names, window,
 * strands, random blocks, thresholds, calibration, the genome build, where
 * the model comes from, its figures, and the files' checksums.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_FOLDER_FOLDER_H
#define BIRD_FOLDER_FOLDER_H

#include <jansson.h>
#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/model.h"
#include "folder/config_file.h"
#include "folder/params_file.h"

/** The newest dnabird.json that this program reads: 3 is that of models whose
 *  `output` is gaussian, 2 that of models with a stem or answers by bin, 1 that
 *  of plain ones, which older programs read. */
enum { BIRD_FOLDER_VERSION = 3 };

/** Golden answers (session/selftest.h). */
#define BIRD_SELFTEST_NAME "selftest.tsv"

/** A measured quantity: value = mean + sd * answer of the head. Where the head
 *  has a log variance s for it, too, its standard deviation is sd * e^(s/2). */
struct bird_quantity {
    double mean, sd;
};

struct bird_folder {
    char *path;
    const char *weights; /* name of the weights' file or their index */
    char *tokenizer;     /* path of tokenizer.json; NULL when there is none */
    struct bird_config config;
    json_t *meta;                   /* dnabird.json's object, or NULL */
    json_t *labels;                 /* names of the n_label labels, or NULL */
    int32_t *strand_pair;           /* (n_label) each label's partner on the
                                     other strand, an involution; NULL: each
                                     is its own */
    struct bird_quantity *quantity; /* (bird_head_targets()) of dnabird.json's
                                       `targets`; NULL: the head's answers are
                                       the values */
    int64_t window_bp, stride_bp;   /* 0: not said */
    char random_why[96]; /* why config.pattern.random is what it is */
    int random_by_age;   /* it was chosen by the release */
    bird_tensors *tensors;
    json_t *index;      /* of weights in several files, or NULL */
    const char **shard; /* (n_shard) their names */
    int64_t n_shard;
    char digest[65];  /* "" until bird_folder_digest() */
    char golden[17];  /* of its golden answers, selftest.tsv; "": there are
                         none, or until bird_folder_digest() */
    uint64_t stamp;   /* of its files when it was opened */
    char changed[80]; /* a file of the weights or the tokenizer that differs
                         from its checksum in dnabird.json; "" none, or until
                         bird_folder_digest() */
};

/**
 * Open a folder. Nothing of the weights is read but their header (all of
 * them when they are compressed). Free with bird_folder_free().
 * Errors: BIRD_EIO, BIRD_EFORMAT, BIRD_EUNSUPPORTED (a newer format_version,
 * another architecture); the sentence names the file and the field.
 */
BIRD_MUST_CHECK int bird_folder_open(struct bird_folder *out, const char *path);
/** Safe on a zeroed or freed one. */
void bird_folder_free(struct bird_folder *f);

/** No output of this run may become a part of the model in this folder, there
 *  or not (base/guard.h). bird_folder_open() says so by itself.
 *  Errors: BIRD_EINVAL one is an output already */
BIRD_MUST_CHECK int bird_folder_guard(const char *folder);

/**
 * The same without the weights, and without the head that only they tell.
 */
BIRD_MUST_CHECK int bird_folder_open_config(struct bird_folder *out,
                                            const char *path);

/**
 * All weights as one block of floats with its table.
 * Owner: *block and *list are the caller's, free().
 */
BIRD_MUST_CHECK int bird_folder_weights(float **block, struct bird_param **list,
                                        int64_t *n, int64_t *total,
                                        const struct bird_folder *f);

/**
 * The same for reading only: *block is borrowed from f where the file holds it
 * as it is and *own NULL; else *block is *own, a copy that is the caller's.
 */
BIRD_MUST_CHECK int bird_folder_weights_shared(const float **block, float **own,
                                               struct bird_param **list,
                                               int64_t *n,
                                               const struct bird_folder *f);

/**
 * Fill f->digest: what identifies configuration, weights and tokenizer. It is
 * the SHA-256 of the lines that `sha256sum config.json model.safetensors
 * tokenizer.json` prints in the folder (files that are there).
 */
BIRD_MUST_CHECK int bird_folder_digest(struct bird_folder *f);

/**
 * Are the files unchanged since the folder was opened? Call it after the last one
 * was read, so that all that was read belongs together.
 * Errors: BIRD_EIO one was written, or the folder replaced, meanwhile
 */
BIRD_MUST_CHECK int bird_folder_check_stamp(const struct bird_folder *f);

/** "NAME DIGEST", and where there are golden answers ", golden answers" with
 *  the first 16 digits of their SHA-256: what outputs say of their model, of
 *  which bird_folder_digest() was called. */
enum { BIRD_FOLDER_TITLE = 192 };
void bird_folder_title(char out[BIRD_FOLDER_TITLE],
                       const struct bird_folder *f);

/**
 * The same for a model that is to be used: an error when a file of the weights
 * or the tokenizer is not that of its checksum in dnabird.json. The files are
 * read for the digest in any case. Errors: BIRD_EIO, BIRD_EFORMAT
 */
BIRD_MUST_CHECK int bird_folder_identify(struct bird_folder *f);

/** bird_folder_open() and bird_folder_identify(). */
BIRD_MUST_CHECK int bird_folder_open_intact(struct bird_folder *out,
                                            const char *path);

/** BIRD_EINVAL and a sentence: there is no window size; `option` gives one. */
int bird_folder_fail_window(const struct bird_folder *f, const char *option);

/** Does the folder hold a model's file: configuration, weights or tokenizer, of
 *  dnabird or Hugging Face? */
int bird_folder_holds_model(const char *folder);
/** Is a file of this name part of a model, so that replacing the model may remove
 *  it? */
int bird_folder_is_part(const char *name);
/** Files that the digest and the checksums are about, in their order:
 *  config.json, the weights, the files of an index, tokenizer.json,
 *  tokenizer_config.json. */
int64_t bird_folder_files(const struct bird_folder *f);
const char *bird_folder_file(const struct bird_folder *f, int64_t i);
/** Name of the weights' file that lies in this folder; NULL when none does. */
const char *bird_weights_name(const char *folder);

/** Take f->meta over: version, head, pattern, labels, window; all other known
 *  fields are checked for their type. path names the file. */
BIRD_MUST_CHECK int bird_meta_read(struct bird_folder *f, const char *path);
/** config.json's id2label as a list of n names, the caller's; NULL: it has
 *  none. */
BIRD_MUST_CHECK int bird_meta_labels(json_t **out, const json_t *config,
                                     int64_t n, const char *path);
/** Labels and random blocks of a folder that has no dnabird.json, or one
 *  without them. */
BIRD_MUST_CHECK int bird_meta_complete(struct bird_folder *f,
                                       const json_t *config, const char *path);

/** Put format_version, head, random_blocks, and token_type where it is not 0
 *  into dnabird.json's object. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_folder_describe(json_t *meta,
                                         const struct bird_config *c);

/** Put the checksums of config.json, weights and tokenizer.json, as they now
 *  are in this folder, into dnabird.json's object. */
BIRD_MUST_CHECK int bird_folder_checksums(json_t *meta, const char *path);

/** Bring the checksums in a folder's dnabird.json up to date, after a file was
 *  put beside it. */
BIRD_MUST_CHECK int bird_folder_sum(const char *folder);

/** What a folder is made of. */
struct bird_folder_parts {
    const struct bird_config *config;
    const json_t *meta;    /* further fields of dnabird.json, or NULL */
    const json_t *labels;  /* names of labels that meta lacks, or NULL */
    const char *tokenizer; /* a tokenizer.json to copy, or NULL */
    int64_t global;        /* global tokens to put into the copy */
    const float *block;    /* the weights and their table */
    const struct bird_param *list;
    int64_t n;
    enum bird_dtype dtype; /* BIRD_F32 or BIRD_BF16 */
    int compress;          /* model.safetensors.zst */
};

/**
 * Write a folder, each file atomically, dnabird.json last. format_version,
 * head, random_blocks and checksums are set here; labels also become
 * config.json's id2label. The parent of path must exist; files of other names
 * are left alone.
 */
BIRD_MUST_CHECK int bird_folder_write(const char *path,
                                      const struct bird_folder_parts *parts);

/**
 * Take over how a model is to be run: random blocks and token type.
 * Errors: BIRD_EINVAL a type or length that the model does not have
 * @param path names the model in sentences
 */
BIRD_MUST_CHECK int bird_config_run(struct bird_config *c,
                                    const bird_model_run *r, const char *path);

#endif
