/* Predictors of hidden tokens: the model, a uniform guess, Markov models.
 *
 * session/masked.h runs the model. The Markov models see no more than the
 * model: the bases next to a hidden token, up to another hidden token, an
 * unknown base, or the end of the window.
 * SPDX-License-Identifier: MIT */
#include "eval/mlm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "session/masked.h"

/* Where a row of the model comes from. */
struct piece {
    int64_t row, hidden; /* one of `rows`, and its first hidden token here */
};

struct bird_mlm_predictors {
    const struct bird_mlm_evaluating *v;
    struct bird_mlm_row *rows; /* that are being scored */
    struct bird_masked *model;
    struct bird_masked_row *query; /* (n_query) rows for the model */
    struct piece *piece;           /* (n_query) */
    int32_t *ids, *at;             /* tokens, and hidden ones, of all queries */
    int64_t n_query, n_ids, n_at, cap_query, cap_piece, cap_ids, cap_at;
    struct bird_strings *tail[BIRD_MARKOV_TAIL]; /* all strings of 1 .. 4
                                                    bases */
    struct bird_strings_workspace *workspace;    /* one for each thread */
    struct bird_pool pool;
};

/* log2 of the sum of exp(x) over the columns in `id` (NULL: all); *best: the
 * column of the largest x, the first of equal ones. */
static double log2_sum(int32_t *best, const float *x, const int32_t *id,
                       int64_t n)
{
    double sum = 0, most;

    *best = id ? id[0] : 0;
    for (int64_t i = 1; i < n; i++) {
        int32_t k = id ? id[i] : (int32_t)i;

        if (x[k] > x[*best])
            *best = k;
    }
    most = (double)x[*best];
    for (int64_t i = 0; i < n; i++)
        sum += exp((double)x[id ? id[i] : i] - most);
    return most / M_LN2 + log2(sum);
}

static void answer(double *score, const struct bird_mlm_vocab *v,
                   const float *logits, int64_t columns, int32_t id)
{
    const struct bird_mlm_words *words = &v->words[v->length[id]];
    double own = (double)logits[id] / M_LN2;
    int32_t best;

    score[BIRD_MLM_SCORE_BITS] = log2_sum(&best, logits, NULL, columns) - own;
    score[BIRD_MLM_SCORE_RIGHT] = best == id;
    score[BIRD_MLM_SCORE_LENGTH_BITS] =
        log2_sum(&best, logits, words->id, words->n) - own;
    score[BIRD_MLM_SCORE_LENGTH_RIGHT] = best == id;
}

static void take(void *context, int64_t query, int64_t i, const float *logits)
{
    struct bird_mlm_predictors *p = context;
    const struct piece *from = &p->piece[query];
    const struct bird_mlm_row *r = &p->rows[from->row];
    int64_t hidden = from->hidden + i;

    answer(bird_mlm_score_at(r, p->v, hidden, 0), &p->v->vocab, logits,
           bird_model_config(p->v->model)->vocab_size, r->hidden[hidden].id);
}

/* Special tokens before and after the bases of a row. */
static void find_ends(int64_t *before, int64_t *after,
                      const struct bird_mlm_row *r)
{
    const bird_encoding *e = &r->encoding;

    *before = *after = 0;
    while (*after < e->n && e->start[e->n - 1 - *after] == r->n_bp)
        ++*after;
    while (*before + 1 < e->n - *after && e->start[*before + 1] == 0)
        ++*before;
}

/* A query of tokens from .. to of row number i, between its special tokens, and those
 * of its hidden tokens from `hidden` on. */
static void put_query(struct bird_mlm_predictors *p, int64_t i, int64_t hidden,
                      int64_t from, int64_t to, int64_t before, int64_t after)
{
    const struct bird_mlm_row *r = &p->rows[i];
    const int32_t *of = r->encoding.ids;
    int32_t *ids = p->ids + p->n_ids, *at = p->at + p->n_at;
    int64_t n = 0, n_at = 0;

    for (int64_t k = 0; k < before; k++)
        ids[n++] = of[k];
    for (int64_t k = from; k < to; k++)
        ids[n++] = of[k];
    for (int64_t k = r->encoding.n - after; k < r->encoding.n; k++)
        ids[n++] = of[k];
    for (int64_t k = hidden; k < r->n_hidden && r->hidden[k].at < to; k++)
        at[n_at++] = (int32_t)(r->hidden[k].at - from + before);
    p->piece[p->n_query] = (struct piece){i, hidden};
    p->query[p->n_query++] =
        (struct bird_masked_row){.ids = ids, .at = at, .n = n, .n_at = n_at};
    p->n_ids += n;
    p->n_at += n_at;
}

/* Queries of row number i: one, or as many of one length as --row needs. */
static int cut_queries(struct bird_mlm_predictors *p, int64_t i)
{
    const struct bird_mlm_row *r = &p->rows[i];
    int64_t before, after, body, pieces = 1, hidden = 0;
    int rc;

    find_ends(&before, &after, r);
    body = r->encoding.n - before - after;
    if (p->v->o->row_tok) {
        int64_t most = p->v->o->row_tok - before - after;

        pieces = body > most ? (body + most - 1) / most : 1;
    }
    rc = bird_array_grow(&p->query, &p->cap_query, p->n_query + pieces,
                         sizeof(*p->query));
    if (!rc)
        rc = bird_array_grow(&p->piece, &p->cap_piece, p->n_query + pieces,
                             sizeof(*p->piece));
    for (int64_t k = 0; !rc && k < pieces; k++) {
        int64_t to = before + body * (k + 1) / pieces;

        put_query(p, i, hidden, before + body * k / pieces, to, before, after);
        while (hidden < r->n_hidden && r->hidden[hidden].at < to)
            hidden++;
    }
    return rc;
}

static int make_queries(struct bird_mlm_predictors *p, int64_t n)
{
    int64_t n_ids = 0, n_at = 0;
    int rc = 0;

    /* special tokens are repeated in each piece, which has at least one more */
    for (int64_t i = 0; i < n; i++) {
        n_ids += (1 + p->v->vocab.n_special) * p->rows[i].encoding.n;
        n_at += p->rows[i].n_hidden;
    }
    rc = bird_array_grow(&p->ids, &p->cap_ids, n_ids, sizeof(*p->ids));
    if (!rc)
        rc = bird_array_grow(&p->at, &p->cap_at, n_at, sizeof(*p->at));
    p->n_query = p->n_ids = p->n_at = 0;
    for (int64_t i = 0; !rc && i < n; i++)
        rc = cut_queries(p, i);
    return rc;
}

/* ---- learning ------------------------------------------------------------ */

/* Index in the held-out reference of contig i of the training reference; -1:
 * no contig of this name and length. */
static int32_t held_out_contig(const struct bird_mlm_evaluating *v,
                               const struct bird_packed_reference *b, int32_t i)
{
    int32_t k =
        bird_contigs_find(&v->sequence.reference.contigs, b->contigs.name[i]);

    if (k < 0 || k >= v->sequence.reference.n ||
        v->sequence.reference.contig[k].length != b->contig[i].length)
        return -1;
    return k;
}

/* Count windows that overlap the training sequence, and say so: the
 * baselines then look better than they are. */
static int count_trained(struct bird_mlm_evaluating *v,
                         const struct bird_packed_reference *b,
                         const struct bird_intervals *intervals)
{
    struct bird_intervals seen = {0};
    int rc = 0;

    for (int64_t i = 0; !rc && i < intervals->n; i++) {
        struct bird_interval p = intervals->at[i];

        p.contig = held_out_contig(v, b, p.contig);
        if (p.contig >= 0)
            rc = bird_intervals_put(&seen, &p);
    }
    bird_intervals_sort(&seen);
    bird_intervals_merge(&seen);
    for (int64_t i = 0; !rc && i < v->n_window; i++) {
        const struct bird_mlm_window *w = &v->window[i];
        int64_t k = bird_intervals_first(&seen, w->contig, w->end) - 1;

        v->e.n_trained += k >= 0 && seen.at[k].contig == w->contig &&
                          seen.at[k].end > w->start;
    }
    bird_intervals_free(&seen);
    if (!rc && v->e.n_trained)
        rc = bird_mlm_note(v,
                           "%lld of %lld windows touch sequence that the "
                           "baselines learned from: they look better than "
                           "they are\n",
                           (long long)v->e.n_trained, (long long)v->n_window);
    return rc;
}

int bird_mlm_learn(struct bird_mlm_evaluating *v)
{
    const bird_mlm_options *o = v->o;
    struct bird_packed_source s = {.fasta = o->train_fasta,
                                   .n_fasta = o->n_train_fasta,
                                   .include = o->train_regions};
    struct bird_intervals intervals = {0};
    struct bird_packed_reference b = {0};
    int rc;

    if (!s.n_fasta && !s.include)
        return bird_mlm_note(v, "no Markov baselines: give the training "
                                "sequence to learn them from\n");
    if (!s.n_fasta) {
        s.fasta = o->fasta;
        s.n_fasta = o->n_fasta;
    }
    rc = bird_packed_open(&b, &intervals, &s);
    if (!rc)
        rc = count_trained(v, &b, &intervals);
    if (!rc)
        rc = bird_markov_learn(&v->markov, &b, &intervals,
                               o->order[o->n_order - 1]);
    if (!rc)
        v->e.train_bp = v->markov->n_base;
    bird_packed_free(&b);
    bird_intervals_free(&intervals);
    return rc;
}

/* ---- predicting ---------------------------------------------------------- */

/* Bases next to a hidden token, up to another hidden token, an unknown base,
 * or the end of the window. */
static void find_flanks(struct bird_flanks *f, const struct bird_mlm_row *r,
                        const struct bird_mlm_hidden *h)
{
    int64_t i, most = BIRD_MARKOV_MAX;

    *f = (struct bird_flanks){0};
    for (i = h->start - 1; i >= 0 && f->n_left < most; i--) {
        int code = bird_markov_code(r->bases[i]);

        if (r->covered[i] || code < 0)
            break;
        f->left |= (uint64_t)code << 2 * f->n_left++;
    }
    for (i = h->start + h->n; i < r->n_bp && f->n_right < most; i++) {
        int code = bird_markov_code(r->bases[i]);

        if (r->covered[i] || code < 0)
            break;
        f->right |= (uint64_t)(3 - code) << 2 * f->n_right++;
    }
}

/* All strings have the same probability. */
static void score_uniform(double *score, const struct bird_mlm_words *words,
                          int64_t n_bp)
{
    score[BIRD_MLM_SCORE_BITS] = 2 * (double)n_bp;
    score[BIRD_MLM_SCORE_RIGHT] = (double)NAN;
    score[BIRD_MLM_SCORE_LENGTH_BITS] = log2((double)words->n);
    score[BIRD_MLM_SCORE_LENGTH_RIGHT] = 1 / (double)words->n;
}

static void put_answer(double *score, double log2p,
                       const struct bird_hidden_answer *among)
{
    score[BIRD_MLM_SCORE_BITS] = -log2p;
    score[BIRD_MLM_SCORE_RIGHT] = (double)NAN;
    score[BIRD_MLM_SCORE_LENGTH_BITS] = -among->log2p;
    score[BIRD_MLM_SCORE_LENGTH_RIGHT] = among->best;
}

static void score_token(struct bird_mlm_predictors *f, struct bird_mlm_row *r,
                        int64_t i, struct bird_strings_workspace *workspace)
{
    const struct bird_mlm_evaluating *v = f->v;
    const struct bird_mlm_hidden *t = &r->hidden[i];
    const struct bird_mlm_words *words = &v->vocab.words[t->n];
    const struct bird_strings *tail =
        f->tail[(t->n < BIRD_MARKOV_TAIL ? t->n : BIRD_MARKOV_TAIL) - 1];
    int32_t which = v->vocab.number[t->id];
    struct bird_hidden h = {.m = v->markov, .n = t->n};
    struct bird_hidden_answer left, both;
    double part[BIRD_N_MARKOV_PART];

    score_uniform(bird_mlm_score_at(r, v, i, 1), words, t->n);
    if (!v->markov)
        return;
    h.code = bird_strings_code(words->strings, which);
    find_flanks(&h.flanks, r, t);
    for (int j = 0; j < v->o->n_order; j++) {
        h.k = v->o->order[j];
        bird_hidden_parts(part, &h, tail, workspace);
        bird_hidden_among(&left, &both, &h, words->strings, which, workspace);
        put_answer(bird_mlm_score_at(r, v, i, 2 + j), part[BIRD_MARKOV_LEFT],
                   &left);
        put_answer(bird_mlm_score_at(r, v, i, 2 + v->o->n_order + j),
                   bird_hidden_mix(&h, part), &both);
    }
}

static void baseline_row(void *context, int64_t task, int worker)
{
    struct bird_mlm_predictors *f = context;

    for (int64_t i = 0; i < f->rows[task].n_hidden; i++)
        score_token(f, &f->rows[task], i, &f->workspace[worker]);
}

/* ---- both ---------------------------------------------------------------- */

int bird_mlm_predictors_new(struct bird_mlm_predictors **out,
                            const struct bird_mlm_evaluating *v)
{
    struct bird_masked_calls calls = {.logits = take};
    struct bird_mlm_predictors *p;
    int64_t n = INT64_C(1) << 2 * BIRD_MARKOV_TAIL;
    int longest = v->vocab.longest > BIRD_MARKOV_TAIL ? v->vocab.longest
                                                      : BIRD_MARKOV_TAIL;
    int rc = bird_array_new(&p, 1, sizeof(*p));

    if (rc)
        return rc;
    p->v = v;
    n = v->vocab.most > n ? v->vocab.most : n;
    p->workspace = bird_strings_workspaces(&p->pool, n, longest);
    rc = p->pool.rc;
    calls.context = p;
    if (!rc)
        rc = bird_masked_new(&p->model, v->model, &calls);
    for (int i = 0; !rc && i < BIRD_MARKOV_TAIL; i++)
        rc = bird_strings_all(&p->tail[i], i + 1);
    if (rc)
        bird_mlm_predictors_free(p);
    else
        *out = p;
    return rc;
}

void bird_mlm_predictors_free(struct bird_mlm_predictors *p)
{
    if (!p)
        return;
    bird_masked_free(p->model);
    for (int i = 0; i < BIRD_MARKOV_TAIL; i++)
        bird_strings_free(p->tail[i]);
    bird_pool_free(&p->pool);
    free(p->query);
    free(p->piece);
    free(p->ids);
    free(p->at);
    free(p);
}

int bird_mlm_predict(struct bird_mlm_predictors *p, struct bird_mlm_row *rows,
                     int64_t n)
{
    int rc;

    p->rows = rows;
    rc = make_queries(p, n);
    if (!rc)
        rc = bird_masked_run(p->model, p->query, p->n_query);
    if (!rc)
        bird_parallel(n, baseline_row, p);
    return rc;
}
