/* Packs through encoder and head. SPDX-License-Identifier: MIT */
#include "predict/score.h"

#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"

int bird_scorer_init(struct bird_scorer *s, const struct bird_config *c,
                     const struct bird_weights *w, const bird_tokenizer *t)
{
    *s = (struct bird_scorer){.c = c, .w = w, .t = t};
    if (bird_head_per_token(c) || c->head == BIRD_HEAD_NONE)
        return bird_fail(BIRD_EINVAL, "the model has no head that scores "
                                      "sequences: fine-tune one");
    return bird_encoder_new(&s->e, c, w);
}

void bird_scorer_free(struct bird_scorer *s)
{
    bird_encoder_free(s->e);
    bird_pack_free(&s->pack);
    free(s->x);
    *s = (struct bird_scorer){0};
}

int64_t bird_scorer_columns(const struct bird_scorer *s)
{
    return bird_head_columns(s->c);
}

int bird_scorer_has_room(const struct bird_scorer *s)
{
    return s->pack.n_tok < BIRD_PACK_TOKENS;
}

int bird_scorer_add(struct bird_scorer *s, const char *text, int64_t n)
{
    return bird_pack_add(&s->pack, s->t, text, n, s->c->max_positions);
}

static int is_single(const struct bird_config *c)
{
    return c->head == BIRD_HEAD_SEQUENCE &&
           c->problem != BIRD_PROBLEM_MULTI_LABEL && c->n_label > 1;
}

int bird_scorer_run(struct bird_scorer *s, float *p)
{
    struct bird_batch b = bird_pack_batch(&s->pack);
    int64_t columns = bird_head_columns(s->c), n = b.n_seq * columns;
    int rc;

    if (!b.n_seq)
        return 0;
    rc = bird_array_grow(&s->x, &s->cap_x, s->pack.n_tok * s->c->hidden_size,
                         sizeof(*s->x));
    if (rc || (rc = bird_encoder_forward(s->e, s->x, NULL, &b)) ||
        (rc = bird_head_forward(p, NULL, s->c, s->w, s->x, &b)))
        return rc;
    if (is_single(s->c))
        for (int64_t i = 0; i < b.n_seq; i++)
            bird_kernels()->softmax_forward(p + i * columns, NULL, columns);
    else if (s->c->problem != BIRD_PROBLEM_REGRESSION)
        for (int64_t i = 0; i < n; i++)
            p[i] = 1.0f / (1.0f + expf(-p[i]));
    bird_pack_clear(&s->pack);
    return 0;
}
