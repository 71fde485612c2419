/*
 * Choosing the tokens of a row to predict, and replacing them.
 *
 * Independent: each token with probability `mask`, as in transformers'
 * DataCollatorForLanguageModeling. Spans: as in Megatron's masking, which
 * GENA-LM uses. docs/math/pretraining-data.md has both.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "data/sampler.h"

/* A row being masked: chosen[i] is 1 where token i is to be predicted. */
struct masking {
    const struct bird_sampler *s;
    const struct bird_sampled_row *d;
    int32_t *chosen; /* (n_token) */
    int64_t n;       /* chosen so far */
    struct bird_rng r;
};

static int may_mask(const struct masking *m, int64_t i)
{
    return !m->s->words.special[m->d->ids[i]];
}

static void choose(struct masking *m, int64_t i, int64_t n)
{
    for (int64_t k = i; k < i + n; k++)
        m->chosen[k] = 1;
    m->n += n;
}

static void choose_independent(struct masking *m)
{
    for (int64_t i = 0; i < m->d->n_token; i++)
        if (may_mask(m, i) && bird_rng_uniform(&m->r) < m->s->o.mask)
            choose(m, i, 1);
}

/* Length of a span of 1 .. most tokens, p ~ 1 / length. */
static int64_t span_sample(struct bird_rng *r, int64_t most)
{
    double sum = 0.0, u;
    int64_t k;

    for (k = 1; k <= most; k++)
        sum += 1.0 / (double)k;
    u = bird_rng_uniform(r) * sum;
    for (k = 1; k < most && (u -= 1.0 / (double)k) >= 0.0; k++)
        ;
    return k;
}

/* A span from token i on, cut so that no more than `left` are chosen, unless
   it meets one that was. */
static void try_span(struct masking *m, int64_t i, int64_t left)
{
    int64_t most = 0, n;

    while (most < m->s->o.span && i + most < m->d->n_token &&
           may_mask(m, i + most))
        most++;
    n = span_sample(&m->r, most);
    n = n < left ? n : left;
    for (int64_t k = i; k < i + n; k++)
        if (m->chosen[k])
            return;
    choose(m, i, n);
}

/* Begins in random order until mask * n_token tokens are chosen. */
static int choose_spans(struct masking *m)
{
    int64_t want = llround(m->s->o.mask * (double)m->d->n_token), n = 0;
    int32_t *begin = NULL;
    int rc = bird_array_new(&begin, m->d->n_token, sizeof(*begin));

    if (rc)
        return rc;
    for (int64_t i = 0; i < m->d->n_token; i++)
        if (may_mask(m, i))
            begin[n++] = (int32_t)i;
    for (int64_t k = 0; k < n && m->n < want; k++) {
        int64_t j = k + (int64_t)bird_rng_below(&m->r, (uint64_t)(n - k));
        int32_t i = begin[j];

        begin[j] = begin[k];
        if (!m->chosen[i])
            try_span(m, i, want - m->n);
    }
    free(begin);
    return 0;
}

/* A row with nothing to predict would teach nothing. */
static void choose_one(struct masking *m)
{
    int64_t n = 0, i = 0, k;

    for (k = 0; k < m->d->n_token; k++)
        n += may_mask(m, k);
    if (!n)
        return;
    for (k = (int64_t)bird_rng_below(&m->r, (uint64_t)n);; i++)
        if (may_mask(m, i) && k-- == 0)
            break;
    choose(m, i, 1);
}

/* Any token except global ones: many global tokens among few bases would show which
 * token was replaced. */
static int32_t any_token(struct masking *m)
{
    const struct bird_vocab_stats *w = &m->s->words;
    int32_t id = (int32_t)bird_rng_below(&m->r, (uint64_t)(w->n - w->n_global));

    for (int64_t i = 0; i < w->n_global && id >= w->global_rising[i]; i++)
        id++;
    return id;
}

/* 80 % [MASK], 10 % any token of the vocabulary, 10 % as it was. */
static int32_t replace(struct masking *m, int32_t id)
{
    double u = bird_rng_uniform(&m->r);

    if (u < 0.8)
        return m->s->words.mask;
    if (u < 0.9)
        return any_token(m);
    return id;
}

static void write_row(struct bird_sample_row *out, struct masking *m)
{
    const struct bird_sampled_row *d = m->d;

    out->n_token = d->n_token;
    out->n_rich = d->n_rich;
    out->next = d->next;
    out->n_masked = m->n;
    out->bp = out->masked_bp = 0;
    out->masked_weight = out->masked_weight_bp = 0;
    for (int64_t i = 0; i < d->n_token; i++) {
        int32_t id = d->ids[i], bp = d->bp[i];
        double weight = d->weight ? (double)d->weight[i] : 1;

        out->bp += bp;
        out->masked_weight += m->chosen[i] ? weight : 0;
        out->masked_weight_bp += m->chosen[i] ? weight * bp : 0;
        out->label[i] = m->chosen[i] ? id : BIRD_SAMPLE_NONE;
        out->masked_bp += m->chosen[i] ? bp : 0;
        out->ids[i] = m->chosen[i] ? replace(m, id) : id;
        /* chosen lies here: read above */
        out->type[i] = d->type + (i >= d->second);
    }
}

int bird_row_mask(struct bird_sample_row *out, const struct bird_sampled_row *d,
                  const struct bird_sampler *s, int64_t step, int64_t row)
{
    struct masking m = {.s = s, .d = d, .chosen = out->type};
    int rc = 0;

    bird_rng_init(&m.r, bird_mix(s->o.seed, BIRD_STREAM_MASK), (uint64_t)step,
                  (uint64_t)row);
    for (int64_t i = 0; i < d->n_token; i++)
        m.chosen[i] = 0;
    if (s->o.span == 1)
        choose_independent(&m);
    else
        rc = choose_spans(&m);
    if (rc)
        return rc;
    if (!m.n)
        choose_one(&m);
    write_row(out, &m);
    return 0;
}
