/* Labelled rows of an evaluation: the table or the windows are read as the
 * model's labels ask for. SPDX-License-Identifier: MIT */
#include "eval/evaluate_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/mem.h"
#include "data/dataset.h"
#include "head/head.h"
#include "peers/baseline.h"
#include "session/layout.h"

/* --- rows of a table ------------------------------------------------------ */

/* Names of the model's labels as an array; NULL when it has none, or those
 * that transformers gives to labels without names. */
static int model_labels(const char ***out, const bird_model *m)
{
    size_t n = json_array_size(bird_model_label_names(m));
    int rc, plain = 1;

    *out = NULL;
    if (!n)
        return 0;
    rc = bird_array_new(out, (int64_t)n, sizeof(**out));
    for (size_t i = 0; !rc && i < n; i++) {
        char number[40];

        snprintf(number, sizeof(number), "LABEL_%zu", i);
        (*out)[i] =
            json_string_value(json_array_get(bird_model_label_names(m), i));
        plain &= !strcmp((*out)[i], number);
    }
    if (!rc && plain) {
        free((void *)*out);
        *out = NULL;
    }
    return rc;
}

/* The columns that a model of several labels was trained on, between commas;
 * "*", all columns, when dnabird.json has no labels or a name has a comma. */
static int name_columns(struct bird_evaluate_rows *t)
{
    int known = json_is_array(json_object_get(bird_model_meta(t->m), "labels")),
        rc = 0;

    for (int64_t i = 0; known && i < t->columns; i++)
        known = t->label_name && t->label_name[i] && *t->label_name[i] &&
                !strchr(t->label_name[i], ',');
    if (!known)
        return bird_text_put(&t->label_columns, "*", 1);
    for (int64_t i = 0; !rc && i < t->columns; i++)
        rc = bird_text_printf(&t->label_columns, "%s%s", i ? "," : "",
                              t->label_name[i]);
    return rc;
}

/* How tables are read: the classes are the model's. */
static int choose_reading(struct bird_evaluate_rows *t)
{
    int choice = bird_config_is_choice(bird_model_config(t->m));
    bird_dataset_options *d = &t->how;

    *d = t->o->data;
    d->per_base = bird_head_classifies_tokens(bird_model_config(t->m)->head);
    d->n_vocab = bird_model_config(t->m)->vocab_size;
    d->n_class = t->measured ? 0 : t->columns == 1 ? 2 : t->columns;
    d->class_name = choice ? t->label_name : NULL;
    if (t->measured && (d->values || d->label)) {
        d->values = d->values ? d->values : d->label;
        return 0;
    }
    if (t->label_name && !choice) { /* of labelled bins */
        d->label_name = t->label_name;
        d->n_label_name = t->columns;
    }
    if (!d->context_bp)
        d->context_bp = bird_model_window(t->m);
    if (d->label || choice)
        return 0;
    if (name_columns(t))
        return BIRD_ENOMEM;
    if (t->measured)
        d->values = t->label_columns.s;
    if (t->multi ||
        (t->label_columns.s && strcmp(t->label_columns.s, "*") != 0))
        d->label = t->label_columns.s;
    return 0;
}

/* Each base whose class is known becomes a row of d. */
static int open_bases(struct bird_evaluate_rows *t)
{
    int32_t *class_id = NULL;
    bird_dataset d = {.kind = BIRD_LABEL_CLASS};
    int rc = bird_dataset_open(&t->bases, t->o->test, &t->how);

    if (!rc)
        rc = bird_dataset_classes(&class_id, &d.n, &t->bases);
    if (!rc)
        rc = bird_array_new(&d.row, d.n, sizeof(*d.row));
    for (int64_t i = 0; !rc && i < d.n; i++)
        d.row[i] = (bird_row){
            .len = 1, .name = -1, .contig = -1, .label = class_id[i]};
    d.n_label = t->bases.n_label;
    free(class_id);
    t->d = d;
    if (!rc && d.n < 1)
        rc = bird_fail(BIRD_EINVAL, "%s: no class of any base is known",
                       t->o->test);
    return rc;
}

static int open_table(struct bird_evaluate_rows *t)
{
    int rc = choose_reading(t);

    if (!rc && t->how.per_base)
        return open_bases(t);

    if (!rc)
        rc = bird_dataset_open(&t->d, t->o->test, &t->how);
    /* labelled bins may have one label: it is still an answer of its own */
    if (!rc && t->d.hit_at && t->d.n_label == 1 && t->columns == 1)
        t->multi = 1;
    return rc;
}

/* --- bins of windows ------------------------------------------------------ */

/* The bin is the model's; margin and distances of start sites are the model's
 * where the user gives none. */
static int choose_bins(bird_bin_options *out, int64_t *margin,
                       const struct bird_evaluate_rows *t)
{
    bird_bin_options o = t->o->bin, usual;
    const json_t *meta = bird_model_meta(t->m);
    int64_t other, site;
    int rc;

    bird_bin_options_default(&usual);
    other = usual.other_bp;
    site = usual.site_bp;
    *margin = 0;
    rc = bird_json_int(margin, meta, "margin_bp", 0, INT32_MAX,
                       bird_model_path(t->m));
    if (!rc)
        rc = bird_json_int(&other, meta, "other_bp", 0, INT32_MAX,
                           bird_model_path(t->m));
    if (!rc)
        rc = bird_json_int(&site, meta, "site_bp", 0, INT32_MAX,
                           bird_model_path(t->m));
    o.bin_bp = bird_model_config(t->m)->bin_bp;
    o.margin_bp = o.margin_bp < 0 ? *margin : o.margin_bp;
    o.site_bp = o.site_bp < 0 ? site : o.site_bp;
    o.other_bp = o.other_bp < 0 ? other : o.other_bp;
    o.features = NULL;
    *out = o;
    return rc;
}

/* Probabilities are those of the windows that commands score. */
static int check_windows(const struct bird_evaluate_rows *t,
                         int64_t margin_used, int64_t margin)
{
    int64_t context = bird_model_window(t->m);

    for (int64_t i = 0; i < t->windows.n; i++)
        if (t->windows.at[i].end - t->windows.at[i].start != context ||
            margin_used != margin)
            return bird_fail(
                BIRD_EINVAL,
                "%s: probabilities are calibrated on windows of the "
                "model's %lld bp with its margins of %lld bp",
                t->o->test, (long long)context, (long long)margin);
    return 0;
}

static int open_windows(struct bird_evaluate_rows *t)
{
    bird_features model = {0};
    bird_bin_options o;
    int64_t margin;
    int rc = bird_model_features(&model, t->m);

    if (!rc)
        rc = choose_bins(&o, &margin, t);
    if (!rc)
        rc = bird_bin_labels_open(&t->labels, t->o->bins, &o);
    if (!rc)
        rc = bird_bin_labels_name(&t->labels, &model,
                                  bird_model_strand_pair(t->m));
    if (!rc)
        rc = bird_bin_windows_open(&t->windows, &t->labels, t->o->test, &o);
    if (!rc)
        rc = bird_bin_rows_new(&t->bins, &t->windows);
    bird_features_free(&model);
    if (!rc && t->o->calibrate)
        rc = check_windows(t, o.margin_bp, margin);
    if (rc)
        return rc;
    t->d = t->bins.d;
    t->bins.d = (bird_dataset){.n = t->d.n};
    return 0;
}

/* --- both ----------------------------------------------------------------- */

/* The number of the model's label or value of this name; the number of labels:
 * none. */
static int64_t label_named(const struct bird_evaluate_rows *t, const char *name)
{
    int64_t i = 0, n = bird_head_targets(bird_model_config(t->m));

    while (i < n && strcmp(t->label_name[i], name) != 0)
        i++;
    return i;
}

/* Which of the model's labels or values the columns are, by name. NULL: all, in
 * the model's order; so are columns that all have other names, one for each. */
static int match_columns(int64_t **out, const struct bird_evaluate_rows *t,
                         const bird_dataset *d, const char *path)
{
    const char *what = t->measured ? "value" : "label", *other = NULL;
    int64_t targets = bird_head_targets(bird_model_config(t->m)), n = 0, *of;
    int rc, same = d->n_label == targets;

    *out = NULL;
    if (!d->label_name || !t->label_name)
        return 0;
    if ((rc = bird_array_new(&of, d->n_label, sizeof(*of))))
        return rc;
    for (int64_t k = 0; !rc && k < d->n_label; k++) {
        of[k] = label_named(t, d->label_name[k]);
        same &= of[k] == k;
        n += of[k] < targets;
        if (of[k] == targets)
            other = d->label_name[k];
        for (int64_t j = 0; j < k && of[k] < targets; j++)
            if (of[j] == of[k])
                rc = bird_fail(BIRD_EINVAL, "%s: column '%.80s' is named twice",
                               path, d->label_name[k]);
    }
    if (!rc && other && (n || d->n_label != targets))
        rc = bird_fail(BIRD_EINVAL,
                       "%s: the model has no %s '%.80s': name columns by its "
                       "%lld %ss, or give a column for each in its order, all "
                       "under other names",
                       path, what, other, (long long)targets, what);
    if (rc || same || other)
        free(of);
    else
        *out = of;
    return rc;
}

/* Which of the model's values the rows have. */
static int find_values(struct bird_evaluate_rows *t)
{
    int rc = match_columns(&t->value_of, t, &t->d, t->o->test);

    if (t->value_of) {
        t->answers = t->answers / t->columns * t->d.n_label;
        t->columns = t->d.n_label;
    }
    return rc;
}

/* Columns of labels into the model's order. */
static int order_labels(bird_dataset *d, const struct bird_evaluate_rows *t,
                        const char *path)
{
    int64_t *of = NULL, n = d->n_label;
    char **name = NULL;
    float *row = NULL;
    int rc;

    if (!d->target || n != t->columns)
        return 0; /* labelled bins are read by name */
    rc = match_columns(&of, t, d, path);
    if (rc || !of)
        return rc;
    rc = bird_array_new(&row, n, sizeof(*row));
    if (!rc)
        rc = bird_array_new(&name, n, sizeof(*name));
    for (int64_t k = 0; !rc && k < n; k++)
        name[of[k]] = d->label_name[k];
    for (int64_t i = 0; !rc && i < d->n; i++) {
        for (int64_t k = 0; k < n; k++)
            row[of[k]] = d->target[i * n + k];
        memcpy(d->target + i * n, row, (size_t)n * sizeof(*row));
    }
    if (!rc)
        memcpy(d->label_name, name, (size_t)n * sizeof(*name));
    free(name);
    free(row);
    free(of);
    return rc;
}

/* A model of several labels needs a column for each; another one a class. */
static int check_rows(const struct bird_evaluate_rows *t, const bird_dataset *d,
                      const char *path)
{
    if (d->kind == BIRD_LABEL_NONE)
        return bird_fail(BIRD_EINVAL, "%s: no labels to measure against", path);
    if (t->multi &&
        (d->kind != (t->measured ? BIRD_LABEL_VALUE : BIRD_LABEL_MULTI) ||
         d->n_label != t->columns))
        return bird_fail(BIRD_EINVAL,
                         "%s: the model answers %lld %s: CSV or TSV with "
                         "a column for each is needed",
                         path, (long long)t->columns,
                         t->measured ? "measured values" : "labels");
    if (!t->multi && d->kind != BIRD_LABEL_CLASS)
        return bird_fail(BIRD_EINVAL,
                         "%s: several label columns, but the model answers "
                         "one: name it with --label-column",
                         path);
    return 0;
}

int bird_evaluate_rows_open(struct bird_evaluate_rows *t, const bird_model *m,
                            const bird_evaluate_options *o)
{
    const struct bird_config *c = bird_model_config(m);
    int rc;

    if (!o->bins != !bird_config_on_grid(c))
        return bird_fail(BIRD_EINVAL,
                         o->bins ? "%s: this model does not predict bins: use "
                                   "'dnabird evaluate'"
                                 : "%s: this model predicts bins: use "
                                   "'dnabird evaluate bins'",
                         bird_model_path(m));
    if (bird_head_classifies_tokens(c->head) && !bird_config_is_choice(c))
        return bird_fail(BIRD_EINVAL,
                         "%s: a base has one of several classes: a model of "
                         "one label, or of independent labels, is not "
                         "evaluated on bases",
                         bird_model_path(m));
    t->o = o;
    t->m = m;
    t->answers = t->outputs = bird_model_labels(c);
    t->measured = bird_config_measures(c);
    t->columns = t->measured ? bird_head_targets(c) : t->answers;
    t->multi =
        t->measured || o->bins || (t->columns > 1 && !bird_config_is_choice(c));
    rc = model_labels(&t->label_name, m);
    if (!rc)
        rc = o->bins ? open_windows(t) : open_table(t);
    if (!rc && t->measured)
        rc = find_values(t);
    else if (!rc && t->multi)
        rc = order_labels(&t->d, t, o->test);
    return rc ? rc : check_rows(t, &t->d, o->test);
}

void bird_evaluate_rows_free(struct bird_evaluate_rows *t)
{
    bird_dataset_free(&t->d);
    bird_dataset_free(&t->bases);
    bird_bin_rows_free(&t->bins);
    bird_bin_windows_free(&t->windows);
    bird_bin_labels_free(&t->labels);
    bird_text_free(&t->label_columns);
    free((void *)t->label_name);
    free(t->value_of);
}

int64_t bird_evaluate_rows_passes(const struct bird_evaluate_rows *t,
                                  int both_strands)
{
    if (t->bases.n)
        return t->bases.n;
    return t->o->bins ? t->windows.n * (1 + both_strands) : t->d.n;
}

/* Leave the answers of the values that the rows have, in their order. */
static int keep_values(double *p, const struct bird_evaluate_rows *t)
{
    int64_t targets = bird_head_targets(bird_model_config(t->m));
    double *kept;
    int rc = bird_array_new(&kept, t->answers, sizeof(*kept));

    for (int64_t i = 0; !rc && i < t->d.n; i++) {
        for (int64_t j = 0; j < t->answers; j++)
            kept[j] = p[i * t->outputs + j / t->columns * targets +
                        t->value_of[j % t->columns]];
        memcpy(p + i * t->answers, kept, (size_t)t->answers * sizeof(*kept));
    }
    free(kept);
    return rc;
}

int bird_evaluate_rows_score(double *p, struct bird_scoring *s,
                             const struct bird_evaluate_rows *t)
{
    int rc;

    if (t->bases.n)
        return bird_score_bases(p, s, &t->bases);
    if (t->o->bins)
        return bird_score_windows(p, s, &t->windows, &t->bins);
    rc = bird_score_rows(p, s, &t->d);
    return rc || !t->value_of ? rc : keep_values(p, t);
}

/* --- baselines ------------------------------------------------------------ */

static int fit_on_windows(bird_baseline **out, struct bird_evaluate_rows *t,
                          const char *path, const bird_baseline_options *o)
{
    const bird_bin_options how = {.bin_bp = t->windows.bin,
                                  .margin_bp = t->windows.margin};
    struct bird_bin_windows w = {0};
    int rc = bird_bin_windows_open(&w, &t->labels, path, &how);

    if (!rc)
        rc = bird_baseline_fit_bins(out, &w, o);
    bird_bin_windows_free(&w);
    return rc;
}

int bird_evaluate_rows_fit(bird_baseline **out, struct bird_evaluate_rows *t,
                           const char *path, const bird_baseline_options *o)
{
    const char *format = bird_dataset_format(path);
    bird_dataset_options how = t->how;
    bird_dataset d = {0};
    int rc;

    if (t->o->bins)
        return fit_on_windows(out, t, path, o);
    how.name = NULL; /* a column of the evaluated rows */
    if (!strcmp(format, "csv") || !strcmp(format, "tsv"))
        how.labels = NULL; /* labels of a table are a column */
    rc = bird_dataset_open(&d, path, &how);
    if (!rc && t->multi && !t->measured)
        rc = order_labels(&d, t, path);
    if (!rc)
        rc = check_rows(t, &d, path);
    if (!rc)
        rc = bird_baseline_fit(out, &d, o);
    bird_dataset_free(&d);
    return rc;
}

int bird_evaluate_rows_check_baseline(const struct bird_evaluate_rows *t,
                                      const bird_baseline *b, const char *path)
{
    if (bird_baseline_columns(b) != t->columns)
        return bird_fail(
            BIRD_EFORMAT, "%s: %lld answers a row, but the model gives %lld",
            path, (long long)bird_baseline_columns(b), (long long)t->columns);
    if (!bird_baseline_context(b) != !t->o->bins)
        return bird_fail(BIRD_EFORMAT,
                         "%s: this baseline was fitted on %s, for which the "
                         "model gives no answers",
                         path, t->o->bins ? "whole rows" : "bins of windows");
    return 0;
}

/* Bins get bases a part at a time: the bases of all bins would take more memory
 * than everything else that is kept of a bin. */
int bird_evaluate_rows_each(const struct bird_evaluate_rows *t,
                            const bird_baseline *b,
                            bird_evaluate_rows_call *call, void *context)
{
    enum { BINS = 1 << 10 };
    int64_t around;
    bird_dataset d = {0};
    int rc;

    if (!t->o->bins)
        return call(context, &t->d, 0);
    around =
        b ? bird_baseline_context(b) : bird_baseline_bin_context(&t->windows);
    rc = bird_array_new(&d.row, BINS, sizeof(*d.row));
    for (int64_t first = 0; !rc && first < t->d.n; first += BINS) {
        d.n = t->d.n - first < BINS ? t->d.n - first : BINS;
        memcpy(d.row, t->d.row + first, (size_t)d.n * sizeof(*d.row));
        rc = bird_bin_rows_bases(&d, &t->windows, around);
        if (!rc)
            rc = call(context, &d, first);
    }
    free(d.row);
    free(d.bases);
    return rc;
}
