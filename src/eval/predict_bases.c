/* Classes of bases by a model that classifies tokens: rows go through the encoder in
 * packs. SPDX-License-Identifier: MIT */
#include "eval/predict.h"

#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
#include "data/dataset.h"
#include "head/head.h"
#include "model/stem.h"
#include "session/pack.h"
#include "session/session.h"

struct scoring {
    double *p; /* of the next base whose class is known */
    const struct bird_scoring *s;
    const struct bird_config *c;
    const bird_dataset *d;
    struct bird_encoder *e;
    struct bird_pack pack;
    int64_t first;  /* row of d that is the pack's first sequence */
    int64_t *start; /* (pack.n_tok) first base of each token in its row */
    float *x, *logits;
    int64_t cap_start, cap_x, cap_logits;
};

/* The logits of a token become probabilities. */
static int to_classes(float *p, int64_t n, int64_t row)
{
    bird_session_classes(p, n);
    return isnan(p[0]) ? bird_fail(BIRD_EFORMAT,
                                   "model returned NaN or infinity for row "
                                   "%lld: the weights may be corrupt",
                                   (long long)row + 1)
                       : 0;
}

/* The answers of the bases of sequence i of the pack. */
static int take_bases(struct scoring *g, int64_t i)
{
    int64_t row = g->first + i, n = g->c->n_label;
    int64_t columns = bird_model_labels(g->c);
    int64_t at = g->pack.token[i], end = g->pack.token[i + 1], done = -1;
    const uint8_t *class_id = bird_dataset_base_class(g->d, row);
    int rc = 0;

    for (int64_t j = 0; !rc && j < g->d->row[row].len; j++) {
        while (at + 1 < end && g->start[at + 1] <= j)
            at++;
        if (class_id[j] == BIRD_NO_CLASS)
            continue;
        if (at != done)
            rc = to_classes(g->logits + at * n, n, row);
        done = at;
        for (int64_t k = n - columns; k < n; k++)
            *g->p++ = (double)g->logits[at * n + k];
    }
    return rc;
}

static int run_pack(struct scoring *g)
{
    struct bird_batch b = bird_pack_batch(&g->pack);
    int rc;

    if (!b.n_seq)
        return 0;
    rc = bird_array_grow(&g->x, &g->cap_x, g->pack.n_row * g->c->hidden_size,
                         sizeof(*g->x));
    if (!rc)
        rc = bird_array_grow(&g->logits, &g->cap_logits,
                             g->pack.n_row * g->c->n_label, sizeof(*g->logits));
    if (!rc)
        rc = bird_encoder_forward(g->e, g->x, NULL, &b);
    if (!rc)
        rc = bird_head_forward(g->logits, NULL, g->c,
                               bird_model_weights(g->s->m), g->x, &b);
    for (int64_t i = 0; !rc && i < b.n_seq; i++) {
        rc = take_bases(g, i);
        if (!rc && g->s->after_row)
            rc = g->s->after_row(g->s->context);
    }
    g->first += b.n_seq;
    bird_pack_clear(&g->pack);
    return rc;
}

static int add(struct scoring *g, int64_t i)
{
    const bird_encoding *e = &g->pack.encoding;
    int64_t max = bird_stem_tokens(g->c, g->c->max_positions);
    int64_t first = g->pack.n_tok;
    int rc = bird_pack_add(&g->pack, bird_model_tokenizer(g->s->m),
                           bird_dataset_seq(g->d, i), g->d->row[i].len, max);

    if (!rc && g->pack.n_trimmed)
        rc = bird_dataset_fail_long(g->d, i, g->s->file, g->d->row[i].len, max);
    if (!rc)
        rc = bird_array_grow(&g->start, &g->cap_start, first + e->n,
                             sizeof(*g->start));
    for (int64_t k = 0; !rc && k < e->n; k++)
        g->start[first + k] = e->start[k];
    if (!rc && g->pack.n_tok >= g->s->pack_tokens)
        rc = run_pack(g);
    return rc;
}

int bird_score_bases(double *p, const struct bird_scoring *s,
                     const bird_dataset *d)
{
    struct scoring g = {.p = p, .s = s, .c = bird_model_config(s->m), .d = d};
    int rc = bird_encoder_new(&g.e, g.c, bird_model_weights(s->m));

    g.pack.c = g.c;
    for (int64_t i = 0; !rc && i < d->n; i++)
        rc = add(&g, i);
    if (!rc)
        rc = run_pack(&g);
    bird_encoder_free(g.e);
    bird_pack_free(&g.pack);
    free(g.start);
    free(g.x);
    free(g.logits);
    return rc;
}
