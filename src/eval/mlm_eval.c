/* A masked-language model and its floors on held-out sequence.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "eval/mlm.h"
#include "eval/outs.h"
#include "session/score.h"

enum {
    CHUNK_WINDOWS = 1024, /* windows held at a time, at most, */
    CHUNK_PACKS = 64,     /* and about so many packs of tokens of them */
    TOKEN_BP = 4          /* bp a token has at least, about: sizes a chunk */
};

void bird_mlm_options_default(bird_mlm_options *o)
{
    *o = (bird_mlm_options){
        .max_n = 0.05, .mask = 0.15, .seed = 1, .n_boot = 1000, .level = 0.95};
    bird_model_run_default(&o->run);
    for (int k = 3; k <= BIRD_MLM_MAX_ORDER; k++)
        o->order[o->n_order++] = k;
}

void bird_mlm_evaluation_free(bird_mlm_evaluation *e)
{
    if (!e)
        return;
    for (int64_t i = 0; e->set_name && i < e->n_set; i++)
        free(e->set_name[i]);
    free(e->set_name);
    free(e->figures);
    free(e->notice);
    *e = (bird_mlm_evaluation){0};
}

/* ---- options ------------------------------------------------------------- */

static int check_orders(const bird_mlm_options *o)
{
    int good = o->n_order >= 1 && o->n_order <= BIRD_MLM_MAX_ORDER;

    for (int i = 0; good && i < o->n_order; i++)
        good = o->order[i] >= 1 && o->order[i] <= BIRD_MLM_MAX_ORDER &&
               (!i || o->order[i] > o->order[i - 1]);
    return good ? 0
                : bird_fail(BIRD_EINVAL,
                            "orders of Markov models are 1 to %d, rising, each "
                            "once",
                            BIRD_MLM_MAX_ORDER);
}

static int check_options(const bird_mlm_options *o)
{
    if (!o->model)
        return bird_fail(BIRD_EINVAL, "no model to evaluate: give its folder");
    if (o->n_fasta < 1)
        return bird_fail(BIRD_EINVAL, "no held-out sequence: give a FASTA "
                                      "file");
    if (o->context_bp < 0 || o->stride_bp < 0 || o->length_tok < 0 ||
        o->windows < 0 || o->context_bp > INT32_MAX)
        return bird_fail(BIRD_EINVAL, "context, stride, length and windows are "
                                      "0 or more");
    if (o->context_bp && o->length_tok)
        return bird_fail(BIRD_EINVAL, "windows are measured in bp or in "
                                      "tokens, not both");
    if (o->stride_bp && !o->context_bp)
        return bird_fail(BIRD_EINVAL, "a stride needs windows measured in bp");
    if (!(o->mask > 0 && o->mask <= 1))
        return bird_fail(BIRD_EINVAL,
                         "the share of hidden tokens is above 0, "
                         "at most 1, not %g",
                         o->mask);
    if (!(o->max_n >= 0 && o->max_n <= 1))
        return bird_fail(BIRD_EINVAL, "a share of N lies in 0 to 1, not at %g",
                         o->max_n);
    if (o->n_boot < 0 || o->n_boot > 1000000 || !(o->level > 0 && o->level < 1))
        return bird_fail(BIRD_EINVAL, "resamples or level out of range");
    return check_orders(o);
}

/* The longest window in tokens, where nothing else is asked for. */
static int settle_length(struct bird_mlm_evaluating *v, bird_mlm_options *o)
{
    int64_t most = v->model.folder.config.max_positions;

    if (o->context_bp)
        return 0;
    if (!o->length_tok)
        o->length_tok = most;
    if (o->length_tok > most)
        return bird_fail(
            BIRD_EINVAL, "windows of %lld tokens, but %s reads %lld",
            (long long)o->length_tok, v->model.folder.path, (long long)most);
    if (o->length_tok <= v->vocab.n_special)
        return bird_fail(BIRD_EINVAL,
                         "windows of %lld tokens hold nothing but the special "
                         "ones",
                         (long long)o->length_tok);
    return 0;
}

/* ---- opening ------------------------------------------------------------- */

static int open_model(struct bird_mlm_evaluating *v)
{
    struct bird_folder *f = &v->model.folder;
    bird_model_run run = v->o->run;
    int rc = bird_opened_open(&v->model, v->o->model, NULL, 1);

    run.pad_to = 0;
    if (rc || (rc = bird_opened_run(&v->model, &run)) ||
        (rc = bird_folder_identify(f)))
        return rc;
    if (f->config.head != BIRD_HEAD_MLM && f->config.head != BIRD_HEAD_PRETRAIN)
        return bird_fail(
            BIRD_EINVAL,
            "%s: this model has no masked-language head: bits per "
            "base need one that was pretrained (BigBirdForMaskedLM "
            "or BigBirdForPreTraining)",
            f->path);
    bird_path_base(v->e.model, sizeof(v->e.model), f->path);
    memcpy(v->e.digest, f->digest, sizeof(v->e.digest));
    return bird_mlm_vocab_new(&v->vocab, v->model.tokenizer, f->path);
}

static int open_reference(struct bird_mlm_evaluating *v)
{
    struct bird_reference *r = &v->reference;
    int64_t *length = NULL;
    int rc = bird_reference_open(r, v->o->fasta, v->o->n_fasta);

    if (!rc)
        rc = bird_array_new(&length, r->n, sizeof(*length));
    for (int64_t i = 0; !rc && i < r->n; i++)
        length[i] = r->contig[i].length;
    if (!rc)
        rc = bird_intervals_allowed(&v->areas, &r->contigs, length, r->n,
                                    v->o->regions, NULL);
    if (!rc)
        rc = bird_array_new(&v->has_case, r->n, 1);
    if (!rc && !v->areas.n)
        rc = bird_fail(BIRD_EINVAL, "none of the regions lies on a contig of "
                                    "the held-out sequence");
    free(length);
    return rc;
}

/* ---- scoring ------------------------------------------------------------- */

struct chunk {
    const struct bird_mlm_evaluating *v;
    struct bird_mlm_row *rows; /* (CHUNK_WINDOWS) */
    char *letters;             /* of all of them, as they stand */
    int64_t *at;               /* (CHUNK_WINDOWS) a window's first letter */
    int64_t cap_letters;
};

/* How many windows from `first` on make a chunk: a function of their sizes. */
static int64_t chunk_size(const struct bird_mlm_evaluating *v, int64_t first)
{
    int64_t most = (int64_t)CHUNK_PACKS * BIRD_PACK_TOKENS * TOKEN_BP;
    int64_t n = 0, bp = 0;

    while (first + n < v->n_window && n < CHUNK_WINDOWS && bp < most) {
        bp += v->window[first + n].end - v->window[first + n].start;
        n++;
    }
    return n;
}

static int fetch(struct chunk *c, struct bird_mlm_evaluating *v, int64_t first,
                 int64_t n)
{
    int64_t at = 0;
    int rc = 0;

    for (int64_t i = 0; !rc && i < n; i++) {
        struct bird_mlm_window *w = &v->window[first + i];
        int64_t n_bp = w->end - w->start;
        const char *letters;

        rc = bird_mlm_letters(&letters, v, w);
        if (!rc)
            rc = bird_array_grow(&c->letters, &c->cap_letters, at + n_bp, 1);
        if (rc)
            break;
        memcpy(c->letters + at, letters, (size_t)n_bp);
        c->rows[i].window = *w;
        c->at[i] = at;
        at += n_bp;
    }
    return rc;
}

static void make_row(void *context, int64_t task, int worker)
{
    struct chunk *c = context;

    (void)worker;
    c->rows[task].rc =
        bird_mlm_row_make(&c->rows[task], c->v, c->letters + c->at[task]);
}

static int make_rows(struct chunk *c, int64_t n)
{
    int rc = 0;

    bird_parallel(n, make_row, c);
    /* the sentence may be another thread's: the first bad row says it again */
    for (int64_t i = 0; !rc && i < n; i++)
        if (c->rows[i].rc)
            rc = bird_mlm_row_make(&c->rows[i], c->v, c->letters + c->at[i]);
    return rc;
}

static int report(const struct bird_mlm_evaluating *v, int64_t done)
{
    bird_progress p = {"scoring", "windows", done, v->n_window, NULL, NULL};

    if (v->o->progress && v->o->progress(v->o->progress_context, &p))
        return bird_fail(BIRD_ECANCELED, "stopped after %lld of %lld windows",
                         (long long)done, (long long)v->n_window);
    return 0;
}

static int score_chunks(struct chunk *c, struct bird_mlm_evaluating *v,
                        struct bird_mlm_scorer *s, struct bird_mlm_floors *f)
{
    int64_t n;
    int rc = 0;

    for (int64_t first = 0; !rc && first < v->n_window; first += n) {
        n = chunk_size(v, first);
        rc = fetch(c, v, first, n);
        if (!rc)
            rc = make_rows(c, n);
        if (!rc)
            rc = bird_mlm_score_model(s, c->rows, n);
        if (!rc)
            bird_mlm_score_floors(f, c->rows, n);
        for (int64_t i = 0; !rc && i < n; i++) {
            bird_mlm_add_row(v, first + i, &c->rows[i]);
            if (v->tokens)
                bird_mlm_tokens_put(v, &c->rows[i]);
        }
        if (!rc)
            rc = report(v, first + n);
    }
    return rc;
}

static int score(struct bird_mlm_evaluating *v)
{
    struct bird_mlm_scorer *s = NULL;
    struct bird_mlm_floors *f = NULL;
    struct chunk c = {.v = v};
    int rc = bird_array_new(&c.rows, CHUNK_WINDOWS, sizeof(*c.rows));

    if (!rc)
        rc = bird_array_new(&c.at, CHUNK_WINDOWS, sizeof(*c.at));
    if (!rc)
        rc = bird_array_new(&v->sum, v->n_window * bird_mlm_stride(v),
                            sizeof(*v->sum));
    if (!rc)
        rc = bird_mlm_scorer_new(&s, v);
    if (!rc)
        rc = bird_mlm_floors_new(&f, v);
    if (!rc && v->tokens)
        bird_mlm_tokens_header(v);
    if (!rc)
        rc = score_chunks(&c, v, s, f);
    for (int i = 0; c.rows && i < CHUNK_WINDOWS; i++)
        bird_mlm_row_free(&c.rows[i]);
    free(c.rows);
    free(c.at);
    free(c.letters);
    bird_mlm_scorer_free(s);
    bird_mlm_floors_free(f);
    return rc;
}

/* ---- all ----------------------------------------------------------------- */

static int note_counts(struct bird_mlm_evaluating *v)
{
    const bird_mlm_evaluation *e = &v->e;
    int rc = 0;

    if (e->n_rich)
        rc = bird_mlm_note(v,
                           "%lld windows have more than %g %% other letters "
                           "than A, C, G, T: left out\n",
                           (long long)e->n_rich, 100 * v->o->max_n);
    if (!rc && e->n_cut)
        rc = bird_mlm_note(v,
                           "%lld windows have more tokens than the model "
                           "reads: cut at their end\n",
                           (long long)e->n_cut);
    if (!rc && e->n_unknown)
        rc = bird_mlm_note(v,
                           "%lld of %lld hidden tokens hold other letters "
                           "than A, C, G, T: not scored\n",
                           (long long)e->n_unknown, (long long)e->n_hidden);
    if (!rc && e->n_class_window && e->n_class_window < e->n_window)
        rc = bird_mlm_note(v,
                           "%lld of %lld windows are on contigs without "
                           "lower case: in no class of sequence\n",
                           (long long)(e->n_window - e->n_class_window),
                           (long long)e->n_window);
    return rc;
}

static int evaluate(struct bird_mlm_evaluating *v, bird_mlm_options *o)
{
    int rc = open_model(v);

    if (!rc)
        rc = settle_length(v, o);
    if (!rc)
        rc = open_reference(v);
    if (!rc)
        rc = bird_mlm_find_windows(v);
    if (!rc)
        rc = bird_mlm_learn(v);
    if (rc)
        return rc;
    v->n_predictor = v->markov ? 2 + 2 * o->n_order : 2;
    rc = score(v);
    if (!rc)
        rc = bird_mlm_measure(v);
    return rc ? rc : note_counts(v);
}

static void release(struct bird_mlm_evaluating *v)
{
    bird_opened_close(&v->model);
    bird_mlm_vocab_free(&v->vocab);
    bird_reference_free(&v->reference);
    bird_intervals_free(&v->areas);
    bird_markov_free(v->markov);
    free(v->letters);
    free(v->window);
    free(v->sum);
    free(v->has_case);
    bird_text_free(&v->notice);
}

int bird_evaluate_mlm(bird_mlm_evaluation *out, const bird_mlm_options *o)
{
    const char *const path[] = {o->tokens, o->json, o->output};
    bird_mlm_options settled = *o; /* and length_tok, once it is known */
    struct bird_mlm_evaluating v = {.o = &settled, .held_area = -1};
    struct bird_outs files = {0};
    int rc = check_options(o);

    if (!rc)
        rc = bird_outs_open(&files, path, 3);
    v.tokens = rc ? NULL : bird_outs_stream(&files, 0);
    if (!rc)
        rc = evaluate(&v, &settled);
    if (!rc && bird_outs_stream(&files, 1))
        rc = bird_mlm_put_json(bird_outs_stream(&files, 1), &v);
    if (!rc && bird_outs_stream(&files, 2))
        rc = bird_mlm_put_tsv(bird_outs_stream(&files, 2), &v);
    if (!rc)
        rc = bird_outs_commit(&files);
    bird_outs_abort(&files);
    if (rc) {
        bird_mlm_evaluation_free(&v.e);
    } else {
        v.e.notice = v.notice.s;
        v.notice = (struct bird_text){0};
        *out = v.e;
    }
    release(&v);
    return rc;
}
