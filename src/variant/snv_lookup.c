/* Reading a table of all single-base changes: dnabird variant --table.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/mem.h"
#include "seq/indexed.h"
#include "seq/input.h"
#include "variant/snv_table.h"

enum { REF = 3, ALT = 4, N_FIXED = 5, STATUS = 0, TOKENS, WAY, SHORT, N_OTHER };

static const char *const others[N_OTHER] = {"STATUS", "TOKENS", "WAY", "SHORT"};

/* Which column has a value, or a score over replicates. */
enum { OF_REF, OF_ALT, OF_BOTH };
struct source {
    int64_t column, value;
    int of;
};

struct bird_snv_lookup {
    char *name;
    struct bird_indexed *file;            /* NULL: of a table in memory */
    struct bird_text held;                /* rows for any position, in memory */
    struct bird_variant_context *context; /* borrowed */
    int64_t n_column, n_source, n_value;  /* n_value: of an allele */
    int64_t other[N_OTHER];
    struct source *source; /* (n_source) by column */
    int64_t contig, pos;   /* of the current rows; -1: none */
    struct bird_text rows;
    char **cell; /* (n_column) of a row, in `row` */
    struct bird_text row;
    float *value; /* (n_place, n_value) */
    int64_t n_place, cap_value;
    int64_t n_replicate; /* of the noise bar; 0: none, and `known` is empty */
    double
        *known; /* (n_slot, n_feature, BIRD_REPLICATE_SCORES) with this slot's
                  allele as REF */
    int64_t n_feature, cap_known;
};

void bird_snv_lookup_free(struct bird_snv_lookup *l)
{
    if (!l)
        return;
    bird_indexed_free(l->file);
    bird_text_free(&l->held);
    free(l->name);
    bird_text_free(&l->rows);
    bird_text_free(&l->row);
    free(l->source);
    free((void *)l->cell);
    free(l->value);
    free(l->known);
    free(l);
}

/* --- the header ---------------------------------------------------------- */

static const char *name_of(const struct bird_snv_lookup *l)
{
    return l->name;
}

/* The next line, or the end. */
static const char *next_line(const char *s)
{
    s += strcspn(s, "\n");
    return s + (*s == '\n');
}

/* The rest of the header line that begins with `start`; NULL: none. */
static const char *find_line(const char *header, const char *begin)
{
    size_t n = strlen(begin);

    for (const char *s = header; *s; s = next_line(s))
        if (!strncmp(s, begin, n))
            return s + n;
    return NULL;
}

/* The first characters of a setting, for messages. */
static const char *shown_as(char out[20], const json_t *v)
{
    char *text =
        json_is_string(v)
            ? NULL
            : bird_json_dump(v, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));

    snprintf(out, 20, "%s",
             text                ? text
             : json_is_string(v) ? json_string_value(v)
                                 : "none");
    free(text);
    return out;
}

/* Compare one setting; another version is only a warning. */
static int compare(struct bird_snv_lookup *l, const char *key,
                   const json_t *was, const json_t *is)
{
    char old[20], now[20];

    /* older tables do not have it */
    if (json_equal(was, is) || (!was && !strcmp(key, "dnabird.json")))
        return 0;
    shown_as(old, was);
    shown_as(now, is);
    if (!strcmp(key, "version"))
        return bird_context_note(
            &l->context->notice,
            "warning: %s was made by version %s, this is %s: last digits may "
            "differ",
            name_of(l), old, now);
    return bird_fail(BIRD_EINVAL,
                     "%s is of another %s, %s, and this run has %s: make it "
                     "anew, or leave out --table",
                     name_of(l), key, old, now);
}

static int check_settings(struct bird_snv_lookup *l, const char *header)
{
    const char *line = find_line(header, BIRD_SNV_SETTINGS);
    json_t *was = NULL, *is = NULL, *v;
    const char *key;
    int rc;

    if (!line)
        return bird_fail(
            BIRD_EFORMAT,
            "%s: no line '%s...' before its rows: it is not a table "
            "of `dnabird mutate -R`, or a part of one (cat joins "
            "them, the first before the others)",
            name_of(l), BIRD_SNV_SETTINGS);
    rc = bird_json_parse(&was, line, strcspn(line, "\n"), name_of(l));
    if (!rc)
        rc = bird_snv_settings(&is, l->context);
    json_object_foreach(is, key, v)
    {
        if (!rc)
            rc = compare(l, key, json_object_get(was, key), v);
    }
    json_decref(was);
    json_decref(is);
    return rc;
}

/* Read the names of the columns into l->cell and l->row. */
static int read_names(struct bird_snv_lookup *l, const char *header)
{
    const char *line = find_line(header, "#CHROM\t");
    size_t n = line ? strcspn(line, "\n") : 0;
    int rc;

    if (!line)
        return bird_fail(BIRD_EFORMAT, "%s: no line '#CHROM ...' names columns",
                         name_of(l));
    rc = bird_text_put(&l->row, "#CHROM\t", 7);
    if (!rc)
        rc = bird_text_put(&l->row, line, (int64_t)n);
    if (rc)
        return rc;
    l->n_column = bird_count_fields(l->row.s);
    rc = bird_array_new((void *)&l->cell, l->n_column, sizeof(*l->cell));
    if (!rc)
        bird_split_tabs(l->cell, (int)l->n_column, l->row.s);
    return rc;
}

/* Find a column by its name, first from `from` on, then before it; -1: none. */
static int64_t find_column(const struct bird_snv_lookup *l, const char *name,
                           int64_t from)
{
    for (int64_t i = 0; i < l->n_column; i++) {
        int64_t k = (from + i) % l->n_column;

        if (!strcmp(l->cell[k], name))
            return k;
    }
    return -1;
}

/* A value of a feature is read from the column of this score. */
static int add_source(struct bird_snv_lookup *l,
                      const struct bird_selected_scores *s, int64_t feature,
                      int score, int64_t value, int of)
{
    const char *word = bird_variant_score_name(score);
    struct bird_text name = {0};
    int64_t from = l->n_source ? l->source[l->n_source - 1].column + 1 : 0;
    int64_t k;
    int rc = s->features.n == 1
                 ? bird_text_printf(&name, "%s", word)
                 : bird_text_printf(&name, "%s/%s",
                                    s->features.at[feature].name, word);

    if (!rc && (k = find_column(l, name.s, from)) < 0)
        rc = bird_fail(BIRD_EINVAL,
                       "%s has no column '%.200s', of which this run needs "
                       "the numbers: leave out --table, or make one with them",
                       name_of(l), name.s);
    bird_text_free(&name);
    if (!rc)
        l->source[l->n_source++] = (struct source){k, value, of};
    return rc;
}

/* Does the run need this feature? */
static int is_needed(const struct bird_selected_scores *s, int64_t feature,
                     int summed)
{
    if (summed && s->summed[feature])
        return 1;
    for (int64_t k = 0; k < s->n_feature; k++)
        if (s->feature[k] == feature)
            return 1;
    return 0;
}

static int compare_sources(const void *a, const void *b)
{
    const struct source *x = a, *y = b;

    return x->column < y->column ? -1 : x->column > y->column;
}

/* Does the run write this score, or another one that is made of it? */
static int needs_score(const struct bird_selected_scores *s, int score)
{
    if (!s->n_replicate)
        return 0;
    if (score == BIRD_SCORE_SD || score == BIRD_SCORE_AGREEMENT)
        return 1; /* for summaries, too */
    for (int64_t k = 0; k < s->n_score; k++)
        if (s->score[k] == score ||
            (s->score[k] == BIRD_SCORE_DEEPSEA && score == BIRD_SCORE_LOGIT))
            return 1;
    return 0;
}

static int find_sources(struct bird_snv_lookup *l,
                        const struct bird_selected_scores *s, int summed)
{
    int likelihood = s->likelihood;
    int rc = bird_array_new(&l->source,
                            (2 + BIRD_REPLICATE_SCORES) * s->features.n + 2,
                            sizeof(*l->source));

    l->n_value = likelihood ? BIRD_LIKELIHOOD_VALUES : s->features.n;
    l->n_feature = s->features.n;
    l->n_replicate = s->n_replicate;
    for (int64_t f = 0; f < s->features.n && !rc; f++) {
        if (!is_needed(s, f, summed))
            continue;
        rc = add_source(l, s, f,
                        likelihood ? BIRD_SCORE_LL_REF : BIRD_SCORE_P_REF, f,
                        OF_REF);
        if (!rc)
            rc = add_source(l, s, f,
                            likelihood ? BIRD_SCORE_LL_ALT : BIRD_SCORE_P_ALT,
                            f, OF_ALT);
        for (int k = 0; k < BIRD_REPLICATE_SCORES && !rc; k++)
            if (needs_score(s, bird_replicate_score(k)))
                rc = add_source(l, s, f, bird_replicate_score(k),
                                f * BIRD_REPLICATE_SCORES + k, OF_BOTH);
    }
    /* both alleles of a change have the distance */
    for (int k = 0;
         k < 2 && !rc && likelihood && bird_selected_scores_have_distance(s);
         k++)
        rc = add_source(l, s, 0, BIRD_SCORE_DISTANCE, BIRD_STATE_DISTANCE, k);
    if (!rc)
        qsort(l->source, (size_t)l->n_source, sizeof(*l->source),
              compare_sources);
    return rc;
}

/* Does the table have a noise bar: a column `sd` of a feature? */
static int has_bar(const struct bird_snv_lookup *l)
{
    const char *word = bird_variant_score_name(BIRD_SCORE_SD);
    size_t n = strlen(word);

    for (int64_t k = N_FIXED; k < l->n_column; k++) {
        size_t m = strlen(l->cell[k]);

        if (m >= n && !strcmp(l->cell[k] + m - n, word) &&
            (m == n || l->cell[k][m - n - 1] == '/'))
            return 1;
    }
    return 0;
}

/* With --shifts 0/1 a single base has the list of shifts of --shifts 0, but each
 * strand is computed by itself, and the last digits of the mean differ. (A run
 * with a noise bar needs columns that a table without one lacks.) */
static int check_bar(const struct bird_snv_lookup *l,
                     const struct bird_selected_scores *selected)
{
    return selected->n_replicate || !has_bar(l)
               ? 0
               : bird_fail(BIRD_EINVAL,
                           "%s is of a noise bar, and this run has none: make "
                           "it anew, give the --shifts with which it was "
                           "made, or leave out --table",
                           name_of(l));
}

static int read_header(struct bird_snv_lookup *l, const char *header,
                       const struct bird_selected_scores *selected, int summed)
{
    int rc = check_settings(l, header);

    if (!rc)
        rc = read_names(l, header);
    if (!rc)
        rc = check_bar(l, selected);
    for (int i = 0; i < N_OTHER && !rc; i++) {
        l->other[i] = find_column(l, others[i], 0);
        if (l->other[i] < N_FIXED)
            rc = bird_fail(BIRD_EFORMAT, "%s has no column '%s'", name_of(l),
                           others[i]);
    }
    return rc ? rc : find_sources(l, selected, summed);
}

static int lookup_new(struct bird_snv_lookup **out, const char *name,
                      struct bird_variant_context *context)
{
    struct bird_snv_lookup *l = calloc(1, sizeof(*l));

    if (l)
        l->name = strdup(name);
    if (!l || !l->name) {
        free(l);
        return bird_fail_memory(sizeof(*l));
    }
    l->context = context;
    l->contig = l->pos = -1;
    *out = l;
    return 0;
}

int bird_snv_lookup_open(struct bird_snv_lookup **out, const char *path,
                         struct bird_variant_context *context,
                         const struct bird_selected_scores *selected,
                         int summed)
{
    struct bird_snv_lookup *l = NULL;
    int rc = lookup_new(&l, path, context);

    if (!rc)
        rc = bird_indexed_open(&l->file, path);
    if (!rc)
        rc = read_header(l, bird_indexed_header(l->file), selected, summed);
    if (rc)
        bird_snv_lookup_free(l);
    else
        *out = l;
    return rc;
}

int bird_snv_lookup_open_memory(struct bird_snv_lookup **out, const char *name,
                                const char *header, const char *rows,
                                struct bird_variant_context *context,
                                const struct bird_selected_scores *selected,
                                int summed)
{
    struct bird_snv_lookup *l = NULL;
    int rc = lookup_new(&l, name, context);

    if (!rc)
        rc = bird_text_put(&l->held, rows, (int64_t)strlen(rows));
    if (!rc)
        rc = read_header(l, header, selected, summed);
    if (rc)
        bird_snv_lookup_free(l);
    else
        *out = l;
    return rc;
}

/* --- a change ------------------------------------------------------------ */

static int fail_row(const struct bird_snv_lookup *l, const char *what)
{
    return bird_fail(BIRD_EFORMAT,
                     "%s: a row of %s:%lld %s: make the table anew", name_of(l),
                     bird_genome_name(l->context->genome, l->contig),
                     (long long)l->pos + 1, what);
}

/* Check that the table has the reference's base. */
static int check_ref(const struct bird_snv_lookup *l)
{
    const char *base;
    int rc = bird_contig_cache_get(&base, bird_effect_cache(l->context->effect),
                                   l->context->genome, l->contig, l->pos,
                                   l->pos + 1);

    if (rc || (l->cell[REF][0] == *base && !l->cell[REF][1]))
        return rc;
    return bird_fail(BIRD_EFORMAT,
                     "%s: %s:%lld: REF is %.20s, but %s has %c there: the "
                     "table is of another reference",
                     name_of(l),
                     bird_genome_name(l->context->genome, l->contig),
                     (long long)l->pos + 1, l->cell[REF],
                     bird_genome_path(l->context->genome), *base);
}

/* Find the row with this ALT among the current rows and cut it into l->cell:
 * 1, 0, or an error. */
static int find_row(struct bird_snv_lookup *l, char alt)
{
    for (const char *s = l->rows.s; s && *s; s = next_line(s)) {
        int64_t n = (int64_t)strcspn(s, "\n");
        int rc;

        bird_text_clear(&l->row);
        if ((rc = bird_text_put(&l->row, s, n)))
            return rc;
        if (bird_count_fields(l->row.s) != l->n_column)
            return fail_row(l, "has another number of columns than the header");
        bird_split_tabs(l->cell, (int)l->n_column, l->row.s);
        if (l->cell[ALT][0] == alt && !l->cell[ALT][1])
            return 1;
    }
    return 0;
}

/* Read the status; a table has only some. */
static int read_status(const struct bird_snv_lookup *l,
                       enum bird_variant_status *out)
{
    static const enum bird_variant_status has[] = {
        BIRD_VARIANT_OK, BIRD_VARIANT_TOO_LONG, BIRD_VARIANT_MANY_N,
        BIRD_VARIANT_NO_TOKEN};

    for (size_t i = 0; i < sizeof(has) / sizeof(*has); i++)
        if (!strcmp(bird_variant_status_name((int)has[i]),
                    l->cell[l->other[STATUS]])) {
            *out = has[i];
            return 0;
        }
    return fail_row(l, "has a STATUS that tables do not have");
}

/* Read the values of the row into two new slots, numbered -1 - 2 i and -2 - 2
 * i. */
static int read_values(struct bird_snv_lookup *l, struct bird_request *r)
{
    int64_t i = l->n_place;
    int64_t n_known = l->n_feature * BIRD_REPLICATE_SCORES;
    double *known;
    float *v;
    int rc = bird_array_grow(&l->value, &l->cap_value, (i + 2) * l->n_value,
                             sizeof(*l->value));

    if (rc)
        return rc;
    v = l->value + i * l->n_value;
    for (int64_t k = 0; k < 2 * l->n_value; k++)
        v[k] = NAN;
    if (l->n_replicate &&
        (rc = bird_array_grow(&l->known, &l->cap_known, (i + 2) * n_known,
                              sizeof(*l->known))))
        return rc;
    known = l->n_replicate ? l->known + i * n_known : NULL;
    for (int64_t k = 0; known && k < n_known; k++)
        known[k] = (double)NAN;
    for (int64_t k = 0; k < l->n_source; k++) {
        const struct source *s = &l->source[k];
        const char *text = l->cell[s->column];
        char *end;
        double x = strtod(text, &end);

        if (s->of != OF_BOTH) { /* 1e45 does not fit into a float */
            x = (double)strtof(text, &end);
            v[(s->of == OF_ALT) * l->n_value + s->value] = (float)x;
        } else if (known) { /* only tables of a noise bar have such columns */
            known[s->value] = x;
        }
        if (known && s->of == OF_BOTH && !strcmp(text, "."))
            known[s->value] = (double)NAN; /* of one window on one strand */
        else if (end == text || *end || !isfinite(x) || strpbrk(text, "xX"))
            return fail_row(l, "has a value that is not a number");
    }
    /* with REF and ALT exchanged a logit has the other sign */
    for (int64_t k = 0; known && k < n_known; k++)
        known[n_known + k] = k % BIRD_REPLICATE_SCORES ? known[k] : -known[k];
    r->ref = -1 - i;
    r->alt = -2 - i;
    l->n_place += 2;
    return 0;
}

static int take_row(struct bird_snv_lookup *l, struct bird_allele_request *a,
                    const struct bird_change *c)
{
    struct bird_allele_request x = {.status = BIRD_VARIANT_OK};
    int rc = read_status(l, &x.status);

    if (!rc)
        rc = check_ref(l);
    if (!rc && x.status == BIRD_VARIANT_OK)
        rc = bird_change_class(&x.request.change_class, c,
                               bird_effect_cache(l->context->effect),
                               l->context->genome);
    if (!rc && x.status == BIRD_VARIANT_OK) {
        x.request.tokenized_alone = !strcmp(l->cell[l->other[WAY]], "free");
        x.request.both_directions = !strcmp(l->cell[l->other[WAY]], "both");
        x.request.cut = !strcmp(l->cell[l->other[SHORT]], "1");
        if (bird_parse_int(&x.request.n_changed, l->cell[l->other[TOKENS]]) ||
            x.request.n_changed < 0)
            rc = fail_row(l, "has no number of TOKENS");
        else
            rc = read_values(l, &x.request);
    }
    if (!rc)
        *a = x;
    return rc;
}

/* Read the rows at a change's position into l->rows. */
static int get_rows(struct bird_snv_lookup *l, const struct bird_change *c)
{
    if (l->file)
        return bird_indexed_rows(
            &l->rows, l->file, bird_genome_name(l->context->genome, c->contig),
            c->start);
    bird_text_clear(&l->rows);
    return bird_text_put(&l->rows, l->held.s, l->held.n);
}

int bird_snv_lookup_find(struct bird_snv_lookup *l,
                         struct bird_allele_request *a,
                         const struct bird_change *c)
{
    int rc = 0;

    if (c->end - c->start != 1 || c->alt.n != 1)
        return 0;
    if (c->contig != l->contig || c->start != l->pos) {
        l->contig = l->pos = -1;
        rc = get_rows(l, c);
        if (rc)
            return rc;
        l->contig = c->contig;
        l->pos = c->start;
    }
    rc = find_row(l, c->alt.s[0]);
    if (rc <= 0)
        return rc;
    rc = take_row(l, a, c);
    return rc ? rc : 1;
}

void bird_snv_lookup_take(struct bird_allele_result *out,
                          const struct bird_snv_lookup *l,
                          const struct bird_request *r)
{
    int64_t ref = -1 - r->ref, alt = -1 - r->alt;

    out->p_ref = l->value + ref * l->n_value;
    out->p_alt = l->value + alt * l->n_value;
    out->n_replicate = l->n_replicate;
    if (l->n_replicate)
        out->known = l->known + ref * l->n_feature * BIRD_REPLICATE_SCORES;
    out->request = *r;
}

void bird_snv_lookup_evict(struct bird_snv_lookup *l)
{
    if (l)
        l->n_place = 0;
}
