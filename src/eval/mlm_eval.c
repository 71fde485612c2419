/* Bits per base of a masked-language model and its baselines on held-out
 * sequence.
 *
 * Windows are scored in chunks, whose size depends on the windows alone, so
 * that results do not depend on threads. Sums over windows become metrics,
 * which are written as TSV and JSON.
 * SPDX-License-Identifier: MIT */
#include "eval/mlm.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "dnabird/dnabird.h"
#include "eval/metrics.h"
#include "session/layout.h"
#include "session/session.h"
#include "track/output.h"

int bird_mlm_evaluation_print(FILE *f, const bird_mlm_evaluation *e)
{
    fprintf(f, "set\tclass\tpredictor\tmetric\tvalue\tlo\thi\twindows\ttokens"
               "\tbases\n");
    for (int64_t i = 0; i < e->n_figures; i++) {
        const bird_mlm_value *x = &e->figures[i];

        fprintf(f, "%s\t%s\t%s\t%s", x->set, bird_mlm_class_name(x->part),
                x->predictor, bird_mlm_metric_name(x->metric));
        bird_put_numbers(f, (double[]){x->value, x->lo, x->hi}, 3);
        fprintf(f, "\t%lld\t%lld\t%lld\n", (long long)x->n_window,
                (long long)x->n_token, (long long)x->n_base);
    }
    return bird_put_check(f);
}

static int put_tsv(FILE *f, const struct bird_mlm_evaluating *v)
{
    char model[BIRD_MODEL_TITLE];

    bird_model_title(model, v->model);
    bird_put_provenance(f, v->o->command, model);
    return bird_mlm_evaluation_print(f, &v->e);
}

/* ---- hidden tokens ------------------------------------------------------- */

static void put_tokens_header(struct bird_mlm_evaluating *v)
{
    fputs("chrom\tstart\tend\twindow\tclass\ttoken", v->tokens);
    for (int p = 0; p < v->n_predictor; p++) {
        char name[24];

        bird_mlm_predictor_name(name, v, p);
        fprintf(v->tokens, "\t%s\t%s_given_length", name, name);
    }
    fputc('\n', v->tokens);
}

static void put_tokens(struct bird_mlm_evaluating *v,
                       const struct bird_mlm_row *r)
{
    const char *name = v->sequence.reference.contigs.name[r->window.contig];
    FILE *f = v->tokens;

    for (int64_t i = 0; i < r->n_hidden; i++) {
        const struct bird_mlm_hidden *h = &r->hidden[i];
        int64_t start = r->window.start + h->start;

        fprintf(f, "%s\t%lld\t%lld\t%lld\t%s\t%s", name, (long long)start,
                (long long)(start + h->n), (long long)r->window.start,
                bird_mlm_class_name(h->part),
                bird_tokenizer_token(bird_model_tokenizer(v->model), h->id));
        for (int p = 0; p < v->n_predictor; p++) {
            const double *score = bird_mlm_score_at(r, v, i, p);

            fprintf(f, "\t%.7g\t%.7g", score[BIRD_MLM_SCORE_BITS],
                    score[BIRD_MLM_SCORE_LENGTH_BITS]);
        }
        fputc('\n', f);
    }
}

/* ---- JSON ---------------------------------------------------------------- */

static json_t *metric_sets(const bird_mlm_evaluation *e)
{
    json_t *sets = json_object();

    for (int64_t i = 0; i < e->n_figures; i++) {
        const bird_mlm_value *x = &e->figures[i];
        json_t *part = bird_json_inside(bird_json_inside(sets, x->set),
                                        bird_mlm_class_name(x->part));

        json_object_set_new(part, "windows", json_integer(x->n_window));
        json_object_set_new(part, "tokens", json_integer(x->n_token));
        json_object_set_new(part, "bases", json_integer(x->n_base));
        json_object_set_new(bird_json_inside(part, x->predictor),
                            bird_mlm_metric_name(x->metric),
                            bird_json_interval(x->value, x->lo, x->hi));
    }
    return sets;
}

/* JSON that describes the baselines. */
static json_t *baselines(const struct bird_mlm_evaluating *v)
{
    const struct bird_markov *m = v->markov;
    json_t *alpha, *weight;

    if (!m)
        return json_null();
    alpha = json_array();
    weight = json_array();
    for (int k = 0; k <= m->order; k++) {
        json_t *order = json_array();

        json_array_append_new(alpha, json_real(m->alpha[k]));
        for (int j = 0; j < BIRD_MARKOV_TAIL; j++)
            json_array_append_new(
                order, json_pack("[f, f, f]", m->weight[k][j][0],
                                 m->weight[k][j][1], m->weight[k][j][2]));
        json_array_append_new(weight, order);
    }
    return json_pack("{s:I, s:I, s:o, s:o}", "bases", (json_int_t)m->n_base,
                     "held_out_bases", (json_int_t)m->n_held, "alpha", alpha,
                     "weights", weight);
}

static json_t *notices(const struct bird_mlm_evaluating *v)
{
    const char *line = v->notice.s, *end;
    json_t *list = json_array();

    for (; line && (end = strchr(line, '\n')); line = end + 1)
        json_array_append_new(list, json_stringn(line, (size_t)(end - line)));
    return list;
}

static json_t *counts(const bird_mlm_evaluation *e)
{
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "windows",
        (json_int_t)e->n_window, "left_out_rich_in_n", (json_int_t)e->n_rich,
        "not_drawn", (json_int_t)e->n_not_drawn, "rest_bp",
        (json_int_t)e->rest_bp, "cut", (json_int_t)e->n_cut, "with_classes",
        (json_int_t)e->n_class_window, "touch_training",
        (json_int_t)e->n_trained, "tokens", (json_int_t)e->n_token, "bases",
        (json_int_t)e->n_bp, "hidden", (json_int_t)e->n_hidden,
        "hidden_not_scored", (json_int_t)e->n_unknown);
}

static int put_json(FILE *f, const struct bird_mlm_evaluating *v)
{
    const bird_mlm_options *o = v->o;
    json_t *root = json_pack(
        "{s:s, s:s?, s:{s:s, s:s}, s:{s:I, s:I, s:I, s:I}, s:s, s:f, s:I, s:I, "
        "s:o, s:o, s:o, s:o}",
        "dnabird", bird_version(), "command", o->command, "model", "name",
        v->e.model, "digest", v->e.digest, "window", "bp",
        (json_int_t)o->context_bp, "stride_bp", (json_int_t)o->stride_bp,
        "tokens", (json_int_t)o->length_tok, "row_tokens",
        (json_int_t)o->row_tok, "repeats", o->repeats ? "mask" : "lower case",
        "mask", o->mask, "seed", (json_int_t)o->seed, "resamples",
        (json_int_t)o->n_boot, "counts", counts(&v->e), "markov", baselines(v),
        "sets", metric_sets(&v->e), "notices", notices(v));

    return bird_json_put(f, root);
}

enum {
    CHUNK_WINDOWS = 1024, /* windows of a chunk at most, ... */
    CHUNK_PACKS = 64,     /* ... and about this many packs of tokens */
    TOKEN_BP = 4          /* estimated bp of a token, for the size of a chunk */
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
        o->row_tok < 0 || o->windows < 0 || o->context_bp > INT32_MAX ||
        o->stride_bp > INT32_MAX)
        return bird_fail(BIRD_EINVAL, "context, stride, length and windows are "
                                      "0 or more, the first two at most 2^31 - "
                                      "1");
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
        return bird_fail(BIRD_EINVAL, "the share of N must be 0 to 1, got %g",
                         o->max_n);
    if (o->n_boot < 0 || o->n_boot > 1000000 || !(o->level > 0 && o->level < 1))
        return bird_fail(BIRD_EINVAL, "resamples or level out of range");
    return check_orders(o);
}

/* Set length_tok to what the model reads unless the user gives a length. */
static int settle_length(struct bird_mlm_evaluating *v, bird_mlm_options *o)
{
    int64_t most = bird_mlm_most_tokens(v);
    int64_t read = o->row_tok ? o->row_tok : o->length_tok;

    if (!o->context_bp && !o->length_tok)
        o->length_tok = most;
    if (read > most)
        return bird_fail(BIRD_EINVAL, "%s of %lld tokens, but %s reads %lld",
                         o->row_tok ? "rows" : "windows", (long long)read,
                         bird_model_path(v->model), (long long)most);
    if (read && read <= v->vocab.n_special)
        return bird_fail(BIRD_EINVAL,
                         "%s of %lld tokens hold nothing but the special ones",
                         o->row_tok ? "rows" : "windows", (long long)read);
    if (!o->context_bp && o->length_tok <= v->vocab.n_special)
        return bird_fail(BIRD_EINVAL,
                         "windows of %lld tokens hold nothing but the special "
                         "ones",
                         (long long)o->length_tok);
    return 0;
}

/* ---- opening ------------------------------------------------------------- */

static int open_model(struct bird_mlm_evaluating *v)
{
    const bird_model *m;
    bird_model_run run = v->o->run;
    int rc;

    run.pad_to = 0;
    rc = bird_model_open(&v->model, v->o->model, &run);
    if (rc)
        return rc;
    m = v->model;
    if (bird_config_answers(bird_model_config(m)) != BIRD_ANSWERS_TOKENS)
        return bird_fail(
            BIRD_EINVAL,
            "%s: this model has no masked-language head: bits per "
            "base need one that was pretrained (BigBirdForMaskedLM "
            "or BigBirdForPreTraining)",
            bird_model_path(m));
    bird_path_base(v->e.model, sizeof(v->e.model), bird_model_path(m));
    memcpy(v->e.digest, bird_model_digest(m), sizeof(v->e.digest));
    return bird_mlm_vocab_new(&v->vocab, bird_model_tokenizer(v->model),
                              bird_model_path(m));
}

static int open_reference(struct bird_mlm_evaluating *v)
{
    struct bird_reference *r = &v->sequence.reference;
    int64_t *length = NULL;
    int rc = bird_reference_open(r, v->o->fasta, v->o->n_fasta);

    if (!rc && v->o->by_contig && bird_contigs_find(&r->contigs, "all") >= 0)
        rc = bird_fail(BIRD_EINVAL, "a contig is called 'all', as the metrics "
                                    "of all windows are: evaluate without "
                                    "--by-contig, or give it another name");
    if (!rc)
        rc = bird_array_new(&length, r->n, sizeof(*length));
    for (int64_t i = 0; !rc && i < r->n; i++)
        length[i] = r->contig[i].length;
    if (!rc && v->o->repeats)
        rc = bird_intervals_mask(&v->sequence.repeats, &r->contigs, length,
                                 r->n, v->o->repeats);
    if (!rc)
        rc = bird_intervals_allowed(&v->sequence.intervals, &r->contigs, length,
                                    r->n, v->o->regions, NULL);
    if (!rc)
        rc = bird_array_new(&v->sequence.has_case, r->n, 1);
    if (!rc && !v->sequence.intervals.n)
        rc = bird_fail(BIRD_EINVAL, "none of the regions lies on a contig of "
                                    "the held-out sequence");
    free(length);
    return rc;
}

/* ---- scoring ------------------------------------------------------------- */

struct chunk {
    const struct bird_mlm_evaluating *v;
    struct bird_mlm_row *rows; /* (CHUNK_WINDOWS) */
    char *bases;               /* of all windows, as in the file */
    int64_t *at; /* (CHUNK_WINDOWS) index of a window's first base */
    int64_t cap_bases;
};

/* Number of windows in the chunk that starts at `first`: a function of their
 * sizes. */
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
        const char *bases;

        rc = bird_mlm_bases(&bases, v, w);
        if (!rc)
            rc = bird_array_grow(&c->bases, &c->cap_bases, at + n_bp, 1);
        if (rc)
            break;
        memcpy(c->bases + at, bases, (size_t)n_bp);
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
        bird_mlm_row_make(&c->rows[task], c->v, c->bases + c->at[task]);
}

static int make_rows(struct chunk *c, int64_t n)
{
    int rc = 0;

    bird_parallel(n, make_row, c);
    /* the error message may be another thread's: make the first failed row
     * again, for its message */
    for (int64_t i = 0; !rc && i < n; i++)
        if (c->rows[i].rc)
            rc = bird_mlm_row_make(&c->rows[i], c->v, c->bases + c->at[i]);
    return rc;
}

static int report(const struct bird_mlm_evaluating *v, int64_t done)
{
    bird_progress p = {"scoring", "windows", done, v->n_window, NULL, NULL, 0};

    if (v->o->progress && v->o->progress(v->o->progress_context, &p))
        return bird_fail(BIRD_ECANCELED, "stopped after %lld of %lld windows",
                         (long long)done, (long long)v->n_window);
    return 0;
}

static int score_chunks(struct chunk *c, struct bird_mlm_evaluating *v,
                        struct bird_mlm_predictors *p)
{
    int64_t n;
    int rc = 0;

    for (int64_t first = 0; !rc && first < v->n_window; first += n) {
        n = chunk_size(v, first);
        rc = fetch(c, v, first, n);
        if (!rc)
            rc = make_rows(c, n);
        if (!rc)
            rc = bird_mlm_predict(p, c->rows, n);
        for (int64_t i = 0; !rc && i < n; i++) {
            bird_mlm_add_row(v, first + i, &c->rows[i]);
            if (v->tokens)
                put_tokens(v, &c->rows[i]);
        }
        if (!rc)
            rc = report(v, first + n);
    }
    return rc;
}

static int score(struct bird_mlm_evaluating *v)
{
    struct bird_mlm_predictors *p = NULL;
    struct bird_pool pool = {0};
    struct chunk c = {.v = v};
    int rc;

    c.rows = bird_pool_array(&pool, CHUNK_WINDOWS, sizeof(*c.rows));
    c.at = bird_pool_array(&pool, CHUNK_WINDOWS, sizeof(*c.at));
    rc = pool.rc;
    if (!rc)
        rc = bird_array_new(&v->sum, v->n_window * bird_mlm_stride(v),
                            sizeof(*v->sum));
    if (!rc)
        rc = bird_mlm_predictors_new(&p, v);
    if (!rc && v->tokens)
        put_tokens_header(v);
    if (!rc)
        rc = score_chunks(&c, v, p);
    for (int i = 0; c.rows && i < CHUNK_WINDOWS; i++)
        bird_mlm_row_free(&c.rows[i]);
    bird_pool_free(&pool);
    free(c.bases);
    bird_mlm_predictors_free(p);
    return rc;
}

/* ---- all ----------------------------------------------------------------- */

static int note_counts(struct bird_mlm_evaluating *v)
{
    const bird_mlm_evaluation *e = &v->e;
    int rc = 0;

    if (e->n_rich)
        rc = bird_mlm_note(v,
                           "%lld windows left out: more than %g %% of their "
                           "bases are not A, C, G or T\n",
                           (long long)e->n_rich, 100 * v->o->max_n);
    if (!rc && e->n_cut)
        rc = bird_mlm_note(v,
                           "%lld windows have more tokens than the model "
                           "reads: cut at their end\n",
                           (long long)e->n_cut);
    if (!rc && e->n_unknown)
        rc = bird_mlm_note(v,
                           "%lld of %lld hidden tokens not scored: they hold "
                           "bases other than A, C, G, T\n",
                           (long long)e->n_unknown, (long long)e->n_hidden);
    if (!rc && e->n_class_window && e->n_class_window < e->n_window)
        rc = bird_mlm_note(v,
                           "%lld of %lld windows are on contigs without "
                           "lower case: neither repeat nor nonrepeat\n",
                           (long long)(e->n_window - e->n_class_window),
                           (long long)e->n_window);
    return rc;
}

static int run_all(struct bird_mlm_evaluating *v, bird_mlm_options *o)
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
    bird_model_close(v->model);
    bird_mlm_vocab_free(&v->vocab);
    bird_reference_free(&v->sequence.reference);
    bird_intervals_free(&v->sequence.intervals);
    bird_intervals_free(&v->sequence.repeats);
    bird_markov_free(v->markov);
    free(v->sequence.bases);
    free(v->window);
    free(v->sum);
    free(v->sequence.has_case);
    bird_text_free(&v->notice);
}

int bird_evaluate_mlm(bird_mlm_evaluation *out, const bird_mlm_options *o)
{
    const char *const path[] = {o->tokens, o->json, o->output};
    bird_mlm_options settled = *o; /* options with length_tok set */
    struct bird_mlm_evaluating v = {.o = &settled, .sequence.current = -1};
    struct bird_outputs files = {0};
    int rc = check_options(o);

    if (!rc)
        rc = bird_outputs_open(&files, path, 3);
    v.tokens = rc ? NULL : bird_outputs_stream(&files, 0);
    if (!rc)
        rc = run_all(&v, &settled);
    if (!rc && bird_outputs_stream(&files, 1))
        rc = put_json(bird_outputs_stream(&files, 1), &v);
    if (!rc && bird_outputs_stream(&files, 2))
        rc = put_tsv(bird_outputs_stream(&files, 2), &v);
    if (!rc)
        rc = bird_outputs_commit(&files);
    bird_outputs_abort(&files);
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
