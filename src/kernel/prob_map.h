/**
 * Probability maps: what attention makes of a query's scores. Softmax is one;
 * the others give most keys exactly 0.
 *
 * A map is a row of the table in prob_map.c, which says all that the rest of the
 * program asks: its name, its parameter with its limits, whether it can be
 * trained with, and what the kernels (cpu/maps.c) are to compute. Formulas:
 * docs/math/probability-maps.md. SPDX-License-Identifier: MIT
 */
#ifndef BIRD_KERNEL_PROB_MAP_H
#define BIRD_KERNEL_PROB_MAP_H

#include <jansson.h>
#include <stdint.h>

#include "base/text.h"
#include "dnabird/error.h"

enum bird_prob_map_kind {
    BIRD_PROB_SOFTMAX,
    BIRD_PROB_TOP,    /* softmax over the largest scores */
    BIRD_PROB_ENTMAX, /* [(alpha - 1) factor s - threshold]+^(1 / (alpha - 1)) */
    BIRD_PROB_HARDMAX /* the largest alone */
};

/** What a kernel computes; {0} is softmax. */
struct bird_prob_map {
    enum bird_prob_map_kind kind;
    float alpha;  /* of ENTMAX: above 1, up to 2 */
    float factor; /* of ENTMAX, on scores */
    int64_t keys; /* of TOP */
};

struct bird_prob_map_row {
    const char *name;
    const char *param; /* its parameter's name, or NULL: it has none */
    double lo, hi;     /* limits of the parameter, included */
    int whole;         /* a whole number */
    int trains;        /* it has a gradient */
    struct bird_prob_map (*of)(double param);
};

/** A model's map; {0} is softmax. */
struct bird_attention_map {
    const struct bird_prob_map_row *row;
    double param;
};

/** Row i of the table, from 0, softmax; NULL past the last. */
const struct bird_prob_map_row *bird_prob_map_at(int i);

/** What the kernels take. */
struct bird_prob_map bird_prob_map_of(const struct bird_attention_map *m);

int bird_prob_map_is_softmax(const struct bird_attention_map *m);

/** "NAME" or "NAME:PARAMETER", as "entmax:1.5". Errors: BIRD_EINVAL; *m is then
 *  untouched */
BIRD_MUST_CHECK int bird_prob_map_parse(struct bird_attention_map *m,
                                        const char *text);

/** Append the map as text for bird_prob_map_parse(). Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_prob_map_text(struct bird_text *t,
                                       const struct bird_attention_map *m);

/** Read "attention_map" of a dnabird.json; absent: *m is unchanged. Errors:
 *  BIRD_EFORMAT, BIRD_EINVAL; path names the file */
BIRD_MUST_CHECK int bird_prob_map_read(struct bird_attention_map *m,
                                       const json_t *o, const char *path);

/** Put it there; softmax is not written. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_prob_map_write(json_t *o,
                                        const struct bird_attention_map *m);

/** Can a model with this map be trained? Errors: BIRD_EUNSUPPORTED */
BIRD_MUST_CHECK int
bird_prob_map_check_trains(const struct bird_attention_map *m);

#endif
