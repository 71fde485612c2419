/* What hidden tokens cost without a network. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "dnabird/dnabird.h"
#include "eval/mlm.h"

/* ---- learning ------------------------------------------------------------ */

/* The number that contig i of the training references has in ours; -1 when it
 * is not there, or another one of the same name. */
static int32_t held_out_contig(const struct bird_mlm_evaluating *v,
                               const struct bird_bases *b, int32_t i)
{
    int32_t k = bird_contigs_find(&v->reference.contigs, b->contigs.name[i]);

    if (k < 0 || k >= v->reference.n ||
        v->reference.contig[k].length != b->contig[i].length)
        return -1;
    return k;
}

/* Windows that touch what is learned from: said, since the figures of the
 * baselines then mean less. */
static int count_trained(struct bird_mlm_evaluating *v,
                         const struct bird_bases *b,
                         const struct bird_intervals *areas)
{
    struct bird_intervals seen = {0};
    int rc = 0;

    for (int64_t i = 0; !rc && i < areas->n; i++) {
        struct bird_interval p = areas->at[i];

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
    struct bird_bases_source s = {.fasta = o->train_fasta,
                                  .n_fasta = o->n_train_fasta,
                                  .include = o->train_regions};
    struct bird_intervals areas = {0};
    struct bird_bases b = {0};
    int rc;

    if (!s.n_fasta && !s.include)
        return bird_mlm_note(v, "no Markov baselines: give the training "
                                "sequence to learn them from\n");
    if (!s.n_fasta) {
        s.fasta = o->fasta;
        s.n_fasta = o->n_fasta;
    }
    rc = bird_bases_open(&b, &areas, &s);
    if (!rc)
        rc = count_trained(v, &b, &areas);
    if (!rc)
        rc =
            bird_markov_learn(&v->markov, &b, &areas, o->order[o->n_order - 1]);
    if (!rc)
        v->e.train_bp = v->markov->n_base;
    bird_bases_free(&b);
    bird_intervals_free(&areas);
    return rc;
}

/* ---- predicting ---------------------------------------------------------- */

struct bird_mlm_floors {
    const struct bird_mlm_evaluating *v;
    struct bird_strings *tail[BIRD_MARKOV_TAIL]; /* all of 1 .. 4 letters */
    struct bird_strings_room *room;              /* (n_room) a thread each */
    int64_t n_room;
    struct bird_mlm_row *rows;
};

int bird_mlm_floors_new(struct bird_mlm_floors **out,
                        const struct bird_mlm_evaluating *v)
{
    struct bird_mlm_floors *f = calloc(1, sizeof(*f));
    int64_t n = INT64_C(1) << 2 * BIRD_MARKOV_TAIL;
    int rc;

    if (!f)
        return bird_fail_memory(sizeof(*f));
    f->v = v;
    f->n_room = bird_threads();
    n = v->vocab.most > n ? v->vocab.most : n;
    rc = bird_array_new(&f->room, f->n_room, sizeof(*f->room));
    for (int64_t i = 0; !rc && i < f->n_room; i++)
        rc = bird_strings_room_new(&f->room[i], n,
                                   v->vocab.longest > BIRD_MARKOV_TAIL
                                       ? v->vocab.longest
                                       : BIRD_MARKOV_TAIL);
    for (int i = 0; !rc && i < BIRD_MARKOV_TAIL; i++)
        rc = bird_strings_all(&f->tail[i], i + 1);
    if (rc)
        bird_mlm_floors_free(f);
    else
        *out = f;
    return rc;
}

void bird_mlm_floors_free(struct bird_mlm_floors *f)
{
    if (!f)
        return;
    for (int64_t i = 0; f->room && i < f->n_room; i++)
        bird_strings_room_free(&f->room[i]);
    for (int i = 0; i < BIRD_MARKOV_TAIL; i++)
        bird_strings_free(f->tail[i]);
    free(f->room);
    free(f);
}

/* Letters beside a hidden token, up to what is hidden, unknown, or the end of
 * the window; the model sees no more. */
static void find_flanks(struct bird_flanks *f, const struct bird_mlm_row *r,
                        const struct bird_mlm_hidden *h)
{
    int64_t i, most = BIRD_MARKOV_MAX;

    *f = (struct bird_flanks){0};
    for (i = h->start - 1; i >= 0 && f->n_left < most; i--) {
        int code = bird_letter_code(r->letters[i]);

        if (r->covered[i] || code > 3)
            break;
        f->left |= (uint64_t)code << 2 * f->n_left++;
    }
    for (i = h->start + h->n; i < r->n_bp && f->n_right < most; i++) {
        int code = bird_letter_code(r->letters[i]);

        if (r->covered[i] || code > 3)
            break;
        f->right |= (uint64_t)(3 - code) << 2 * f->n_right++;
    }
}

/* Every string is as likely as any other. */
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

static void score_token(struct bird_mlm_floors *f, struct bird_mlm_row *r,
                        int64_t i, struct bird_strings_room *room)
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
        bird_hidden_parts(part, &h, tail, room);
        bird_hidden_among(&left, &both, &h, words->strings, which, room);
        put_answer(bird_mlm_score_at(r, v, i, 2 + j), part[BIRD_MARKOV_LEFT],
                   &left);
        put_answer(bird_mlm_score_at(r, v, i, 2 + v->o->n_order + j),
                   bird_hidden_mix(&h, part), &both);
    }
}

static void score_row(void *context, int64_t task, int worker)
{
    struct bird_mlm_floors *f = context;

    for (int64_t i = 0; i < f->rows[task].n_hidden; i++)
        score_token(f, &f->rows[task], i, &f->room[worker]);
}

void bird_mlm_score_floors(struct bird_mlm_floors *f, struct bird_mlm_row *rows,
                           int64_t n)
{
    f->rows = rows;
    bird_parallel(n, score_row, f);
}
