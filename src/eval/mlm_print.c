/* Bits per base as TSV and JSON. SPDX-License-Identifier: MIT */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "dnabird/dnabird.h"
#include "eval/metrics.h"
#include "eval/mlm.h"

int bird_mlm_evaluation_print(FILE *f, const bird_mlm_evaluation *e)
{
    fprintf(f, "set\tclass\tpredictor\tmetric\tvalue\tlo\thi\twindows\ttokens"
               "\tbases\n");
    for (int64_t i = 0; i < e->n_figures; i++) {
        const bird_mlm_figure *x = &e->figures[i];

        fprintf(f, "%s\t%s\t%s\t%s", x->set, bird_mlm_class_name(x->part),
                x->predictor, bird_mlm_metric_name(x->metric));
        bird_put_numbers(f, (double[]){x->value, x->lo, x->hi}, 3);
        fprintf(f, "\t%lld\t%lld\t%lld\n", (long long)x->n_window,
                (long long)x->n_token, (long long)x->n_base);
    }
    return bird_put_check(f);
}

int bird_mlm_put_tsv(FILE *f, const struct bird_mlm_evaluating *v)
{
    bird_put_provenance(f, v->o->command, v->e.model, v->e.digest);
    return bird_mlm_evaluation_print(f, &v->e);
}

/* ---- hidden tokens ------------------------------------------------------- */

void bird_mlm_tokens_header(struct bird_mlm_evaluating *v)
{
    fputs("chrom\tstart\tend\twindow\tclass\ttoken", v->tokens);
    for (int p = 0; p < v->n_predictor; p++) {
        char name[24];

        bird_mlm_predictor_name(name, v, p);
        fprintf(v->tokens, "\t%s\t%s_given_length", name, name);
    }
    fputc('\n', v->tokens);
}

void bird_mlm_tokens_put(struct bird_mlm_evaluating *v,
                         const struct bird_mlm_row *r)
{
    const char *name = v->reference.contigs.name[r->window.contig];
    FILE *f = v->tokens;

    for (int64_t i = 0; i < r->n_hidden; i++) {
        const struct bird_mlm_hidden *h = &r->hidden[i];
        int64_t start = r->window.start + h->start;

        fprintf(f, "%s\t%lld\t%lld\t%lld\t%s\t%s", name, (long long)start,
                (long long)(start + h->n), (long long)r->window.start,
                bird_mlm_class_name(h->part),
                bird_tokenizer_token(v->model.tokenizer, h->id));
        for (int p = 0; p < v->n_predictor; p++) {
            const double *score = bird_mlm_score_at(r, v, i, p);

            fprintf(f, "\t%.7g\t%.7g", score[BIRD_MLM_SCORE_BITS],
                    score[BIRD_MLM_SCORE_LENGTH_BITS]);
        }
        fputc('\n', f);
    }
}

/* ---- JSON ---------------------------------------------------------------- */

static json_t *figures(const bird_mlm_evaluation *e)
{
    json_t *sets = json_object();

    for (int64_t i = 0; i < e->n_figures; i++) {
        const bird_mlm_figure *x = &e->figures[i];
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

/* What the baselines are. */
static json_t *floors(const struct bird_mlm_evaluating *v)
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

int bird_mlm_put_json(FILE *f, const struct bird_mlm_evaluating *v)
{
    const bird_mlm_options *o = v->o;
    json_t *root = json_pack(
        "{s:s, s:s?, s:{s:s, s:s}, s:{s:I, s:I, s:I}, s:f, s:I, s:I, s:o, "
        "s:o, s:o, s:o}",
        "dnabird", bird_version(), "command", o->command, "model", "name",
        v->e.model, "digest", v->e.digest, "window", "bp",
        (json_int_t)o->context_bp, "stride_bp", (json_int_t)o->stride_bp,
        "tokens", (json_int_t)o->length_tok, "mask", o->mask, "seed",
        (json_int_t)o->seed, "resamples", (json_int_t)o->n_boot, "counts",
        counts(&v->e), "markov", floors(v), "sets", figures(&v->e), "notices",
        notices(v));

    return bird_json_put(f, root);
}
