/* Toy models and batches. SPDX-License-Identifier: MIT */
#include "tiny.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/stem.h"
#include "ref.h"

void tiny_config(struct bird_config *c, const struct bird_head_row *head)
{
    bird_config_default(c);
    c->vocab_size = 23;
    c->hidden_size = 12;
    c->n_layer = 2;
    c->n_head = 2;
    c->intermediate_size = 20;
    c->max_positions = 64;
    c->pattern.block = 4;
    c->pattern.n_random = 1;
    c->n_label = TINY_LABELS;
    c->pad_id = 3;
    c->layer_norm_eps = 1e-5;
    c->head = head;
}

static void fill_batch(struct tiny *t, struct bird_rng *r)
{
    static const int64_t length[TINY_SEQ] = {1, 37, 5, 48, 28, 20};

    for (int s = 0; s < TINY_SEQ; s++) {
        t->offset[s + 1] = t->offset[s] + length[s];
        t->class_id[s] = s == 2 ? -100 : (int32_t)bird_rng_below(r, 3);
        t->next[s] = s == 4 ? -100 : (int32_t)bird_rng_below(r, 2);
    }
    for (int i = 0; i < TINY_ROWS; i++) {
        t->ids[i] = (int32_t)bird_rng_below(r, (uint64_t)t->c.vocab_size);
        t->type[i] = (int32_t)bird_rng_below(r, 2);
        t->token[i] = bird_rng_below(r, 4)
                          ? -100
                          : (int32_t)bird_rng_below(r, (uint64_t)t->c.n_label);
        t->mask[i] = 1;
    }
    /* holes in a sparse sequence, a padded tail in a full one */
    for (int64_t i = t->offset[3] + 1; i < t->offset[4]; i++)
        t->mask[i] = i % 5 != 0;
    for (int64_t i = t->offset[6] - 6; i < t->offset[6]; i++)
        t->mask[i] = 0, t->ids[i] = (int32_t)t->c.pad_id;
    for (int i = 0; i < TINY_SEQ * TINY_LABELS; i++)
        t->value[i] = i == 4 || i == 11 ? NAN : (float)bird_rng_below(r, 2);
}

void tiny_rows(struct tiny *t)
{
    memcpy(t->tokens, t->offset, sizeof(t->tokens));
    for (int s = 0; s < TINY_SEQ; s++) {
        int64_t from = t->tokens[s], end = t->tokens[s + 1];
        int64_t g = bird_pattern_global_tokens(&t->c.pattern);

        if (t->c.cls_id >= 0 && s % 3 != 2 && from + g < end)
            t->ids[from + g] = (int32_t)t->c.cls_id;
        for (int64_t i = 0; i < g && from + i < end; i++)
            if (t->ids[from + i] ==
                t->c.pad_id) /* no global token is padding */
                t->ids[from + i]++;
        if (t->c.sep_id >= 0 && s % 2)
            t->ids[end - 1] = (int32_t)t->c.sep_id;
        t->offset[s + 1] =
            t->offset[s] + bird_stem_rows(&t->c, t->ids + from, end - from);
    }
    if (t->c.type_vocab_size <= 2) /* more: types of genomes */
        t->b.type = NULL;
    t->b.mask = NULL;
    t->b.token = t->tokens;
}

void tiny_init(struct tiny *t, const struct bird_config *c, uint64_t seed)
{
    struct bird_rng r;

    memset(t, 0, sizeof(*t));
    bird_rng_init(&r, seed, 0, 0);
    t->c = *c;
    if (bird_params_list(&t->list, &t->n_param, &t->total, c) ||
        bird_array_new(&t->theta, t->total, 4) ||
        bird_array_new(&t->grad, t->total, 4) ||
        bird_weights_bind(&t->w, t->theta, t->list, t->n_param, c) ||
        bird_weights_bind(&t->g, t->grad, t->list, t->n_param, c)) {
        fprintf(stderr, "%s\n", bird_last_error());
        abort();
    }
    for (int64_t i = 0; i < t->n_param; i++) {
        const struct bird_param *p = t->list + i;
        float *x = t->theta + p->offset;

        ref_fill(x, p->count, &r, p->kind == BIRD_PARAM_EMBEDDING ? 1 : 0.3);
        for (int64_t j = 0; j < p->count && p->kind == BIRD_PARAM_GAIN; j++)
            x[j] += 1;
    }
    fill_batch(t, &r);
    t->b = (struct bird_batch){.n_seq = TINY_SEQ,
                               .offset = t->offset,
                               .ids = t->ids,
                               .type = t->type,
                               .mask = t->mask};
    if (c->n_stem)
        tiny_rows(t);
    t->labels = (struct bird_labels){.class_id = t->class_id,
                                     .value = t->value,
                                     .token = t->token,
                                     .next = t->next,
                                     .pos_weight = 1};
}

void tiny_calm(struct tiny *t)
{
    float by = sqrtf(12.0f / (float)t->c.hidden_size);

    for (int64_t i = 0; i < t->n_param; i++)
        for (int64_t j = 0; j < t->list[i].count; j++)
            if (t->list[i].kind == BIRD_PARAM_WEIGHT)
                t->theta[t->list[i].offset + j] *= by;
}

void tiny_free(struct tiny *t)
{
    bird_weights_free(&t->w);
    bird_weights_free(&t->g);
    free(t->list), free(t->theta), free(t->grad);
}

static void must(int rc)
{
    if (rc) {
        fprintf(stderr, "%s\n", bird_last_error());
        abort();
    }
}

void tiny_states(float *x, const struct tiny *t, const struct bird_batch *b)
{
    struct bird_encoder *e = NULL;

    must(bird_encoder_new(&e, &t->c, &t->w));
    must(bird_encoder_forward(e, x, NULL, b));
    bird_encoder_free(e);
}

struct bird_batch tiny_alone(const struct tiny *t, int s, int64_t offset[2])
{
    int64_t r = t->offset[s];

    offset[0] = 0;
    offset[1] = t->offset[s + 1] - r;
    return (struct bird_batch){.n_seq = 1,
                               .offset = offset,
                               .ids = t->ids + r,
                               .type = t->type + r,
                               .mask = t->mask + r};
}

double tiny_pass(struct tiny *t, const struct bird_dropout_rates *dropout,
                 int recompute)
{
    struct bird_encoder *e = NULL;
    struct bird_tape *tape = NULL;
    struct bird_loss loss = {0};
    struct bird_head_tokens tokens = {0};
    struct bird_batch b = t->b;
    const float *x;
    float *dx = NULL;
    int64_t n = t->b.offset[t->b.n_seq] * t->c.hidden_size;

    must(bird_encoder_new(&e, &t->c, &t->w));
    must(bird_tape_new(&tape, recompute));
    if (t->centre)
        bird_tape_centre(tape);
    must(bird_array_new(&dx, n, 4));
    must(bird_head_want(&tokens, &b, &t->c, t->token, 1));
    must(bird_encoder_train_forward(e, tape, &x, &b, dropout));
    must(bird_head_backward(&loss, dx, NULL, &t->g, &t->c, &t->w, x, &b,
                            &t->labels, dropout, 1));
    must(bird_encoder_backward(e, tape, &t->g, dx, &b, dropout));
    bird_encoder_free(e);
    bird_tape_free(tape);
    bird_head_tokens_free(&tokens);
    free(dx);
    return loss.loss;
}
