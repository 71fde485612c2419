/* Reading alleles to evaluate: from one file, or from a measured file whose
 * alleles are looked up in a scored file.
 * SPDX-License-Identifier: MIT */
#include "eval/allele_set.h"

#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"
#include "eval/allele_table.h"
#include "seq/input.h"
#include "seq/intervals.h"
#include "variant/allele.h"

/* Columns that the options name, other than scores. */
enum { EFFECT, P_VALUE, BARCODES, LABEL, ELEMENT, N_ROLE };

struct reading {
    const bird_variants_options *o;
    struct bird_allele_set *s;
    struct bird_allele_table *table, *scored; /* one, or two */
    int64_t role[N_ROLE];                     /* columns by role; -1: none */
    int64_t *column;                          /* (n_column) of scores */
    uint8_t *named; /* (n_column) 1: named without a glob */
    int64_t cap_column, cap_named;
    /* index of an allele of the scored file, when that is another file */
    struct bird_map scored_index; /* index of an allele in `value` */
    struct bird_map measured;     /* alleles with their elements */
    double *value;                /* (n_value, n_column) */
    int64_t n_value, cap_value;
    struct bird_text key, first, where, place;
    struct bird_map elements;        /* element index by name */
    struct bird_map intervals_named; /* intervals by name; -1: of several */
    struct bird_intervals intervals;
    int64_t n_shared; /* alleles in several intervals */
    struct bird_allele_baselines *baselines;
};

/* --- the set -------------------------------------------------------------- */

void bird_allele_set_free(struct bird_allele_set *s)
{
    for (int64_t i = 0; i < s->n_score; i++)
        free(s->score_name[i]);
    for (int64_t i = 0; i < s->n_element; i++)
        free(s->element[i].name);
    for (int64_t i = 0; i < s->n_group; i++)
        free(s->group[i]);
    free(s->score_name);
    free(s->left_out);
    free(s->element);
    free(s->group);
    free(s->at);
    free(s->score);
    bird_contigs_free(&s->contigs);
    bird_text_free(&s->notice);
    *s = (struct bird_allele_set){0};
}

int bird_allele_set_name_score(struct bird_allele_set *s, const char *name)
{
    int rc = bird_array_grow(&s->score_name, &s->cap_name, s->n_score + 1,
                             sizeof(*s->score_name));

    if (rc)
        return rc;
    s->score_name[s->n_score] = strdup(name);
    if (!s->score_name[s->n_score])
        return bird_fail_memory(strlen(name));
    s->n_score++;
    return 0;
}

int bird_allele_set_note(struct bird_allele_set *s, const char *fmt, ...)
{
    char line[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    return bird_text_printf(&s->notice, "%s\n", line);
}

struct bird_difference bird_allele_difference(const char *ref, const char *alt)
{
    struct bird_difference d = {0, (int64_t)strlen(ref), (int64_t)strlen(alt)};

    while (d.n_ref && d.n_alt && ref[d.n_ref - 1] == alt[d.n_alt - 1]) {
        d.n_ref--;
        d.n_alt--;
    }
    while (d.n_ref && d.n_alt && ref[d.at] == alt[d.at]) {
        d.at++;
        d.n_ref--;
        d.n_alt--;
    }
    return d;
}

/* --- which columns -------------------------------------------------------- */

static int is_glob(const char *s)
{
    return strpbrk(s, "*?[") != NULL;
}

/* 1: an option other than --scores names this column */
static int has_role(const struct reading *q, const char *name)
{
    const bird_variants_options *o = q->o;
    const char *role[] = {o->measured, o->p_column, o->barcodes, o->labels,
                          o->element};

    name += strncmp(name, "INFO/", 5) ? 0 : 5;
    for (int i = 0; i < N_ROLE; i++)
        if (role[i] &&
            (!strcmp(role[i], name) ||
             (!strncmp(role[i], "INFO/", 5) && !strcmp(role[i] + 5, name))))
            return 1;
    return 0;
}

/* 1: the column is a score already */
static int is_score(const struct reading *q, const char *name)
{
    name += strncmp(name, "INFO/", 5) ? 0 : 5;
    for (int64_t i = 0; i < q->s->n_score; i++)
        if (!strcmp(q->s->score_name[i], name))
            return 1;
    return 0;
}

static int add_score(struct reading *q, const char *name, int named)
{
    int64_t n = q->s->n_score;
    int rc =
        bird_array_grow(&q->column, &q->cap_column, n + 1, sizeof(*q->column));

    rc = rc ? rc : bird_array_grow(&q->named, &q->cap_named, n + 1, 1);
    rc = rc ? rc : bird_allele_table_want(&q->column[n], q->scored, name);
    if (rc)
        return rc;
    q->named[n] = (uint8_t)named;
    return bird_allele_set_name_score(
        q->s, strncmp(name, "INFO/", 5) ? name : name + 5);
}

static int choose_score(struct reading *q, const char *text)
{
    const char *name, *glob = strncmp(text, "INFO/", 5) ? text : text + 5;
    int64_t before = q->s->n_score;
    int rc = 0, exact = !is_glob(text);

    for (int64_t i = 0;
         !exact && (name = bird_allele_table_column(q->scored, i)); i++)
        exact = !strcmp(name, text);
    /* the measured file may have a column of this name, too */
    if (exact && q->table == q->scored && has_role(q, text))
        return bird_fail(BIRD_EINVAL,
                         "--scores '%s': another option names this column of "
                         "%s, too: a score is a column of its own",
                         text, bird_allele_table_name(q->scored));
    if (exact)
        return is_score(q, text) ? 0 : add_score(q, text, 1);
    for (int64_t i = 0; !rc && (name = bird_allele_table_column(q->scored, i));
         i++)
        if (!fnmatch(glob, name, 0) && !has_role(q, name) && !is_score(q, name))
            rc = add_score(q, name, 0);
    if (!rc && q->s->n_score == before)
        rc = bird_fail(BIRD_EINVAL, "%s: no column matches --scores '%s'",
                       bird_allele_table_name(q->scored), text);
    return rc;
}

static int choose_columns(struct reading *q)
{
    const bird_variants_options *o = q->o;
    const char *role[] = {o->measured, o->p_column, o->barcodes, o->labels,
                          o->element};
    int rc = 0;

    for (int i = 0; i < N_ROLE; i++) {
        q->role[i] = -1;
        if (!rc && role[i])
            rc = bird_allele_table_want(&q->role[i], q->table, role[i]);
    }
    for (int64_t i = 0; !rc && i < o->n_score; i++)
        rc = choose_score(q, o->score[i]);
    q->s->n_column = q->s->n_score;
    return rc;
}

/* --- scores --------------------------------------------------------------- */

static int take_scores(struct reading *q, double *out)
{
    for (int64_t k = 0; k < q->s->n_column; k++) {
        int rc = bird_allele_table_number(&out[k], q->scored, q->column[k]);

        if (rc && q->named[k])
            return rc;
        q->s->left_out[k] |= rc != 0;
    }
    return 0;
}

static int set_key(struct reading *q, const struct bird_allele_row *r)
{
    bird_text_clear(&q->key);
    return bird_text_printf(&q->key, "%s\t%lld\t%s\t%s", r->contig,
                            (long long)r->pos, r->ref, r->alt);
}

/* "HBG1:12 A>G" */
static int set_where(struct bird_text *out, const struct bird_allele_row *r)
{
    bird_text_clear(out);
    return bird_text_printf(out, "%s:%lld %.40s>%.40s", r->contig,
                            (long long)r->pos + 1, r->ref, r->alt);
}

/* Read the scored file. */
static int keep_scores(struct reading *q)
{
    struct bird_allele_row r;
    int64_t m = q->s->n_column, *at;
    int got, rc = 0;

    while (!rc && (got = bird_allele_table_next(&r, q->scored)) > 0) {
        rc = set_key(q, &r);
        if (!rc && !q->n_value)
            rc = set_where(&q->first, &r);
        if (!rc)
            rc = bird_map_add(&q->scored_index, &at, q->key.s, q->key.n,
                              q->n_value);
        if (!rc && *at != q->n_value) {
            q->s->n_repeated++;
            continue;
        }
        if (!rc)
            rc = bird_array_grow(&q->value, &q->cap_value, (q->n_value + 1) * m,
                                 sizeof(*q->value));
        if (!rc)
            rc = take_scores(q, q->value + q->n_value * m);
        q->n_value++;
    }
    return rc ? rc : got;
}

/* Find the scores of an allele of the measured file. @return 1, or 0: not
 * scored */
static int find_scores(struct reading *q, double *out,
                       const struct bird_allele_row *r)
{
    int64_t m = q->s->n_column;
    const int64_t *at;
    int rc;

    if (q->table == q->scored) {
        rc = take_scores(q, out);
        return rc ? rc : 1;
    }
    rc = set_key(q, r);
    if (rc)
        return rc;
    at = bird_map_find(&q->scored_index, q->key.s, q->key.n);
    if (!at) {
        q->s->n_unmatched++;
        return 0;
    }
    memcpy(out, q->value + *at * m, (size_t)m * sizeof(*out));
    return 1;
}

/* --- elements ------------------------------------------------------------- */

/* Mark the names of several intervals. A line that comes again is one. */
static int count_names(struct reading *q)
{
    const struct bird_interval *x = q->intervals.at;
    int rc = 0;

    for (int64_t i = 0; !rc && i < q->intervals.n; i++) {
        int64_t *at;

        if (!x[i].name)
            continue;
        rc = bird_map_add(&q->intervals_named, &at, x[i].name,
                          (int64_t)strlen(x[i].name), i);
        if (!rc && *at >= 0 && *at != i &&
            bird_interval_compare(&x[*at], &x[i]))
            *at = -1;
    }
    return rc;
}

static int read_intervals(struct reading *q)
{
    bird_regions list = {0};
    int rc = bird_regions_read_bed(&list, q->o->elements_bed);

    for (int64_t i = 0; !rc && i < list.n; i++) {
        int32_t contig = 0;

        rc = bird_contigs_add(&contig, &q->s->contigs, list.at[i].contig);
        list.at[i].index = contig;
    }
    if (!rc)
        rc = bird_intervals_new(&q->intervals, &list);
    if (!rc)
        rc = count_names(q);
    bird_regions_free(&list);
    return rc;
}

/* An interval's name in BED; its place where the name is none, or that of
 * several intervals. */
static int name_interval(const char **out, struct reading *q,
                         const struct bird_interval *x, const char *contig)
{
    const char *name = x->name;
    const int64_t *at;
    int rc;

    if (name && *name && strcmp(name, ".") != 0) {
        at = bird_map_find(&q->intervals_named, name, (int64_t)strlen(name));
        if (at && *at >= 0) {
            *out = name;
            return 0;
        }
    }
    bird_text_clear(&q->place);
    rc = bird_text_printf(&q->place, "%s:%lld-%lld", contig,
                          (long long)x->start + 1, (long long)x->end);
    *out = q->place.s;
    return rc;
}

/* The first interval that holds the base; or NULL. */
static const struct bird_interval *find_interval(struct reading *q,
                                                 int64_t contig, int64_t pos)
{
    const struct bird_intervals *s = &q->intervals;
    const struct bird_interval *found = NULL;
    int several = 0;

    for (int64_t i = bird_intervals_first(s, contig, pos + 1) - 1;
         i >= 0 && s->at[i].contig == contig && s->reach[i] > pos; i--)
        if (s->at[i].end > pos) {
            several |= found && bird_interval_compare(found, &s->at[i]);
            found = &s->at[i];
        }
    q->n_shared += several;
    return found;
}

static int add_element(struct reading *q, int32_t *out, const char *name,
                       const struct bird_element *like)
{
    struct bird_allele_set *s = q->s;
    int64_t *at;
    int rc = bird_map_add(&q->elements, &at, name, (int64_t)strlen(name),
                          s->n_element);

    if (!rc && *at < s->n_element) {
        *out = (int32_t)*at;
        return 0;
    }
    if (!rc && s->n_element == INT32_MAX)
        rc = bird_fail(BIRD_EINVAL, "more than 2^31 elements");
    if (!rc)
        rc = bird_array_grow(&s->element, &s->cap_element, s->n_element + 1,
                             sizeof(*s->element));
    if (rc)
        return rc;
    s->element[s->n_element] = *like;
    s->element[s->n_element].group = -1;
    s->element[s->n_element].name = strdup(name);
    if (!s->element[s->n_element].name)
        return bird_fail_memory(strlen(name));
    *out = (int32_t)s->n_element++;
    return 0;
}

/* Find the element of the current allele. @return 1, or 0: the allele is in
 * no element. Without an interval or a contig length the element's ends are
 * those of its alleles. */
static int find_element(struct reading *q, struct bird_allele *a,
                        const struct bird_allele_row *r)
{
    struct bird_element like = {.start = a->start, .end = a->end};
    struct bird_element *e;
    const char *name = r->contig;
    int rc = bird_contigs_add(&like.contig, &q->s->contigs, r->contig);
    int64_t length;

    if (rc)
        return rc;
    if (q->o->elements_bed) {
        const struct bird_interval *in =
            find_interval(q, like.contig, a->start);

        if (!in)
            return 0;
        like.start = in->start;
        like.end = in->end;
        rc = name_interval(&name, q, in, r->contig);
        if (!rc)
            rc = add_element(q, &a->element, name, &like);
        return rc ? rc : 1;
    }
    if (q->role[ELEMENT] >= 0)
        name = bird_allele_table_text(q->table, q->role[ELEMENT]);
    if (!*name || !strcmp(name, "."))
        return 0;
    rc = add_element(q, &a->element, name, &like);
    if (rc)
        return rc;
    e = &q->s->element[a->element];
    e->start = a->start < e->start ? a->start : e->start;
    e->end = a->end > e->end ? a->end : e->end;
    e->contig = e->contig == like.contig ? e->contig : -1;
    length = q->role[ELEMENT] < 0 && q->baselines
                 ? bird_allele_baselines_contig(q->baselines, r->contig)
                 : -1;
    if (length >= 0) {
        e->start = 0;
        e->end = length;
    }
    return 1;
}

/* element TAB group */
static int put_group(struct reading *q, char *line, int64_t number)
{
    struct bird_allele_set *s = q->s;
    char *field[2];
    const int64_t *e;
    int64_t g = 0;
    int rc;

    if (bird_split_tabs(field, 2, line) < 2 || !*field[0] || !*field[1] ||
        strchr(field[1], '\t'))
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld: expected an element and its group "
                         "between tabs",
                         q->o->groups, (long long)number);
    while (g < s->n_group && strcmp(s->group[g], field[1]) != 0)
        g++;
    if (g == s->n_group) {
        rc =
            bird_array_grow(&s->group, &s->cap_group, g + 1, sizeof(*s->group));
        if (rc)
            return rc;
        s->group[g] = strdup(field[1]);
        if (!s->group[g])
            return bird_fail_memory(strlen(field[1]));
        s->n_group++;
    }
    e = bird_map_find(&q->elements, field[0], (int64_t)strlen(field[0]));
    if (!e)
        return bird_allele_set_note(s, "%s: no allele has element '%.200s'",
                                    q->o->groups, field[0]);
    if (s->element[*e].group >= 0 && s->element[*e].group != g)
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld: element '%.200s' is in group '%.200s' "
                         "already: an element has one group",
                         q->o->groups, (long long)number, field[0],
                         s->group[s->element[*e].group]);
    s->element[*e].group = g;
    return 0;
}

static int read_groups(struct reading *q)
{
    struct bird_lines l = {0};
    int got = bird_lines_open(&l, q->o->groups);

    while (!got && (got = bird_lines_next(&l)) > 0) {
        got = 0;
        if (l.text.n && *l.text.s != '#')
            got = put_group(q, l.text.s, l.line);
    }
    bird_lines_close(&l);
    return got;
}

/* --- alleles -------------------------------------------------------------- */

static int number_of(struct reading *q, double *out, int role)
{
    *out = (double)NAN;
    return q->role[role] < 0
               ? 0
               : bird_allele_table_number(out, q->table, q->role[role]);
}

/* Set a->label: positive, negative or unknown. */
static int set_label(struct reading *q, struct bird_allele *a)
{
    const bird_variants_options *o = q->o;
    char where[BIRD_ALLELE_WHERE];
    double p, y;
    int rc = number_of(q, &p, P_VALUE);

    a->label = -1;
    if (!rc)
        rc = number_of(q, &y, LABEL);
    if (rc)
        return rc;
    if (q->role[LABEL] >= 0) {
        if (!isnan(y) && y != 0 && y != 1)
            return bird_fail(
                BIRD_EFORMAT, "%s: %s, column %s: a label is 1, 0 or empty",
                bird_allele_table_name(q->table),
                bird_allele_table_where(where, q->table), o->labels);
        a->label = isnan(y) ? -1 : (int)y;
    } else if (o->min_effect >= 0 && !isnan(a->effect) &&
               (q->role[P_VALUE] < 0 || !isnan(p))) {
        a->label = fabs(a->effect) > o->min_effect &&
                   (q->role[P_VALUE] < 0 || p < o->max_p);
    }
    return 0;
}

/* Fill in the current allele. @return 1, or 0: it is left out */
static int take_measured(struct reading *q, struct bird_allele *a,
                         const struct bird_allele_row *r)
{
    struct bird_difference d = bird_allele_difference(r->ref, r->alt);
    double barcodes;
    int rc = number_of(q, &a->effect, EFFECT);

    if (!rc)
        rc = number_of(q, &barcodes, BARCODES);
    if (!rc)
        rc = set_label(q, a);
    if (rc)
        return rc;
    if (bird_allele_kind(r->alt) != BIRD_VARIANT_OK ||
        bird_allele_kind(r->ref) != BIRD_VARIANT_OK) {
        q->s->n_not_base++;
        return 0;
    }
    if (isnan(a->effect) && a->label < 0) {
        q->s->n_unmeasured++;
        return 0;
    }
    if (q->role[BARCODES] >= 0 && !(barcodes >= q->o->min_barcodes)) {
        q->s->n_few++;
        return 0;
    }
    a->of = d.n_ref != d.n_alt ? BIRD_CLASS_INDEL
            : d.n_ref > 1      ? BIRD_CLASS_MNV
                               : BIRD_CLASS_SNV;
    a->start = r->pos;
    a->end = r->pos + (int64_t)strlen(r->ref);
    return 1;
}

/* Count an allele that the element has already: both count. */
static int count_again(struct reading *q, const struct bird_allele *a,
                       const struct bird_allele_row *r)
{
    int64_t *at;
    int rc = set_key(q, r);

    if (!rc)
        rc = bird_text_printf(&q->key, "\t%d", (int)a->element);
    if (!rc)
        rc = bird_map_add(&q->measured, &at, q->key.s, q->key.n, q->s->n);
    if (!rc)
        q->s->n_again += *at != q->s->n;
    return rc;
}

static int add_allele(struct reading *q, const struct bird_allele_row *r)
{
    struct bird_allele_set *s = q->s;
    struct bird_allele a = {0};
    int64_t m = s->n_score;
    double *score;
    int got, rc = bird_array_grow(&s->at, &s->cap, s->n + 1, sizeof(*s->at));

    if (!rc)
        rc = bird_array_grow(&s->score, &s->cap_score, (s->n + 1) * m,
                             sizeof(*s->score));
    if (rc || (got = take_measured(q, &a, r)) <= 0)
        return rc ? rc : got;
    score = s->score + s->n * m;
    got = find_scores(q, score, r);
    if (got > 0) {
        got = find_element(q, &a, r);
        s->n_unmeasured += !got;
    }
    if (got > 0 && q->baselines) {
        rc = set_where(&q->where, r);
        if (!rc)
            rc = bird_allele_baselines_score(q->baselines, score + s->n_column,
                                             r, q->where.s);
        got = rc ? rc : got;
    }
    if (got <= 0 || (rc = count_again(q, &a, r)))
        return got < 0 ? got : rc;
    s->at[s->n++] = a;
    return 0;
}

static int nothing_left(const struct reading *q)
{
    const struct bird_allele_set *s = q->s;
    const char *name = bird_allele_table_name(q->table);

    if (!s->n_read)
        return bird_fail(BIRD_EINVAL, "%s: the file has no alleles", name);
    if (s->n_unmatched)
        return bird_fail(
            BIRD_EINVAL,
            "%s: none of its %lld measured alleles is in %s, which begins with "
            "%s: contig, POS, REF and ALT must be written the same",
            name, (long long)s->n_unmatched, bird_allele_table_name(q->scored),
            q->first.s ? q->first.s : "nothing");
    return bird_fail(BIRD_EINVAL,
                     "%s: no allele is left of %lld: %lld without a measured "
                     "value or outside of the elements, %lld with too few "
                     "barcodes, %lld whose alleles are no bases",
                     name, (long long)s->n_read, (long long)s->n_unmeasured,
                     (long long)s->n_few, (long long)s->n_not_base);
}

static int read_alleles(struct reading *q)
{
    struct bird_allele_row r;
    int got, rc = 0;

    while (!rc && (got = bird_allele_table_next(&r, q->table)) > 0) {
        q->s->n_read++;
        rc = add_allele(q, &r);
        if (!rc && q->s->n > INT32_MAX / 2)
            rc = bird_fail(BIRD_EINVAL, "more than 2^30 alleles");
    }
    rc = rc ? rc : got;
    return rc || q->s->n ? rc : nothing_left(q);
}

/* --- all of it ------------------------------------------------------------ */

static int open_tables(struct reading *q)
{
    const bird_variants_options *o = q->o;
    int rc = bird_allele_table_open(&q->scored, o->scored);

    q->table = q->scored;
    if (!rc && o->measured_in) {
        q->table = NULL;
        rc = bird_allele_table_open(&q->table, o->measured_in);
    }
    return rc;
}

static int note_left_out(struct reading *q)
{
    struct bird_allele_set *s = q->s;
    int rc = 0;

    for (int64_t k = 0; !rc && k < s->n_column; k++) {
        int64_t known = 0;

        for (int64_t i = 0; i < s->n; i++)
            known += !isnan(s->score[i * s->n_score + k]);
        if (!known && !q->named[k])
            s->left_out[k] = 1;
        else if (!known)
            rc = bird_allele_set_note(s, "%s has no number for any allele",
                                      s->score_name[k]);
    }
    return rc;
}

static void release(struct reading *q)
{
    if (q->table != q->scored)
        bird_allele_table_free(q->table);
    bird_allele_table_free(q->scored);
    free(q->column);
    free(q->named);
    bird_map_free(&q->scored_index);
    bird_map_free(&q->measured);
    free(q->value);
    bird_text_free(&q->key);
    bird_text_free(&q->first);
    bird_text_free(&q->where);
    bird_text_free(&q->place);
    bird_map_free(&q->elements);
    bird_map_free(&q->intervals_named);
    bird_intervals_free(&q->intervals);
    bird_allele_baselines_free(q->baselines);
}

int bird_allele_set_read(struct bird_allele_set *out,
                         const bird_variants_options *o)
{
    struct bird_allele_set s = {0};
    struct reading q = {.o = o, .s = &s};
    int rc = open_tables(&q);

    if (!rc)
        rc = choose_columns(&q);
    if (!rc)
        rc = bird_allele_baselines_new(&q.baselines, &s, o);
    if (!rc)
        rc = bird_array_new(&s.left_out, s.n_score, 1);
    if (!rc && o->elements_bed)
        rc = read_intervals(&q);
    if (!rc && q.table != q.scored)
        rc = keep_scores(&q);
    if (!rc)
        rc = read_alleles(&q);
    if (!rc && q.baselines)
        bird_allele_baselines_middle(&s);
    if (!rc && o->groups)
        rc = read_groups(&q);
    if (!rc)
        rc = note_left_out(&q);
    if (!rc && q.n_shared)
        rc = bird_allele_set_note(&s,
                                  "%lld alleles lie in several intervals of "
                                  "%s: each counts in the first one",
                                  (long long)q.n_shared, o->elements_bed);
    release(&q);
    if (rc)
        bird_allele_set_free(&s);
    else
        *out = s;
    return rc;
}
