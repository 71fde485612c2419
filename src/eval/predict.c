/* Raw outputs of rows and of windows of bins.
 *
 * Rows go through a session, whose answers are float. Windows of bins go
 * through the encoder in packs, as in training, whose pack size validation
 * keeps; their answers are double. SPDX-License-Identifier: MIT */
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

/* --- rows ----------------------------------------------------------------- */

struct answers {
    double *p;
    const struct bird_scoring *s;
};

/* The mean of both strands is computed here, in double. */
static int take_answer(void *context, const bird_answer *a)
{
    struct answers *to = context;
    double *p = to->p + a->tag * a->n_label;
    int first = a->strand == '+' && to->s->strand == BIRD_STRAND_BOTH;

    for (int64_t j = 0; j < a->n_label; j++)
        p[j] = a->strand == '-' ? (p[j] + (double)a->value[j]) / 2
                                : (double)a->value[j];
    return to->s->after_row && !first ? to->s->after_row(to->s->context) : 0;
}

/* Rows of ids are read as they are. */
static int add_ids(bird_session *session, const struct bird_scoring *s,
                   struct bird_ids *ids, const bird_dataset *d, int64_t i)
{
    const struct bird_config *c = bird_model_config(s->m);
    int64_t max = bird_stem_tokens(c, c->max_positions);
    struct bird_rows rows = {0};
    int rc = bird_ids_read(ids, bird_dataset_seq(d, i), d->row[i].len);

    rows.ids = ids->id;
    rows.n = ids->n;
    if (!rc && ids->n > max)
        rc = bird_dataset_fail_long(d, i, s->file, ids->n, max);
    return rc ? rc : bird_session_add_rows(session, &rows, NULL, i);
}

int bird_score_rows(double *p, struct bird_scoring *s, const bird_dataset *d)
{
    struct answers to = {p, s};
    bird_session_options o = {.strand = s->strand == BIRD_STRAND_BOTH
                                            ? BIRD_STRAND_EACH
                                            : BIRD_STRAND_PLUS,
                              .answer = take_answer,
                              .context = &to};
    bird_session_counts t;
    bird_session *session;
    struct bird_ids ids = {0};
    int rc = bird_session_new(&session, s->m, &o);

    if (rc)
        return rc;
    for (int64_t i = 0; !rc && i < d->n; i++)
        rc = d->ids ? add_ids(session, s, &ids, d, i)
                    : bird_session_add(session, bird_dataset_seq(d, i),
                                       d->row[i].len, i);
    free(ids.id);
    if (!rc)
        rc = bird_session_flush(session);
    bird_session_count(session, &t);
    s->n_trimmed = t.n_trimmed;
    bird_session_free(session);
    return rc;
}

/* --- windows of bins ------------------------------------------------------ */

struct scoring {
    double *p;
    const struct bird_scoring *s;
    const struct bird_bin_windows *w;
    const struct bird_bin_rows *rows;
    struct bird_encoder *e;
    struct bird_pack pack;
    struct bird_bin_sample sample;
    int64_t *window; /* (pack.n_seq) that are in the pack */
    float *x, *logits;
    int64_t cap_window, cap_x, cap_logits;
    char strand; /* of this pass */
};

/* Put the bins of window i of the pack into their rows. */
static int take_bins(struct scoring *g, int64_t i)
{
    const struct bird_bin_labels *l = g->w->labels;
    const int64_t *bin = g->pack.bin + i, n = bin[1] - bin[0];
    const int64_t *row = g->rows->row + g->rows->first[g->window[i]];
    int64_t n_label = l->n_label;
    int minus = g->strand == '-';

    for (int64_t k = 0; k < n; k++) {
        const float *from =
            g->logits + (bin[0] + (minus ? n - 1 - k : k)) * n_label;

        for (int64_t j = 0; row[k] >= 0 && j < n_label; j++) {
            double *to = g->p + row[k] * n_label + j;
            double v = (double)from[minus ? l->pair[j] : j];

            if (!isfinite(v))
                return bird_fail(BIRD_EFORMAT,
                                 "model returned NaN or infinity for a window: "
                                 "the weights may be corrupt");
            v = 1 / (1 + exp(-v));
            *to = minus ? (*to + v) / 2 : v;
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
        rc = take_bins(g, i);
        if (!rc && g->s->after_row)
            rc = g->s->after_row(g->s->context);
    }
    bird_pack_clear(&g->pack);
    return rc;
}

static int add(struct scoring *g, int64_t i)
{
    struct bird_bin_sample *d = &g->sample;
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

int bird_score_windows(double *p, const struct bird_scoring *s,
                       const struct bird_bin_windows *w,
                       const struct bird_bin_rows *rows)
{
    struct scoring g = {.p = p, .s = s, .w = w, .rows = rows};
    int rc = bird_encoder_new(&g.e, bird_model_config(s->m),
                              bird_model_weights(s->m));

    g.pack.c = bird_model_config(s->m);
    for (int k = 0; !rc && k < 1 + (s->strand == BIRD_STRAND_BOTH); k++) {
        g.strand = "+-"[k];
        for (int64_t i = 0; !rc && i < w->n; i++)
            rc = add(&g, i);
        if (!rc)
            rc = run_pack(&g);
    }
    bird_encoder_free(g.e);
    bird_pack_free(&g.pack);
    bird_bin_sample_free(&g.sample);
    free(g.window);
    free(g.x);
    free(g.logits);
    return rc;
}
