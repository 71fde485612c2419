/* Alleles and their columns, from VCF, BCF or a table.
 * SPDX-License-Identifier: MIT */
#include "eval/allele_table.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "seq/input.h"
#include "seq/vcf_in.h"
#include "seq/vcf_info.h"

enum { CHROM, POS, REF, ALT, N_KEY };
static const char *const key_name[N_KEY] = {"CHROM", "POS", "REF", "ALT"};

struct wanted {
    int64_t column; /* tables: its index */
    char *id;       /* INFO field, or name of the table's column */
    enum bird_info_number number; /* of INFO */
    struct bird_text value;       /* the INFO field of the current record */
    struct bird_text one;         /* the part of `value` for the current ALT */
};

struct bird_allele_table {
    char *path;
    struct wanted *want; /* (n_want) */
    int64_t n_want, cap_want;
    struct bird_text ref, alt; /* in upper case */
    int64_t number;
    /* of a table */
    struct bird_text about; /* lines that begin with "# ", without these */
    struct bird_lines lines;
    struct bird_text header; /* split into `name` */
    char **name, **field;    /* (n_column) */
    int64_t n_column, key[N_KEY];
    /* VCF */
    struct bird_vcf *vcf; /* NULL: a table */
    struct bird_vcf_record record;
    int64_t next_alt; /* next ALT of the record; past the last: read a record */
};

/* --- opening -------------------------------------------------------------- */

int bird_allele_table_look(int *is_vcf, const char *path)
{
    static const char vcf[] = "##fileformat=VCF";
    struct bird_input in = {0};
    char head[sizeof(vcf)] = "";
    int64_t n = 0, got = 1;
    int rc = bird_input_open(&in, path);

    for (; !rc && got && n < (int64_t)sizeof(vcf) - 1; n += got)
        rc = bird_input_read(&in, head + n, (int64_t)sizeof(vcf) - 1 - n, &got);
    bird_input_close(&in);
    *is_vcf = !memcmp(head, vcf, sizeof(vcf) - 1) || !memcmp(head, "BCF\2", 4);
    return rc;
}

static int find_keys(struct bird_allele_table *t)
{
    for (int k = 0; k < N_KEY; k++) {
        t->key[k] = -1;
        for (int64_t i = t->n_column - 1; i >= 0; i--)
            if (!strcasecmp(t->name[i], key_name[k]))
                t->key[k] = i;
        if (t->key[k] < 0)
            return bird_fail(BIRD_EFORMAT,
                             "%s: line %lld: no column %s: neither a VCF nor a "
                             "table of alleles with CHROM, POS, REF and ALT "
                             "between tabs",
                             t->path, (long long)t->lines.line, key_name[k]);
    }
    return 0;
}

static int read_table_header(struct bird_allele_table *t)
{
    int got = bird_lines_open(&t->lines, t->path), rc;
    const char *s;

    if (got)
        return got;
    do {
        got = bird_lines_next(&t->lines);
        s = t->lines.text.s;
        if (got > 0 && !strncmp(s, "# ", 2)) {
            rc = bird_text_printf(&t->about, "%s\n", s + 2);
            if (rc)
                return rc;
        }
    } while (got > 0 && (!*s || !strncmp(s, "##", 2) || !strncmp(s, "# ", 2)));
    if (got <= 0)
        return got ? got
                   : bird_fail(BIRD_EFORMAT, "%s: no header line", t->path);
    s += *s == '#';
    t->n_column = bird_count_fields(s);
    rc = bird_text_put(&t->header, s, (int64_t)strlen(s));
    if (!rc)
        rc = bird_array_new(&t->name, t->n_column, sizeof(*t->name));
    if (!rc)
        rc = bird_array_new(&t->field, t->n_column, sizeof(*t->field));
    if (rc)
        return rc;
    bird_split_tabs(t->name, (int)t->n_column, t->header.s);
    return find_keys(t);
}

int bird_allele_table_open(struct bird_allele_table **out, const char *path)
{
    struct bird_allele_table *t;
    int is_vcf = 0, rc;

    if (bird_file_is_stream(path))
        return bird_fail(BIRD_EINVAL,
                         "%s: alleles to evaluate are read from a file, not "
                         "from standard input or a pipe",
                         path);
    rc = bird_allele_table_look(&is_vcf, path);
    if (!rc)
        rc = bird_array_new(&t, 1, sizeof(*t));
    if (rc)
        return rc;
    t->path = strdup(path);
    if (!t->path)
        rc = bird_fail_memory(strlen(path));
    if (!rc)
        rc = is_vcf ? bird_vcf_open(&t->vcf, path) : read_table_header(t);
    if (rc)
        bird_allele_table_free(t);
    else
        *out = t;
    return rc;
}

void bird_allele_table_free(struct bird_allele_table *t)
{
    if (!t)
        return;
    for (int64_t i = 0; i < t->n_want; i++) {
        free(t->want[i].id);
        bird_text_free(&t->want[i].value);
        bird_text_free(&t->want[i].one);
    }
    free(t->want);
    bird_text_free(&t->ref);
    bird_text_free(&t->alt);
    bird_lines_close(&t->lines);
    bird_text_free(&t->about);
    bird_text_free(&t->header);
    free(t->name);
    free(t->field);
    bird_vcf_record_free(&t->record);
    bird_vcf_free(t->vcf);
    free(t->path);
    free(t);
}

const char *bird_allele_table_name(const struct bird_allele_table *t)
{
    return t->path;
}

const char *bird_allele_table_where(char out[BIRD_ALLELE_WHERE],
                                    const struct bird_allele_table *t)
{
    snprintf(out, BIRD_ALLELE_WHERE, "%s %lld", t->vcf ? "record" : "line",
             (long long)t->number);
    return out;
}

/* Header lines that this program wrote: "##dnabird_command=..." becomes
 * "command: ...". */
static int about_vcf(struct bird_text *out, char *rest)
{
    static const char key[] = "##dnabird_";
    char *line;
    int rc = 0;

    while (!rc && (line = bird_next_line(&rest))) {
        char *value = strchr(line, '=');

        if (strncmp(line, key, sizeof(key) - 1) != 0 || !value ||
            value[1] == '<')
            continue;
        *value++ = '\0';
        rc = bird_text_printf(out, "%s: %s\n", line + sizeof(key) - 1, value);
    }
    return rc;
}

int bird_allele_table_about(struct bird_text *out,
                            const struct bird_allele_table *t)
{
    struct bird_text header = {0};
    int rc;

    bird_text_clear(out);
    if (!t->vcf)
        return bird_text_put(out, t->about.n ? t->about.s : "", t->about.n);
    rc = bird_vcf_header_text(&header, t->vcf);
    if (!rc)
        rc = about_vcf(out, header.s);
    bird_text_free(&header);
    return rc;
}

/* --- columns -------------------------------------------------------------- */

/* 1: a column that identifies the allele, not a value of it */
static int is_key(const char *name)
{
    static const char *const key[] = {"CHROM", "POS",    "ID",  "REF",
                                      "ALT",   "FILTER", "QUAL"};

    for (size_t i = 0; i < sizeof(key) / sizeof(key[0]); i++)
        if (!strcasecmp(name, key[i]))
            return 1;
    return 0;
}

const char *bird_allele_table_column(const struct bird_allele_table *t,
                                     int64_t i)
{
    if (t->vcf)
        return bird_vcf_info_name(t->vcf, i);
    for (int64_t k = 0; k < t->n_column; k++)
        if (!is_key(t->name[k]) && i-- == 0)
            return t->name[k];
    return NULL;
}

/* Fails with a message that lists the columns, cut to a readable length. */
static int no_column(const struct bird_allele_table *t, const char *name)
{
    struct bird_text list = {0};
    const char *have;
    int rc = 0;
    int64_t i = 0;

    for (; !rc && list.n < 400 && (have = bird_allele_table_column(t, i)); i++)
        rc = bird_text_printf(&list, "%s%s", i ? ", " : "", have);
    if (!rc && bird_allele_table_column(t, i))
        rc = bird_text_printf(&list, " ...");
    if (!rc)
        rc = bird_fail(BIRD_EINVAL, "%s: no %s '%s'; the file has %s", t->path,
                       t->vcf ? "INFO field" : "column", name,
                       list.n ? list.s : "none");
    bird_text_free(&list);
    return rc;
}

static int find_column(struct wanted *w, const struct bird_allele_table *t,
                       const char *name)
{
    if (t->vcf)
        return bird_vcf_info_find(t->vcf, name, &w->number);
    for (w->column = 0; w->column < t->n_column; w->column++)
        if (!strcmp(t->name[w->column], name))
            return 1;
    return 0;
}

int bird_allele_table_want(int64_t *number, struct bird_allele_table *t,
                           const char *name)
{
    struct wanted w = {0};
    const char *id = name;
    int rc;

    if (!find_column(&w, t, id)) {
        id += strncmp(name, "INFO/", 5) ? 0 : 5;
        if (id == name || !find_column(&w, t, id))
            return no_column(t, name);
    }
    rc = bird_array_grow(&t->want, &t->cap_want, t->n_want + 1,
                         sizeof(*t->want));
    if (rc)
        return rc;
    w.id = strdup(id);
    if (!w.id)
        return bird_fail_memory(strlen(id));
    *number = t->n_want;
    t->want[t->n_want++] = w;
    return 0;
}

/* --- reading -------------------------------------------------------------- */

static int put_upper(struct bird_text *out, const char *s)
{
    int rc;

    bird_text_clear(out);
    rc = bird_text_put(out, s, (int64_t)strlen(s));
    for (int64_t i = 0; !rc && i < out->n; i++)
        out->s[i] = (char)toupper((unsigned char)out->s[i]);
    return rc;
}

static int take_alleles(struct bird_allele_row *out,
                        struct bird_allele_table *t, const char *ref,
                        const char *alt)
{
    int rc = put_upper(&t->ref, ref);

    if (!rc)
        rc = put_upper(&t->alt, alt);
    out->ref = t->ref.s;
    out->alt = t->alt.s;
    out->number = t->number;
    return rc ? rc : 1;
}

static int next_line(struct bird_allele_row *out, struct bird_allele_table *t)
{
    int64_t n;
    int got;

    do
        got = bird_lines_next(&t->lines);
    while (got > 0 && !t->lines.text.n);
    if (got <= 0)
        return got;
    t->number = t->lines.line;
    n = bird_count_fields(t->lines.text.s);
    if (n != t->n_column)
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld: %lld field%s, but the header line "
                         "has %lld",
                         t->path, (long long)t->number, (long long)n,
                         n == 1 ? "" : "s", (long long)t->n_column);
    bird_split_tabs(t->field, (int)n, t->lines.text.s);
    out->contig = t->field[t->key[CHROM]];
    if (bird_digits(&out->pos, t->field[t->key[POS]], INT64_MAX / 2))
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld: POS '%s' is not a position", t->path,
                         (long long)t->number, t->field[t->key[POS]]);
    out->pos--;
    return take_alleles(out, t, t->field[t->key[REF]], t->field[t->key[ALT]]);
}

/* Value i of a comma-separated list; NULL: the list is shorter. */
static const char *list_item(int64_t *n, const char *s, int64_t i)
{
    for (; i > 0; i--) {
        s = strchr(s, ',');
        if (!s)
            return NULL;
        s++;
    }
    *n = (int64_t)strcspn(s, ",");
    return s;
}

/* The value of a field for ALT number `alt`. */
static int take_value(struct bird_allele_table *t, struct wanted *w,
                      int64_t alt)
{
    const char *s = w->value.s ? w->value.s : "";
    int64_t n = 0, at = w->number == BIRD_INFO_ALT      ? alt
                        : w->number == BIRD_INFO_ALLELE ? alt + 1
                                                        : 0;
    char where[BIRD_VCF_WHERE];

    bird_text_clear(&w->one);
    if (!*s || !strcmp(s, "."))
        return 0;
    s = list_item(&n, s, at);
    if (!s || (w->number == BIRD_INFO_ANY && s[n] == ','))
        return bird_fail(BIRD_EFORMAT, "%s: %s: %s has %s", t->path,
                         bird_vcf_where(where, &t->record), w->id,
                         s ? "several values, and is not declared as Number=A"
                           : "fewer values than there are alleles");
    return bird_text_put(&w->one, s, n);
}

static int next_record(struct bird_allele_row *out, struct bird_allele_table *t)
{
    struct bird_vcf_record *r = &t->record;
    int rc = 0;

    while (t->next_alt >= r->n_alt) {
        int got = bird_vcf_next(t->vcf, r);

        if (got <= 0)
            return got;
        t->next_alt = 0;
        t->number++;
        for (int64_t i = 0; i < t->n_want; i++) {
            struct wanted *w = &t->want[i];
            int there = bird_vcf_info_value(&w->value, t->vcf, r, w->id);

            if (there < 0)
                return there;
            if (!there && w->number == BIRD_INFO_FLAG)
                rc = bird_text_put(&w->value, "0", 1);
            if (rc)
                return rc;
        }
    }
    for (int64_t i = 0; !rc && i < t->n_want; i++)
        rc = take_value(t, &t->want[i], t->next_alt);
    if (rc)
        return rc;
    out->contig = r->contig;
    out->pos = r->pos;
    return take_alleles(out, t, r->ref, r->alt[t->next_alt++]);
}

int bird_allele_table_next(struct bird_allele_row *out,
                           struct bird_allele_table *t)
{
    return t->vcf ? next_record(out, t) : next_line(out, t);
}

const char *bird_allele_table_text(const struct bird_allele_table *t,
                                   int64_t number)
{
    const struct wanted *w = &t->want[number];

    if (!t->vcf)
        return t->field[w->column];
    return w->one.s ? w->one.s : "";
}

int bird_allele_table_number(double *out, const struct bird_allele_table *t,
                             int64_t number)
{
    const char *s = bird_allele_table_text(t, number);
    char where[BIRD_ALLELE_WHERE];

    *out = (double)NAN;
    if (!*s || !strcmp(s, ".") || !strcasecmp(s, "NA") || !strcasecmp(s, "nan"))
        return 0;
    if (!bird_parse_double(out, s))
        return 0;
    return bird_fail(BIRD_EFORMAT, "%s: %s, column %s: '%.40s' is not a number",
                     t->path, bird_allele_table_where(where, t),
                     t->want[number].id, s);
}
