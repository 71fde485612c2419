/* How much each part of a mixture is worth. SPDX-License-Identifier: MIT
 *
 * Strings of held-out sequence are hidden, one length after the other; the
 * weights under which they are likeliest come by expectation maximisation
 * (Dempster, Laird and Rubin 1977, J. R. Stat. Soc. B 39:1): with p_i of part i
 *
 *     w_i <- mean over strings of  w_i p_i / sum_j w_j p_j. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "dnabird/dnabird.h"
#include "eval/markov_string.h"

enum {
    MAX_STRINGS = 2048, /* of a length */
    PART = 64,          /* of them a task */
    ROUNDS = 200
};

struct weighing {
    const struct bird_markov *m;
    const uint32_t *words;
    int64_t n_word;
    int64_t *at; /* (n) of words: the first letter hidden */
    int64_t n;
    int length, k;
    const struct bird_strings *tail;
    struct bird_strings_room *room; /* (threads) */
    double *share; /* (n, BIRD_N_MARKOV_PART) the parts' probabilities, over
                      that of the left one */
};

/* Do words i and i + 1 stand one letter apart? */
static int follows(const struct weighing *x, int64_t i)
{
    uint32_t letters;

    assert(x->m->order >= 1 && x->m->order <= 12);
    letters = UINT32_C(1) << 2 * x->m->order;
    return x->words[i] % letters == x->words[i + 1] >> 2;
}

/* Places where a string with whole flanks lies inside held-out sequence, up
 * to MAX_STRINGS of them, evenly. A word is a letter with what is left of it;
 * what is right of it stands in the words that follow. */
static void find_places(struct weighing *x)
{
    int64_t need = x->length + x->m->order, run = 1, n = 0, k = 0;

    for (int64_t i = 1; i < x->n_word; i++) {
        run = follows(x, i - 1) ? run + 1 : 1;
        n += run >= need;
    }
    run = 1;
    x->n = 0;
    for (int64_t i = 1; i < x->n_word; i++) {
        run = follows(x, i - 1) ? run + 1 : 1;
        if (run < need)
            continue;
        if (n <= MAX_STRINGS ||
            k * MAX_STRINGS / n != (k + 1) * MAX_STRINGS / n)
            x->at[x->n++] = i - need + 1;
        k++;
    }
}

/* The string at place i, and its flanks. */
static void hide(struct bird_hidden *h, uint8_t *code, const struct weighing *x,
                 int64_t i)
{
    const uint32_t *word = x->words + x->at[i];
    int order = x->m->order;

    *h = (struct bird_hidden){
        .m = x->m, .k = x->k, .n = x->length, .code = code};
    for (int j = 0; j < BIRD_MARKOV_TAIL && j < x->length; j++)
        code[j] = word[j] & 3;
    h->flanks.left = word[0] >> 2;
    h->flanks.n_left = h->flanks.n_right = order;
    for (int j = order - 1; j >= 0; j--)
        h->flanks.right =
            h->flanks.right << 2 | (3 - (word[x->length + j] & 3));
}

static void judge(void *context, int64_t task, int worker)
{
    const struct weighing *x = context;
    int64_t end = (task + 1) * PART < x->n ? (task + 1) * PART : x->n;
    double log2p[BIRD_N_MARKOV_PART];
    uint8_t code[BIRD_MARKOV_TAIL];
    struct bird_hidden h;

    for (int64_t i = task * PART; i < end; i++) {
        hide(&h, code, x, i);
        bird_hidden_parts(log2p, &h, x->tail, &x->room[worker]);
        for (int j = 0; j < BIRD_N_MARKOV_PART; j++)
            x->share[i * BIRD_N_MARKOV_PART + j] = exp2(log2p[j] - log2p[0]);
    }
}

/* A factor that a string's probabilities share does not matter. */
static void maximise(double *weight, const double *share, int64_t n)
{
    for (int round = 0; round < ROUNDS; round++) {
        double total[BIRD_N_MARKOV_PART] = {0};

        for (int64_t i = 0; i < n; i++) {
            const double *p = share + i * BIRD_N_MARKOV_PART;
            double sum = 0;

            for (int j = 0; j < BIRD_N_MARKOV_PART; j++)
                sum += weight[j] * p[j];
            for (int j = 0; j < BIRD_N_MARKOV_PART; j++)
                total[j] += weight[j] * p[j] / sum;
        }
        for (int j = 0; j < BIRD_N_MARKOV_PART; j++)
            weight[j] = total[j] / (double)n;
    }
}

/* All orders, for hidden strings of one length. */
static void weigh_length(struct bird_markov *m, struct weighing *x)
{
    find_places(x);
    for (x->k = 0; x->n && x->k <= m->order; x->k++) {
        bird_parallel((x->n + PART - 1) / PART, judge, x);
        maximise(m->weight[x->k][x->length - 1], x->share, x->n);
    }
}

int bird_markov_weigh(struct bird_markov *m, const uint32_t *words, int64_t n)
{
    struct weighing x = {.m = m, .words = words, .n_word = n};
    struct bird_strings *tail = NULL;
    int64_t n_room = bird_threads();
    int rc = bird_array_new(&x.room, n_room, sizeof(*x.room));

    for (int k = 0; k <= m->order; k++)
        for (int j = 0; j < BIRD_MARKOV_TAIL; j++)
            for (int i = 0; i < BIRD_N_MARKOV_PART; i++)
                m->weight[k][j][i] = 1.0 / BIRD_N_MARKOV_PART;
    for (int64_t i = 0; !rc && i < n_room; i++)
        rc = bird_strings_room_new(
            &x.room[i], INT64_C(1) << 2 * BIRD_MARKOV_TAIL, BIRD_MARKOV_TAIL);
    if (!rc)
        rc = bird_array_new(&x.at, MAX_STRINGS, sizeof(*x.at));
    if (!rc)
        rc = bird_array_new(&x.share, MAX_STRINGS * BIRD_N_MARKOV_PART,
                            sizeof(*x.share));
    for (x.length = 1; !rc && x.length <= BIRD_MARKOV_TAIL; x.length++) {
        rc = bird_strings_all(&tail, x.length);
        x.tail = tail;
        if (!rc)
            weigh_length(m, &x);
        bird_strings_free(tail);
        tail = NULL;
    }
    for (int64_t i = 0; x.room && i < n_room; i++)
        bird_strings_room_free(&x.room[i]);
    free(x.room);
    free(x.at);
    free(x.share);
    return rc;
}
