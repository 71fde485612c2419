/* Hidden strings between their flanks. SPDX-License-Identifier: MIT */
#include "eval/markov_string.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"

/* Strings in alphabetic order, so that each shares a beginning with the one
 * before it. */
struct side {
    uint8_t *code;   /* (n, m) */
    int32_t *shared; /* (n) letters shared with the one before */
    int32_t *index;  /* (n) the string's number */
    int32_t *at;     /* (n) where a string stands here */
};

struct bird_strings {
    int64_t n;
    int m;
    struct side side[2]; /* of the strings, and of their complements */
};

/* ---- lists --------------------------------------------------------------- */

struct sorting { /* what the comparison reads */
    const uint8_t *code;
    int m;
};

static int by_code(const void *a, const void *b, void *context)
{
    const struct sorting *s = context;
    int32_t i = *(const int32_t *)a, k = *(const int32_t *)b;
    int c = memcmp(s->code + (int64_t)i * s->m, s->code + (int64_t)k * s->m,
                   (size_t)s->m);

    return c ? c : (i > k) - (i < k);
}

static int side_new(struct side *s, const uint8_t *code, int64_t n, int m)
{
    struct sorting by = {code, m};
    int rc = bird_array_new(&s->code, n * m, 1);

    if (!rc)
        rc = bird_array_new(&s->shared, n, sizeof(*s->shared));
    if (!rc)
        rc = bird_array_new(&s->index, n, sizeof(*s->index));
    if (!rc)
        rc = bird_array_new(&s->at, n, sizeof(*s->at));
    if (rc)
        return rc;
    for (int64_t i = 0; i < n; i++)
        s->index[i] = (int32_t)i;
    qsort_r(s->index, (size_t)n, sizeof(*s->index), by_code, &by);
    for (int64_t i = 0; i < n; i++) {
        uint8_t *to = s->code + i * m;
        int32_t same = 0;

        memcpy(to, code + (int64_t)s->index[i] * m, (size_t)m);
        while (i && same < m && to[same] == to[same - m])
            same++;
        s->shared[i] = same;
        s->at[s->index[i]] = (int32_t)i;
    }
    return 0;
}

static int turn_codes(uint8_t **out, const uint8_t *code, int64_t n, int m)
{
    int rc = bird_array_new(out, n * m, 1);

    for (int64_t i = 0; !rc && i < n; i++)
        for (int j = 0; j < m; j++)
            (*out)[i * m + j] = (uint8_t)(3 - code[i * m + m - 1 - j]);
    return rc;
}

int bird_strings_new(struct bird_strings **out, const uint8_t *code, int64_t n,
                     int m)
{
    struct bird_strings *s = calloc(1, sizeof(*s));
    uint8_t *turned = NULL;
    int rc;

    if (!s)
        return bird_fail_memory(sizeof(*s));
    s->n = n;
    s->m = m;
    rc = turn_codes(&turned, code, n, m);
    if (!rc)
        rc = side_new(&s->side[0], code, n, m);
    if (!rc)
        rc = side_new(&s->side[1], turned, n, m);
    free(turned);
    if (rc)
        bird_strings_free(s);
    else
        *out = s;
    return rc;
}

int bird_strings_all(struct bird_strings **out, int m)
{
    int64_t n = INT64_C(1) << 2 * m;
    uint8_t *code;
    int rc = bird_array_new(&code, n * m, 1);

    for (int64_t i = 0; !rc && i < n; i++)
        for (int j = 0; j < m; j++)
            code[i * m + j] = (uint8_t)(i >> 2 * (m - 1 - j) & 3);
    if (!rc)
        rc = bird_strings_new(out, code, n, m);
    free(code);
    return rc;
}

void bird_strings_free(struct bird_strings *s)
{
    if (!s)
        return;
    for (int i = 0; i < 2; i++) {
        free(s->side[i].code);
        free(s->side[i].shared);
        free(s->side[i].index);
        free(s->side[i].at);
    }
    free(s);
}

int64_t bird_strings_count(const struct bird_strings *s)
{
    return s->n;
}

const uint8_t *bird_strings_code(const struct bird_strings *s, int64_t i)
{
    return s->side[0].code + (int64_t)s->side[0].at[i] * s->m;
}

int bird_strings_room_new(struct bird_strings_room *r, int64_t n, int m)
{
    int rc = bird_array_new(&r->left, n, sizeof(*r->left));

    if (!rc)
        rc = bird_array_new(&r->right, n, sizeof(*r->right));
    if (!rc)
        rc = bird_array_new(&r->joint, n, sizeof(*r->joint));
    if (!rc)
        rc = bird_array_new(&r->end, n, sizeof(*r->end));
    if (!rc)
        rc = bird_array_new(&r->letters, m + 1, sizeof(*r->letters));
    if (!rc)
        rc = bird_array_new(&r->sum, m + 1, sizeof(*r->sum));
    return rc;
}

void bird_strings_room_free(struct bird_strings_room *r)
{
    free(r->left);
    free(r->right);
    free(r->joint);
    free(r->end);
    free(r->letters);
    free(r->sum);
    *r = (struct bird_strings_room){0};
}

/* ---- chains -------------------------------------------------------------- */

/* A place in a chain: the letters so far, of which n are known. */
struct place {
    uint64_t letters;
    int n;
};

/* log2 of the probability of the next letter; the place moves behind it. */
static double step(struct place *p, const struct bird_hidden *h, int code)
{
    int k = p->n < h->k ? p->n++ : h->k;

    p->letters = p->letters << 2 | (uint64_t)code;
    return bird_markov_log2p(h->m, k, p->letters);
}

/* The chain into each string of a side from a place on; where it ends. */
static void run_all(double *log2p, uint64_t *end, const struct bird_hidden *h,
                    const struct side *s, const struct bird_strings *list,
                    struct place from, struct bird_strings_room *room)
{
    room->letters[0] = from.letters;
    room->sum[0] = 0;
    for (int64_t i = 0; i < list->n; i++) {
        const uint8_t *code = s->code + i * list->m;
        int j = s->shared[i];
        struct place p = {room->letters[j],
                          from.n + j < h->k ? from.n + j : h->k};

        for (; j < list->m; j++) {
            room->sum[j + 1] = room->sum[j] + step(&p, h, code[j]);
            room->letters[j + 1] = p.letters;
        }
        log2p[s->index[i]] = room->sum[list->m];
        if (end)
            end[s->index[i]] = p.letters;
    }
}

/* The chain from a place into the right flank: k letters of it at most, those
 * behind them do not depend on what the string is. */
static double into_flank(const struct bird_hidden *h, struct place p)
{
    const struct bird_flanks *f = &h->flanks;
    double log2p = 0;

    for (int j = 0; j < f->n_right && j < h->k; j++)
        log2p += step(&p, h, 3 - (int)(f->right >> 2 * j & 3));
    return log2p;
}

/* From log2 of x to log2 of its sum. */
static double log2_sum(const double *x, int64_t n)
{
    double most = x[0], sum = 0;

    for (int64_t i = 1; i < n; i++)
        most = x[i] > most ? x[i] : most;
    for (int64_t i = 0; i < n; i++)
        sum += exp2(x[i] - most);
    return most + log2(sum);
}

static struct place left_place(const struct bird_hidden *h)
{
    return (struct place){h->flanks.left, h->flanks.n_left};
}

static struct place right_place(const struct bird_hidden *h)
{
    return (struct place){h->flanks.right, h->flanks.n_right};
}

/* Fill joint[] from left[] and end[] for strings behind `from`. */
static void join(const struct bird_hidden *h, int64_t n, int n_known,
                 struct bird_strings_room *room)
{
    for (int64_t i = 0; i < n; i++)
        room->joint[i] = room->left[i] +
                         into_flank(h, (struct place){room->end[i], n_known});
}

/* ---- answers ------------------------------------------------------------- */

void bird_hidden_parts(double log2p[BIRD_N_MARKOV_PART],
                       const struct bird_hidden *h,
                       const struct bird_strings *tail,
                       struct bird_strings_room *room)
{
    struct place left = left_place(h), right = right_place(h);
    double head = 0, rest = 0;
    int64_t which = 0;
    int i;

    for (i = 0; i < h->n - tail->m; i++)
        head += step(&left, h, h->code[i]);
    run_all(room->left, room->end, h, &tail->side[0], tail, left, room);
    join(h, tail->n, left.n + tail->m, room);
    for (; i < h->n; i++)
        which = which << 2 | h->code[i];
    for (i = h->n - 1; i >= 0; i--)
        rest += step(&right, h, 3 - h->code[i]);
    log2p[BIRD_MARKOV_LEFT] = head + room->left[which];
    log2p[BIRD_MARKOV_RIGHT] = rest;
    log2p[BIRD_MARKOV_JOINT] =
        head + room->joint[which] - log2_sum(room->joint, tail->n);
}

double bird_hidden_mix(const struct bird_hidden *h,
                       const double log2p[BIRD_N_MARKOV_PART])
{
    int length = h->n < BIRD_MARKOV_TAIL ? h->n : BIRD_MARKOV_TAIL;
    const double *weight = h->m->weight[h->k][length - 1];
    double most = log2p[0], sum = 0;

    if (!h->flanks.n_right)
        return log2p[BIRD_MARKOV_LEFT];
    if (!h->flanks.n_left)
        return log2p[BIRD_MARKOV_RIGHT];
    for (int i = 1; i < BIRD_N_MARKOV_PART; i++)
        most = log2p[i] > most ? log2p[i] : most;
    for (int i = 0; i < BIRD_N_MARKOV_PART; i++)
        sum += weight[i] * exp2(log2p[i] - most);
    return most + log2(sum);
}

static int is_best(const double *x, int64_t n, int64_t which)
{
    for (int64_t i = 0; i < n; i++)
        if (i < which ? x[i] >= x[which] : x[i] > x[which])
            return 0;
    return 1;
}

void bird_hidden_among(struct bird_hidden_answer *left,
                       struct bird_hidden_answer *both,
                       const struct bird_hidden *h,
                       const struct bird_strings *words, int64_t which,
                       struct bird_strings_room *room)
{
    double sum[BIRD_N_MARKOV_PART];
    int64_t n = words->n;

    run_all(room->left, room->end, h, &words->side[0], words, left_place(h),
            room);
    run_all(room->right, NULL, h, &words->side[1], words, right_place(h), room);
    join(h, n, h->flanks.n_left + words->m, room);
    sum[BIRD_MARKOV_LEFT] = log2_sum(room->left, n);
    sum[BIRD_MARKOV_RIGHT] = log2_sum(room->right, n);
    sum[BIRD_MARKOV_JOINT] = log2_sum(room->joint, n);
    left->log2p = room->left[which] - sum[BIRD_MARKOV_LEFT];
    left->best = is_best(room->left, n, which);
    for (int64_t i = 0; i < n; i++) {
        double part[BIRD_N_MARKOV_PART] = {
            [BIRD_MARKOV_LEFT] = room->left[i] - sum[BIRD_MARKOV_LEFT],
            [BIRD_MARKOV_RIGHT] = room->right[i] - sum[BIRD_MARKOV_RIGHT],
            [BIRD_MARKOV_JOINT] = room->joint[i] - sum[BIRD_MARKOV_JOINT]};

        room->joint[i] = bird_hidden_mix(h, part);
    }
    both->log2p = room->joint[which];
    both->best = is_best(room->joint, n, which);
}
