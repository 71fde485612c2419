/* Windows of bins through the encoder, packs of them at a time.
 * SPDX-License-Identifier: MIT */
#include "eval/predict_bins.h"

#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/mem.h"
#include "head/head.h"
#include "session/pack.h"

struct scoring {
    double *p;
    const struct bird_bin_scoring *s;
    const struct bird_bin_windows *w;
    const struct bird_bin_rows *rows;
    struct bird_encoder *e;
    struct bird_pack pack;
    struct bird_bin_drawn drawn;
    int64_t *window; /* (pack.n_seq) that are in the pack */
    float *x, *logits;
    int64_t cap_window, cap_x, cap_logits;
    char strand; /* of this pass */
};

/* Bins of window i of the pack to their rows. */
static int take(struct scoring *g, int64_t i)
{
    const struct bird_bin_labels *l = g->w->labels;
    const int64_t *bin = g->pack.bin + i, n = bin[1] - bin[0];
    const int64_t *row = g->rows->row + g->rows->first[g->window[i]];
    int64_t n_label = l->n_label;
    int turned = g->strand == '-';

    for (int64_t k = 0; k < n; k++) {
        const float *from =
            g->logits + (bin[0] + (turned ? n - 1 - k : k)) * n_label;

        for (int64_t j = 0; row[k] >= 0 && j < n_label; j++) {
            double *to = g->p + row[k] * n_label + j;
            double v = (double)from[turned ? l->pair[j] : j];

            if (!isfinite(v))
                return bird_fail(BIRD_EFORMAT,
                                 "model returned NaN or infinity for a window: "
                                 "the weights may be corrupt");
            v = 1 / (1 + exp(-v));
            *to = turned ? (*to + v) / 2 : v;
        }
    }
    return 0;
}

static int run_pack(struct scoring *g)
{
    const bird_model *m = g->s->m;
    const struct bird_config *c = bird_model_config(m);
    struct bird_batch b = bird_pack_batch(&g->pack);
    int rc = 0;

    if (!b.n_seq)
        return 0;
    rc = bird_array_grow(&g->x, &g->cap_x, g->pack.n_row * c->hidden_size,
                         sizeof(*g->x));
    if (!rc)
        rc = bird_array_grow(&g->logits, &g->cap_logits,
                             b.bin[b.n_seq] * c->n_label, sizeof(*g->logits));
    if (!rc)
        rc = bird_encoder_forward(g->e, g->x, NULL, &b);
    if (!rc)
        rc = bird_head_forward(g->logits, NULL, c, bird_model_weights(m), g->x,
                               &b);
    for (int64_t i = 0; !rc && i < b.n_seq; i++) {
        rc = take(g, i);
        if (!rc && g->s->after_row)
            rc = g->s->after_row(g->s->context);
    }
    bird_pack_clear(&g->pack);
    return rc;
}

static int add(struct scoring *g, int64_t i)
{
    struct bird_bin_drawn *d = &g->drawn;
    struct bird_binned s;
    int rc = bird_bin_windows_get(d, g->w, i, g->strand, 0);

    if (!rc)
        rc = bird_array_grow(&g->window, &g->cap_window, g->pack.n_seq + 1,
                             sizeof(*g->window));
    if (rc)
        return rc;
    g->window[g->pack.n_seq] = i;
    s = (struct bird_binned){d->seq, d->len, d->before};
    rc = bird_pack_add_bins(&g->pack, bird_model_tokenizer(g->s->m), &s);
    if (!rc && g->pack.n_tok >= g->s->pack_tokens)
        rc = run_pack(g);
    return rc;
}

int bird_bins_score(double *p, const struct bird_bin_scoring *s,
                    const struct bird_bin_windows *w,
                    const struct bird_bin_rows *rows)
{
    struct scoring g = {.p = p, .s = s, .w = w, .rows = rows};
    int rc = bird_encoder_new(&g.e, bird_model_config(s->m),
                              bird_model_weights(s->m));

    g.pack.c = bird_model_config(s->m);
    for (int k = 0; !rc && k <= s->both; k++) {
        g.strand = "+-"[k];
        for (int64_t i = 0; !rc && i < w->n; i++)
            rc = add(&g, i);
        if (!rc)
            rc = run_pack(&g);
    }
    bird_encoder_free(g.e);
    bird_pack_free(&g.pack);
    bird_bin_drawn_free(&g.drawn);
    free(g.window);
    free(g.x);
    free(g.logits);
    return rc;
}
