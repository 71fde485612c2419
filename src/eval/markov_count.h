/**
 * Inside the Markov counter, for the file that turns counts into
 * probabilities.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_MARKOV_COUNT_H
#define BIRD_TRAIN_MARKOV_COUNT_H

#include "eval/markov.h"

struct bird_markov_sorting;

struct bird_markov_counter {
    union bird_markov_cell *table[BIRD_MARKOV_MAX + 1];
    int order;
    uint32_t *word, *sorted; /* (room) words of order + 1 letters to count */
    int64_t n, room;
    uint32_t *held; /* (n_held) words kept apart */
    int64_t n_held, cap_held;
    int64_t every; /* of so many blocks of words the last one is kept apart */
    int64_t n_word, n_base;
    struct bird_markov_sorting *sorting;
    uint64_t letters; /* the stretch's last ones */
    int64_t run;      /* letters of the stretch so far */
};

/** Add `by` to the count, as far as it goes. */
static inline void bird_markov_count(union bird_markov_cell *c, uint32_t by)
{
    c->count = c->count > UINT32_MAX - by ? UINT32_MAX : c->count + by;
}

#endif
