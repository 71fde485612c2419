/* Packs through encoder and head, a pack a thread. SPDX-License-Identifier: MIT
 */
#include "predict/score.h"

#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "dnabird/dnabird.h"

struct lane { /* what one pack needs */
    struct bird_encoder *e;
    struct bird_pack pack;
    float *first, *p; /* (n_seq, D) token 0; (n_seq, columns) */
    int64_t *row;     /* (n_seq + 1) 0, 1, 2 ... */
    int64_t cap_first, cap_p, cap_row;
    int rc;
};

struct bird_scorer {
    const struct bird_config *c;
    const struct bird_weights *w;
    const bird_tokenizer *t;
    bird_score_take *take;
    void *context;
    struct lane *lane;
    int64_t n_lane, filling, n_done;
    int steady;
};

int bird_scorer_new(struct bird_scorer **out, const struct bird_config *c,
                    const struct bird_weights *w, const bird_tokenizer *t,
                    bird_score_take *take, void *context)
{
    struct bird_scorer *s;
    int rc = 0;

    if (bird_head_per_token(c) || c->head == BIRD_HEAD_NONE)
        return bird_fail(BIRD_EINVAL, "the model has no head that scores "
                                      "sequences: fine-tune one");
    s = calloc(1, sizeof(*s));
    if (!s)
        return bird_fail_memory(sizeof(*s));
    *s = (struct bird_scorer){.c = c,
                              .w = w,
                              .t = t,
                              .take = take,
                              .context = context,
                              .n_lane = bird_threads()};
    rc = bird_array_new(&s->lane, s->n_lane, sizeof(*s->lane));
    for (int64_t i = 0; !rc && i < s->n_lane; i++)
        rc = bird_encoder_new(&s->lane[i].e, c, w);
    if (rc)
        bird_scorer_free(s);
    else
        *out = s;
    return rc;
}

void bird_scorer_free(struct bird_scorer *s)
{
    if (!s)
        return;
    for (int64_t i = 0; s->lane && i < s->n_lane; i++) {
        bird_encoder_free(s->lane[i].e);
        bird_pack_free(&s->lane[i].pack);
        free(s->lane[i].first);
        free(s->lane[i].row);
        free(s->lane[i].p);
    }
    free(s->lane);
    free(s);
}

void bird_scorer_steady(struct bird_scorer *s)
{
    s->steady = 1;
    for (int64_t i = 0; i < s->n_lane; i++)
        bird_encoder_steady(s->lane[i].e);
}

int64_t bird_scorer_columns(const struct bird_scorer *s)
{
    return bird_head_columns(s->c);
}

int64_t bird_scorer_trimmed(const struct bird_scorer *s)
{
    int64_t n = 0;

    for (int64_t i = 0; i < s->n_lane; i++)
        n += s->lane[i].pack.n_trimmed;
    return n;
}

static void to_probabilities(float *p, const struct bird_config *c, int64_t n)
{
    int64_t columns = bird_head_columns(c);

    if (c->head == BIRD_HEAD_SEQUENCE && columns > 1 &&
        c->problem != BIRD_PROBLEM_MULTI_LABEL)
        for (int64_t i = 0; i < n; i++)
            bird_kernels()->softmax_forward(p + i * columns, NULL, columns);
    else if (c->problem != BIRD_PROBLEM_REGRESSION)
        for (int64_t i = 0; i < n * columns; i++)
            p[i] = 1.0f / (1.0f + expf(-p[i]));
}

/* Room is made before the parallel part, where nothing may fail quietly. */
static int lane_reserve(struct lane *l, const struct bird_config *c)
{
    int64_t n = (l->pack.n_seq + BIRD_STEADY_ROWS - 1) / BIRD_STEADY_ROWS *
                BIRD_STEADY_ROWS;
    int rc = bird_array_grow(&l->first, &l->cap_first, n * c->hidden_size,
                             sizeof(*l->first));

    if (!rc)
        rc = bird_array_grow(&l->p, &l->cap_p, n * bird_head_columns(c),
                             sizeof(*l->p));
    if (!rc)
        rc = bird_array_grow(&l->row, &l->cap_row, n + 1, sizeof(*l->row));
    for (int64_t i = 0; !rc && i <= n; i++)
        l->row[i] = i;
    return rc;
}

static void lane_run(void *context, int64_t task, int worker)
{
    struct bird_scorer *s = context;
    struct lane *l = &s->lane[task];
    struct bird_batch b = bird_pack_batch(&l->pack);
    int64_t step = s->steady ? 1 : b.n_seq, d = s->c->hidden_size;
    struct bird_batch firsts = {.n_seq = step, .offset = l->row};

    (void)worker;
    l->rc = bird_encoder_forward_first(l->e, l->first, &b);
    for (int64_t i = 0; !l->rc && i < b.n_seq; i += step)
        l->rc = bird_head_forward(l->p + i * bird_head_columns(s->c), NULL,
                                  s->c, s->w, l->first + i * d, &firsts);
    if (!l->rc)
        to_probabilities(l->p, s->c, b.n_seq);
}

int bird_scorer_flush(struct bird_scorer *s)
{
    int64_t columns = bird_scorer_columns(s), n = s->filling;
    int rc = 0;

    if (n < s->n_lane && s->lane[n].pack.n_seq > 0)
        n++;
    for (int64_t i = 0; !rc && i < n; i++)
        rc = lane_reserve(&s->lane[i], s->c);
    if (rc)
        return rc;
    bird_parallel(n, lane_run, s);
    for (int64_t i = 0; !rc && i < n; i++) {
        struct lane *l = &s->lane[i];

        if (l->rc) /* its sentence may be another thread's: say it again */
            rc = bird_fail(l->rc,
                           "scoring failed after %lld sequences: out "
                           "of memory, or a token the model does not "
                           "know",
                           (long long)s->n_done);
        for (int64_t k = 0; !rc && k < l->pack.n_seq; k++)
            rc = s->take(s->context, s->n_done++, l->p + k * columns);
        bird_pack_clear(&l->pack);
    }
    s->filling = 0;
    return rc;
}

/* A lane got a sequence: is it full, and was it the last? */
static int lane_filled(struct bird_scorer *s)
{
    if (s->lane[s->filling].pack.n_tok >= BIRD_PACK_TOKENS &&
        ++s->filling == s->n_lane)
        return bird_scorer_flush(s);
    return 0;
}

int bird_scorer_add(struct bird_scorer *s, const char *text, int64_t n)
{
    int rc = bird_pack_add(&s->lane[s->filling].pack, s->t, text, n,
                           s->c->max_positions);

    return rc ? rc : lane_filled(s);
}

int bird_scorer_add_ids(struct bird_scorer *s, const int32_t *ids,
                        const int32_t *position, int64_t n)
{
    int rc = bird_pack_add_ids(&s->lane[s->filling].pack, ids, position, n);

    return rc ? rc : lane_filled(s);
}
