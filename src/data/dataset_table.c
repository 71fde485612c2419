/* Labelled sequences out of CSV and TSV. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "data/dataset.h"
#include "seq/input.h"

/* One record of the table, fields unquoted in place. */
struct record {
    char **field;
    int64_t n, cap, line;
};

struct table {
    struct bird_dataset_builder *b;
    char separator;
    char *rest;   /* what is not read yet */
    int64_t line; /* number of the next line, from 1 */
    struct record r;
    int64_t sequence, name, weight; /* columns, -1 = none */
    int64_t *label, n_label;
};

static int fail_at(const struct table *t, const char *column, const char *why)
{
    return bird_fail(BIRD_EFORMAT, "%s: line %lld, column '%s': %s", t->b->path,
                     (long long)t->r.line, column, why);
}

/* One field from *p on, ended by NUL in place. 1 when another follows. */
static int cut_field(struct table *t, char **field, char **at, int *more)
{
    char *p = *at, *to = p;

    *field = p;
    if (*p == '"') {
        p++;
        for (;; p++) {
            if (!*p)
                return bird_fail(BIRD_EFORMAT,
                                 "%s: line %lld, field %lld: a "
                                 "quote is not closed",
                                 t->b->path, (long long)t->r.line,
                                 (long long)t->r.n + 1);
            if (*p == '"' && *++p != '"')
                break;
            t->line += *p == '\n';
            *to++ = *p;
        }
    } else
        to = p += strcspn(p, t->separator == ',' ? ",\r\n" : "\t\r\n");
    if (*p == '\r' && p[1] == '\n')
        p++;
    if (*p && *p != '\n' && *p != t->separator)
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld, field %lld: '%c' where "
                         "the field should end",
                         t->b->path, (long long)t->r.line,
                         (long long)t->r.n + 1, *p < 32 ? '?' : *p);
    *more = *p == t->separator;
    t->line += *p == '\n';
    *at = *p ? p + 1 : p;
    *to = '\0';
    return 0;
}

/* 1 a record, 0 the end, or a failure. Blank lines are passed over. */
static int next_record(struct table *t)
{
    struct record *r = &t->r;
    int rc, more = 1;

    while (*t->rest == '\n' || (*t->rest == '\r' && t->rest[1] == '\n')) {
        t->rest += 1 + (*t->rest == '\r');
        t->line++;
    }
    if (!*t->rest)
        return 0;
    r->n = 0;
    r->line = t->line;
    while (more) {
        rc = bird_array_grow(&r->field, &r->cap, r->n + 1, sizeof(*r->field));
        if (!rc)
            rc = cut_field(t, &r->field[r->n], &t->rest, &more);
        if (rc)
            return rc;
        r->n++;
    }
    return 1;
}

static int fail_column(const struct table *t, const char *name)
{
    const struct record *r = &t->r;
    char there[160] = "";
    size_t n = 0;
    int is_cut = 0;

    for (int64_t i = 0; i < r->n && !is_cut; i++) {
        size_t left = sizeof(there) - n;
        int more =
            snprintf(there + n, left, "%s%s", i ? ", " : "", r->field[i]);

        is_cut = (size_t)more >= left;
        if (is_cut)
            there[n] = 0;
        else
            n += (size_t)more;
    }
    return bird_fail(BIRD_EFORMAT,
                     "%s: line %lld: there is no column '%s' among %lld: %s%s",
                     t->b->path, (long long)r->line, name, (long long)r->n,
                     there, is_cut ? " ..." : "");
}

/* The column called `name`, or numbered so from 1. */
static int find_column(int64_t *out, const struct table *t, const char *name)
{
    const struct record *r = &t->r;
    int64_t v;

    for (int64_t i = 0; i < r->n; i++) {
        const char *have = r->field[i];

        if (!strcmp(have, name) ||
            (!i && *have == '#' && !strcmp(have + 1, name))) {
            *out = i;
            return 0;
        }
    }
    if (!bird_digits(&v, name, INT32_MAX) && v >= 1 && v <= r->n) {
        *out = v - 1;
        return 0;
    }
    return fail_column(t, name);
}

/* Labels are known by their names, so a column is one label. */
static int add_label_column(struct table *t, const char *name, int64_t *cap)
{
    int rc = bird_array_grow(&t->label, cap, t->n_label + 1, sizeof(*t->label));

    if (!rc)
        rc = find_column(&t->label[t->n_label], t, name);
    for (int64_t i = 0; !rc && i < t->n_label; i++)
        if (t->label[i] == t->label[t->n_label])
            rc = bird_fail(BIRD_EINVAL,
                           "%s: column '%s' is named twice: name each column "
                           "once",
                           t->b->path, name);
    if (!rc)
        t->n_label++;
    return rc;
}

static int find_labels(struct table *t, const char *spec)
{
    int64_t cap = 0;
    char *copy, *word, *save = NULL;
    int rc = 0;

    if (!strcmp(spec, "*")) {
        rc = bird_array_new(&t->label, t->r.n, sizeof(*t->label));
        for (int64_t i = t->sequence + 1; !rc && i < t->r.n; i++)
            t->label[t->n_label++] = i;
        if (!rc && !t->n_label)
            rc = bird_fail(BIRD_EFORMAT,
                           "%s: line %lld: no label column "
                           "after the sequence",
                           t->b->path, (long long)t->r.line);
        return rc;
    }
    copy = strdup(spec);
    if (!copy)
        return bird_fail_memory(strlen(spec));
    for (word = strtok_r(copy, ",", &save); word && !rc;
         word = strtok_r(NULL, ",", &save))
        rc = add_label_column(t, word, &cap);
    free(copy);
    if (!rc && !t->n_label && t->b->o->values)
        rc = bird_fail(BIRD_EINVAL,
                       "%s: no column of measured values is named: give their "
                       "names, separated by commas",
                       t->b->path);
    return rc;
}

/* The label columns' names become the labels' names. */
static int name_labels(struct table *t)
{
    struct bird_dataset *d = &t->b->d;
    int rc;

    d->kind = t->b->o->values ? BIRD_LABEL_VALUE : BIRD_LABEL_MULTI;
    d->n_label = t->n_label;
    if (t->b->o->n_class && t->b->o->n_class != t->n_label)
        return bird_fail(BIRD_EINVAL,
                         "%s: %lld label columns, but the model "
                         "has %lld labels",
                         t->b->path, (long long)t->n_label,
                         (long long)t->b->o->n_class);
    rc = bird_array_new(&d->label_name, t->n_label, sizeof(*d->label_name));
    for (int64_t i = 0; !rc && i < t->n_label; i++) {
        d->label_name[i] = strdup(t->r.field[t->label[i]]);
        if (!d->label_name[i])
            rc = bird_fail_memory(strlen(t->r.field[t->label[i]]));
        for (int64_t k = 0; !rc && k < i; k++)
            if (!strcmp(d->label_name[k], d->label_name[i]))
                rc = bird_fail(BIRD_EFORMAT,
                               "%s: two columns are named '%.80s': rename one",
                               t->b->path, d->label_name[i]);
    }
    return rc;
}

static int find_columns(struct table *t)
{
    const struct bird_dataset_options *o = t->b->o;
    const char *label = o->label ? o->label : "label";
    const char *sequence = o->sequence ? o->sequence : "sequence";
    int rc = find_column(&t->sequence, t, sequence);

    t->name = t->weight = -1;
    if (!rc && o->name)
        rc = find_column(&t->name, t, o->name);
    if (!rc && o->values && (o->weight || o->error))
        rc = find_column(&t->weight, t, o->weight ? o->weight : o->error);
    if (!rc)
        rc = find_labels(t, o->values ? o->values : label);
    if (!rc && (o->values || t->n_label > 1 || !strcmp(label, "*")))
        rc = name_labels(t);
    return rc;
}

static int is_unknown(const char *s)
{
    return !*s || !strcmp(s, ".") || !strcmp(s, "NA");
}

/* One label or value. -1: `s` is none. */
static int read_target(float *out, const struct table *t, const char *s)
{
    char *end;

    *out = NAN;
    if (is_unknown(s))
        return 0;
    if (t->b->d.kind == BIRD_LABEL_VALUE) {
        *out = strtof(s, &end);
        return *end || end == s || !isfinite(*out) ? -1 : 0;
    }
    if (strcmp(s, "0") != 0 && strcmp(s, "1") != 0)
        return -1;
    *out = (float)(*s - '0');
    return 0;
}

static int put_targets(struct table *t)
{
    struct bird_dataset *d = &t->b->d;
    int64_t at = (d->n - 1) * t->n_label;
    int rc = bird_array_grow(&d->target, &t->b->cap_target, at + t->n_label,
                             sizeof(*d->target));

    for (int64_t i = 0; !rc && i < t->n_label; i++) {
        char column[24];

        if (!read_target(&d->target[at + i], t, t->r.field[t->label[i]]))
            continue;
        snprintf(column, sizeof(column), "%lld", (long long)t->label[i] + 1);
        rc = fail_at(t, d->label_name ? d->label_name[i] : column,
                     d->kind == BIRD_LABEL_VALUE ? "a value is a number or NA"
                                                 : "a label is 0, 1 or empty");
    }
    return rc;
}

/* The weight of the row added last: proportional to the precision, the inverse
 * of the variance, of a measurement that is a mean of so many, or has this
 * standard error. */
static int put_weight(struct table *t)
{
    const struct bird_dataset_options *o = t->b->o;
    struct bird_dataset *d = &t->b->d;
    const char *s = t->r.field[t->weight];
    char *end;
    double x = strtod(s, &end);
    float w = (float)(o->weight ? x : 1 / (x * x));
    int rc = bird_array_grow(&d->weight, &t->b->cap_weight, d->n,
                             sizeof(*d->weight));

    if (rc)
        return rc;
    d->weight[d->n - 1] = w;
    if (end != s && !*end && x > 0 && w > 0 && isfinite(w))
        return 0;
    return fail_at(t, o->weight ? o->weight : o->error,
                   o->weight ? "a weight is a number above 0"
                             : "a standard error is a number above 0");
}

static int put_record(struct table *t, const char *column, int64_t n_column)
{
    struct record *r = &t->r;
    int rc;

    if (r->n != n_column)
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld: %lld field%s, but the "
                         "first line has %lld",
                         t->b->path, (long long)r->line, (long long)r->n,
                         r->n == 1 ? "" : "s", (long long)n_column);
    rc = bird_dataset_add(t->b, r->field[t->sequence],
                          (int64_t)strlen(r->field[t->sequence]), r->line,
                          column);
    if (!rc && t->name >= 0)
        rc = bird_dataset_put_name(t->b, r->field[t->name]);
    if (!rc && t->weight >= 0)
        rc = put_weight(t);
    if (!rc && bird_dataset_has_columns(&t->b->d))
        rc = put_targets(t);
    else if (!rc && t->n_label)
        rc = bird_dataset_put_label(t->b, r->field[t->label[0]]);
    return rc;
}

int bird_dataset_read_table(struct bird_dataset_builder *b, char separator)
{
    struct bird_text file = {0};
    struct table t = {.b = b, .separator = separator, .line = 1};
    char column[32] = "";
    int64_t n_column = 0;
    int rc = bird_read_file(&file, b->path), got = 0;

    if (rc)
        goto done;
    t.rest = file.s;
    if (!strncmp(t.rest, "\xef\xbb\xbf", 3)) /* a spreadsheet's mark */
        t.rest += 3;
    got = next_record(&t);
    if (got == 1) {
        rc = find_columns(&t);
        n_column = t.r.n;
        snprintf(column, sizeof(column), "column %lld",
                 (long long)t.sequence + 1);
        if (!rc)
            got = next_record(&t);
    }
    while (!rc && got == 1) {
        rc = put_record(&t, column, n_column);
        if (!rc)
            got = next_record(&t);
    }
    if (!rc && got < 0)
        rc = got;
done:
    free(t.r.field);
    free(t.label);
    bird_text_free(&file);
    return rc;
}
