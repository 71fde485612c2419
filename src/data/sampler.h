/**
 * The parts of a sampler: where a row may lie, its tokens, its masks.
 *
 * A row lies in an area: an allowed interval, or a document. On either strand
 * an area is read from its own 5' end, and `from` counts from there.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_SAMPLER_H
#define BIRD_TRAIN_SAMPLER_H

#include <stdatomic.h>

#include "base/rng.h"
#include "base/text.h"
#include "data/bases.h"
#include "data/place.h"
#include "data/sample.h"

struct bird_shards;

/** Numbers that keep the draws apart, mixed into the seed. */
enum bird_sample_stream {
    BIRD_STREAM_ROW = 1,
    BIRD_STREAM_MASK,
    BIRD_STREAM_PASS,
    BIRD_STREAM_DOCUMENT,
    BIRD_STREAM_PROBE
};

/** What a document is made of; Zaheer et al. 2020, appendix F.1. */
enum {
    BIRD_PASSES = 10,        /* over each allowed interval */
    BIRD_PASS_START = 5000,  /* bp before its first document, at most */
    BIRD_SENTENCES_MIN = 50, /* of a document */
    BIRD_SENTENCES_MAX = 100,
    BIRD_SENTENCE_MIN = 500, /* bp */
    BIRD_SENTENCE_MAX = 1000
};

struct bird_document {
    int64_t start;
    int32_t contig, length; /* bp; the last of a pass is cut at the end */
};

/** What the tokenizer says: computed once. */
struct bird_sample_words {
    int64_t n; /* size of the vocabulary */
    int32_t cls, sep, mask;
    uint8_t *special; /* (n) 1: never masked */
    int32_t *letters; /* (n) of the token's text */
    double bp;        /* bases of a token, measured on the data */
};

struct bird_sampler {
    struct bird_sample_options o; /* its paths are not to be used */
    const bird_tokenizer *t;
    struct bird_sample_words words;
    struct bird_bases bases;
    struct bird_places allowed;
    int64_t *sum;                   /* (areas + 1) bp before each area */
    struct bird_document *document; /* (n_document) or NULL: windows */
    int64_t n_document, cap_document;
    struct bird_shards *shards; /* NULL: on the fly */
    int64_t n_base;
    struct bird_text identity;
    _Atomic int64_t rows, tokens, bp, n_rich, masked, masked_bp;
};

/** Where a row begins. */
struct bird_spot {
    int64_t area;       /* index of the interval or document */
    int64_t start, end; /* of the area on its contig */
    int64_t from;       /* bp from the area's 5' end */
    int32_t contig;
    char strand; /* '+' or '-' */
};

/* areas.c */

/** Read the references; fill allowed, document, sum and n_base. */
BIRD_MUST_CHECK int bird_areas_open(struct bird_sampler *s,
                                    const struct bird_sample_options *o);
/** Bases from the spot to its area's end. */
static inline int64_t bird_spot_room(const struct bird_spot *x)
{
    return x->end - x->start - x->from;
}
/** Draw a spot with room for `need` bases, or the whole of its area. */
void bird_spot_draw(struct bird_spot *out, const struct bird_sampler *s,
                    struct bird_rng *r, int64_t need);
/** Where A ends when A and B have `span` >= 2 bases: an eighth of them from
 *  either end at least, and after a sentence where one ends there. */
int64_t bird_spot_cut(const struct bird_spot *x, const struct bird_sampler *s,
                      struct bird_rng *r, int64_t span);
/** n letters from the spot on, of its strand. */
void bird_spot_letters(char *out, const struct bird_sampler *s,
                       const struct bird_spot *x, int64_t n);
/** Have the n letters from the spot on too large a share of N? */
int bird_spot_rich(const struct bird_sampler *s, const struct bird_spot *x,
                   int64_t n);

/* draw_row.c */

/** A row before it is masked: what token shards hold. */
struct bird_drawn {
    int32_t *ids, *bp; /* (n_token) token, and bases under it; the caller's */
    int64_t n_token;
    int64_t second; /* index of B's first token; n_token: there is none */
    int64_t n_rich;
    int32_t next;
};

/** Measure words.bp. Errors: BIRD_EINVAL only N in sight; BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_words_measure(struct bird_sampler *s);
/** Draw and tokenize a row; fills what d->ids and d->bp point to. */
BIRD_MUST_CHECK int bird_row_draw(struct bird_drawn *d,
                                  const struct bird_sampler *s, int64_t step,
                                  int64_t row);

/* mask_row.c */

/**
 * Choose the tokens to predict; out->label may be d->bp and out->ids d->ids.
 * Errors: BIRD_ENOMEM.
 */
BIRD_MUST_CHECK int bird_row_mask(struct bird_sample_row *out,
                                  const struct bird_drawn *d,
                                  const struct bird_sampler *s, int64_t step,
                                  int64_t row);

#endif
