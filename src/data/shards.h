/**
 * Token shards: files of rows sampled beforehand, and the identity that decides
 * which samplers give the same rows.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_DATA_SHARDS_H
#define BIRD_DATA_SHARDS_H

#include <jansson.h>

#include "data/sampler.h"

/**
 * Tokenizer and sampling options as an object; mask and span, which are applied
 * when a row is read, are not in it.
 * Owner: *out is the caller's, json_decref(). Errors: BIRD_ENOMEM.
 */
BIRD_MUST_CHECK int bird_identity_of_options(json_t **out,
                                             const struct bird_sampler *s);

/** Add the data: digests of contigs and regions, number of bases. */
BIRD_MUST_CHECK int bird_identity_add_data(json_t *identity,
                                           const struct bird_sampler *s);

/** Lines "name value" of the object, then mask and span, to s->identity. */
BIRD_MUST_CHECK int bird_identity_text(struct bird_sampler *s,
                                       const json_t *identity);

/**
 * Does `there` have every field of `want` with its value?
 * Errors: BIRD_EINVAL names path, field and both values.
 */
BIRD_MUST_CHECK int bird_identity_check(const json_t *there, const json_t *want,
                                        const char *path);

#define BIRD_SHARDS_JSON "tokens.json"

/** The numbers of rows; row `row` of step `step` is number
 *  step * per_step + row. */
struct bird_shards_head {
    int64_t rows, per_step, per_shard;
    char key[65]; /* digest of the identity, also in every file */
};

/** Number of files. */
static inline int64_t bird_shards_files(const struct bird_shards_head *h)
{
    return (h->rows + h->per_shard - 1) / h->per_shard;
}

/** Rows of file k. */
static inline int64_t bird_shards_rows_of(const struct bird_shards_head *h,
                                          int64_t k)
{
    int64_t left = h->rows - k * h->per_shard;

    return left < h->per_shard ? left : h->per_shard;
}

/**
 * Read tokens.json; *identity is the caller's, json_decref().
 * Errors: BIRD_EIO, BIRD_EFORMAT; BIRD_EUNSUPPORTED a newer version.
 */
BIRD_MUST_CHECK int bird_shards_head_read(struct bird_shards_head *h,
                                          json_t **identity, const char *path);
/** Write it; `reference` is a list for readers. Errors: BIRD_EIO. */
BIRD_MUST_CHECK int bird_shards_head_write(const struct bird_shards_head *h,
                                           const json_t *identity,
                                           const json_t *reference,
                                           const char *path);
/** The identity's key. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_shards_key(char key[65], const json_t *identity);

/**
 * Is file k complete, with the rows of h?
 * Errors: BIRD_EIO missing; BIRD_EFORMAT cut short or of another set.
 */
BIRD_MUST_CHECK int bird_shards_check_file(const struct bird_shards_head *h,
                                           const char *folder, int64_t k);

/**
 * Write file k: rows packed by bird_shard_pack(), one after the other.
 * @param size (rows of the file) bytes of each
 */
BIRD_MUST_CHECK int bird_shards_write_file(const struct bird_shards_head *h,
                                           const char *folder, int64_t k,
                                           const struct bird_text *rows,
                                           const int64_t *size);

/** Open for reading; the identity must contain `options`.
 *  Errors: those above; BIRD_EINVAL another tokenizer or other options. */
BIRD_MUST_CHECK int bird_shards_open(struct bird_shards **out,
                                     const char *folder, const json_t *options);
void bird_shards_free(struct bird_shards *x);
/** Errors: BIRD_ERANGE no such row; BIRD_EIO, BIRD_EFORMAT, BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_shards_row(struct bird_sampled_row *d,
                                    const struct bird_shards *x,
                                    const struct bird_sampler *s, int64_t step,
                                    int64_t row);
int64_t bird_shards_bases(const struct bird_shards *x);
int64_t bird_shards_steps(const struct bird_shards *x);
const json_t *bird_shards_identity(const struct bird_shards *x);

/* shard_row.c: one row and its bytes */

/** Working memory to pack rows; start with {0}. */
struct bird_shard_packer {
    struct bird_text raw;
    void *z; /* ZSTD_CCtx */
};
/** Append the row as one zstd frame. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_shard_pack(struct bird_text *out,
                                    struct bird_shard_packer *p,
                                    const struct bird_sampled_row *d,
                                    const struct bird_vocab_stats *w);
void bird_shard_packer_free(struct bird_shard_packer *p);

/**
 * Read a row from its frame.
 * Errors: BIRD_EFORMAT damaged, or not a row of at most length_tok tokens of
 * this vocabulary; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_shard_unpack(struct bird_sampled_row *d,
                                      const void *frame, int64_t size,
                                      int64_t length_tok,
                                      const struct bird_vocab_stats *w);

#endif
