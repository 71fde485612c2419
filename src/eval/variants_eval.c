/* Evaluation of alleles: options, TSV and JSON.
 * SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "dnabird/dnabird.h"
#include "eval/metrics.h"
#include "eval/variants_eval.h"
#include "track/output.h"

const char *bird_allele_class_name(enum bird_allele_class c)
{
    static const char *const name[BIRD_N_ALLELE_CLASS] = {"snv", "mnv",
                                                          "indel"};

    return name[c];
}

const char *bird_allele_metric_name(enum bird_allele_metric m)
{
    static const char *const name[BIRD_N_ALLELE_METRIC] = {
        "spearman", "spearman_abs", "auroc", "auprc"};

    return name[m];
}

const char *bird_allele_level_name(enum bird_allele_level l)
{
    static const char *const name[] = {"element", "group", "mean", "pooled"};

    return name[l];
}

void bird_variants_options_default(bird_variants_options *o)
{
    *o = (bird_variants_options){.motifs = "jaspar",
                                 .min_effect = -1,
                                 .max_p = 1e-5,
                                 .min_alleles = 10,
                                 .n_boot = 1000,
                                 .level = 0.95,
                                 .seed = 1};
}

void bird_variants_evaluation_free(bird_variants_evaluation *e)
{
    if (!e)
        return;
    for (int64_t i = 0; i < e->n_name; i++)
        free(e->name[i]);
    free(e->name);
    free(e->figures);
    free(e->notice);
    *e = (bird_variants_evaluation){0};
}

/* --- tables --------------------------------------------------------------- */

int bird_variants_evaluation_print(FILE *f, const bird_variants_evaluation *e)
{
    fputs("level\telement\tclass\tscore\tmetric\tvalue\tlow\thigh\tn\tpositives"
          "\n",
          f);
    for (int64_t i = 0; i < e->n_figures; i++) {
        const bird_variants_figure *x = &e->figures[i];

        fprintf(f, "%s\t%s\t%s\t%s\t%s", bird_allele_level_name(x->level),
                x->element, bird_allele_class_name(x->of), x->score,
                bird_allele_metric_name(x->metric));
        bird_put_numbers(f, (double[]){x->value, x->lo, x->hi}, 3);
        fprintf(f, "\t%lld\t", (long long)x->n);
        if (x->n_positive < 0)
            fputs("NA\n", f);
        else
            fprintf(f, "%lld\n", (long long)x->n_positive);
    }
    return bird_put_check(f);
}

static int put_tsv(FILE *f, const struct bird_variants_evaluating *v)
{
    if (v->o->command)
        fprintf(f, "# dnabird %s\n# command: %s\n", bird_version(),
                v->o->command);
    return bird_variants_evaluation_print(f, &v->e);
}

static json_t *figure_json(const bird_variants_figure *x)
{
    json_t *o = bird_json_interval(x->value, x->lo, x->hi);

    if (!o ||
        json_object_set_new(o, "level",
                            json_string(bird_allele_level_name(x->level))) ||
        json_object_set_new(o, "element", json_string(x->element)) ||
        json_object_set_new(o, "class",
                            json_string(bird_allele_class_name(x->of))) ||
        json_object_set_new(o, "score", json_string(x->score)) ||
        json_object_set_new(o, "metric",
                            json_string(bird_allele_metric_name(x->metric))) ||
        json_object_set_new(o, "n", json_integer(x->n)) ||
        (x->n_positive >= 0 &&
         json_object_set_new(o, "positives", json_integer(x->n_positive)))) {
        json_decref(o);
        return NULL;
    }
    return o;
}

static int put_json(FILE *f, const struct bird_variants_evaluating *v)
{
    const bird_variants_evaluation *e = &v->e;
    json_t *list = json_array();
    json_t *root = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "alleles",
        (json_int_t)e->n_allele, "read", (json_int_t)e->n_read, "unmeasured",
        (json_int_t)e->n_unmeasured, "few_barcodes", (json_int_t)e->n_few,
        "not_bases", (json_int_t)e->n_not_base, "unmatched",
        (json_int_t)e->n_unmatched, "repeated", (json_int_t)e->n_repeated,
        "elements", (json_int_t)e->n_element);
    int bad = !list || !root;

    for (int64_t i = 0; !bad && i < e->n_figures; i++)
        bad = json_array_append_new(list, figure_json(&e->figures[i]));
    if (!bad && v->o->command)
        bad =
            json_object_set_new(root, "command", json_string(v->o->command)) ||
            json_object_set_new(root, "dnabird", json_string(bird_version()));
    bad = bad || json_object_set(root, "figures", list);
    json_decref(list);
    if (bad) {
        json_decref(root);
        root = NULL;
    }
    return bird_json_put(f, root);
}

/* --- the run -------------------------------------------------------------- */

static int check_options(const bird_variants_options *o)
{
    if (!o->scored || o->n_score < 1)
        return bird_fail(BIRD_EINVAL,
                         "no scores to evaluate: name at least one column");
    if (!o->measured && !o->labels)
        return bird_fail(BIRD_EINVAL,
                         "name a column of measured effects or of labels");
    if (o->element && o->elements_bed)
        return bird_fail(BIRD_EINVAL, "elements are those of a column or of a "
                                      "BED file, not of both");
    if (o->model && !o->fasta)
        return bird_fail(BIRD_EINVAL,
                         "the k-mer baseline of a model needs the reference");
    if (o->features && !o->model)
        return bird_fail(BIRD_EINVAL,
                         "labels of a k-mer baseline need its model");
    if (o->n_boot < 0 || o->n_boot > INT32_MAX || o->min_alleles < 2 ||
        !(o->level > 0 && o->level < 1) || isnan(o->min_effect) ||
        isnan(o->max_p) || isnan(o->min_barcodes))
        return bird_fail(BIRD_EINVAL,
                         "resamples from 0, 2 alleles or more an element, a "
                         "level between 0 and 1: not %lld, %lld, %g",
                         (long long)o->n_boot, (long long)o->min_alleles,
                         o->level);
    return 0;
}

static int note_counts(struct bird_variants_evaluating *v)
{
    struct bird_allele_set *s = &v->set;
    int rc = 0;

    if (s->n_unmatched)
        rc = bird_allele_set_note(
            s, "%lld of %lld measured alleles are not among the scored ones",
            (long long)s->n_unmatched, (long long)s->n_read);
    if (!rc && s->n_repeated)
        rc = bird_allele_set_note(
            s, "%lld scored alleles are duplicates: the first of each counts",
            (long long)s->n_repeated);
    if (!rc && s->n_again)
        rc = bird_allele_set_note(
            s,
            "%lld alleles were measured before in their element: each counts, "
            "and intervals are too narrow",
            (long long)s->n_again);
    if (!rc)
        rc = bird_allele_set_note(
            s,
            "%lld of %lld alleles in %lld element%s; left out: %lld without a "
            "measured value or element, %lld with few barcodes, %lld no bases",
            (long long)s->n, (long long)s->n_read, (long long)s->n_element,
            s->n_element == 1 ? "" : "s", (long long)s->n_unmeasured,
            (long long)s->n_few, (long long)s->n_not_base);
    return rc;
}

static void take_counts(struct bird_variants_evaluating *v)
{
    const struct bird_allele_set *s = &v->set;
    bird_variants_evaluation *e = &v->e;

    e->n_allele = s->n;
    e->n_read = s->n_read;
    e->n_unmeasured = s->n_unmeasured;
    e->n_few = s->n_few;
    e->n_not_base = s->n_not_base;
    e->n_unmatched = s->n_unmatched;
    e->n_repeated = s->n_repeated;
    e->n_element = s->n_element;
}

static int write_all(struct bird_outputs *w,
                     const struct bird_variants_evaluating *v)
{
    int (*const put[])(FILE *, const struct bird_variants_evaluating *) = {
        put_tsv, put_json, bird_variants_print_page};
    int rc = 0;

    for (int i = 0; !rc && i < 3; i++)
        if (bird_outputs_stream(w, i))
            rc = put[i](bird_outputs_stream(w, i), v);
    return rc ? rc : bird_outputs_commit(w);
}

int bird_evaluate_variants(bird_variants_evaluation *out,
                           const bird_variants_options *o)
{
    const char *const path[] = {o->output, o->json, o->html};
    struct bird_variants_evaluating v = {.o = o};
    struct bird_outputs files = {0};
    int rc = check_options(o);

    if (!rc)
        rc = bird_outputs_open(&files, path, 3);
    if (!rc)
        rc = bird_allele_set_read(&v.set, o);
    if (!rc)
        rc = bird_variants_measure(&v);
    if (!rc) {
        take_counts(&v);
        rc = note_counts(&v);
    }
    if (!rc)
        rc = write_all(&files, &v);
    bird_outputs_abort(&files);
    if (rc) {
        bird_variants_evaluation_free(&v.e);
    } else {
        v.e.notice = v.set.notice.s;
        v.set.notice = (struct bird_text){0};
        *out = v.e;
    }
    bird_allele_set_free(&v.set);
    return rc;
}
