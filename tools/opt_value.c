/*
 * Convert the text of an option to its value, from the command line or a file.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dnabird/dnabird.h"
#include "opt_table.h"

const char *opt_choice_word(int *n, const char *list, int i)
{
    for (; i > 0; i--) {
        list = strchr(list, '|');
        if (!list)
            return NULL;
        list++;
    }
    *n = (int)strcspn(list, "|");
    return list;
}

int opt_is_share(double x)
{
    return x >= 0 && x <= 1;
}

/* The words of --strand; a command has some of them. */
static const struct strand {
    const char *word;
    enum bird_strand strand;
} strands[] = {{"both", BIRD_STRAND_BOTH},
               {"model", BIRD_STRAND_MODEL},
               {"given", BIRD_STRAND_PLUS},
               {"+", BIRD_STRAND_PLUS},
               {"-", BIRD_STRAND_MINUS}};

const char *opt_strand_word(int strand)
{
    return strand == BIRD_STRAND_MODEL ? "model" : "both";
}

int opt_is_heading(const struct opt *o)
{
    return o->type == OPT_GROUP || o->type == OPT_SETTINGS;
}

int opt_has_value(const struct opt *o)
{
    return o->type != OPT_FLAG && o->type != OPT_CLEAR && !opt_is_heading(o);
}

int opt_first_setting(const struct opt_table *t)
{
    for (int i = 0; i < t->n; i++)
        if (t->row[i].type == OPT_SETTINGS)
            return i;
    return t->n;
}

static int parse_int(int64_t *out, const char *s)
{
    static const char unit[] = "kmg";
    char *end;
    long long v;
    int64_t product, scale = 1;

    errno = 0;
    v = strtoll(s, &end, 10);
    if (end == s || errno)
        return -1;
    if (*end) {
        const char *u = strchr(unit, *end | 0x20);

        if (!u || end[1])
            return -1;
        for (; u >= unit; u--)
            scale *= 1000;
    }
    if (__builtin_mul_overflow((int64_t)v, scale, &product))
        return -1;
    *out = product;
    return 0;
}

static int parse_real(double *out, const char *s)
{
    char *end;
    double v = strtod(s, &end);

    if (end == s || *end || !isfinite(v))
        return -1;
    *out = v;
    return 0;
}

static int parse_choice(int *out, const char *list, const char *s)
{
    const char *word;
    int n;

    for (int i = 0; (word = opt_choice_word(&n, list, i)); i++) {
        if (strlen(s) == (size_t)n && !strncmp(word, s, (size_t)n)) {
            *out = i;
            return 0;
        }
    }
    return -1;
}

void *opt_keep(size_t n)
{
    static struct kept {
        struct kept *next;
        max_align_t at[];
    } * all;
    struct kept *k = calloc(1, sizeof(*k) + n);

    if (!k)
        exit(cli_warn("out of memory"));
    k->next = all;
    all = k;
    return k->at;
}

char *opt_keep_text(const char *s)
{
    size_t n = strlen(s) + 1;

    return memcpy(opt_keep(n), s, n);
}

static void append(const char **list, char between, const char *s)
{
    size_t n = *list ? strlen(*list) + strlen(s) + 2 : 0;
    char *joined = n ? opt_keep(n) : NULL;

    if (joined)
        snprintf(joined, n, "%s%c%s", *list, between, s);
    *list = joined ? joined : s;
}

struct opt_names opt_split(const char *text)
{
    struct opt_names names = {NULL, 0};
    size_t count = 1;
    char *at;

    if (!text)
        return names;
    for (const char *c = text; *c; c++)
        count += *c == ',';
    names.at = opt_keep(count * sizeof(*names.at));
    at = opt_keep_text(text);
    for (; at; at = strchr(at, ',')) {
        if (names.n)
            *at++ = '\0';
        names.at[names.n++] = at;
    }
    return names;
}

/* Was this value given before? A run reads its options once. */
static int is_given(const void *value)
{
    static const void *given[16];
    static size_t n;

    for (size_t i = 0; i < n; i++)
        if (given[i] == value)
            return 1;
    if (n < sizeof(given) / sizeof(*given))
        given[n++] = value;
    return 0;
}

static int store_real(const struct opt *o, const char *s, const char *where)
{
    double x;

    if (parse_real(&x, s))
        return cli_usage("%s: '%s' is not a number", where, s);
    if (o->type == OPT_SHARE && !opt_is_share(x))
        return cli_usage("%s must lie between 0 and 1, got %s", where, s);
    *(double *)o->value = x;
    return CLI_OK;
}

static int store_number(const struct opt *o, const char *s, const char *where)
{
    int64_t n;

    if (o->type == OPT_REAL || o->type == OPT_SHARE)
        return store_real(o, s, where);
    if (parse_int(&n, s))
        return cli_usage("%s: '%s' is not a whole number", where, s);
    if (o->type == OPT_THREADS)
        return cli_threads(n);
    if (o->type == OPT_SIZE && n < 0)
        return cli_usage("%s is negative", where);
    if (o->type == OPT_COUNT && n < 1)
        return cli_usage("%s must be above 0, got %s", where, s);
    *(int64_t *)o->value = n;
    return CLI_OK;
}

static int store_choice(const struct opt *o, const char *s, const char *where)
{
    int i, k = 0;

    if (parse_choice(&i, o->argument, s))
        return cli_usage("%s: '%s' is not one of %s", where, s, o->argument);
    if (o->type == OPT_CHOICE) {
        *(int *)o->value = i;
    } else if (o->type == OPT_WORD) {
        *(const char **)o->value = strcmp(s, "auto") != 0 ? s : NULL;
    } else {
        while (strcmp(strands[k].word, s) != 0)
            k++;
        *(enum bird_strand *)o->value = strands[k].strand;
    }
    return CLI_OK;
}

int opt_store(const struct opt *o, const char *s, const char *where)
{
    /* often a variable of the shell without value */
    if (opt_has_value(o) && !*s)
        return cli_usage("%s: the value is empty", where);
    switch (o->type) {
    case OPT_FLAG:
    case OPT_CLEAR:
        *(int *)o->value = o->type == OPT_FLAG;
        break;
    case OPT_INT:
    case OPT_SIZE:
    case OPT_COUNT:
    case OPT_REAL:
    case OPT_SHARE:
    case OPT_THREADS:
        return store_number(o, s, where);
    case OPT_ONCE:
        if (*(const char **)o->value)
            return cli_usage("%s is given twice: join the two into one", where);
        *(const char **)o->value = s;
        break;
    case OPT_MODEL:
        *(const char **)o->value = cli_model_named(s);
        break;
    case OPT_TEXT:
    case OPT_OUT:
    case OPT_STDOUT:
    case OPT_RESULT:
        *(const char **)o->value = s;
        break;
    case OPT_LIST:
    case OPT_LINES:
        append(o->value, o->type == OPT_LIST ? ' ' : '\n', s);
        break;
    case OPT_NAMES:
        if (is_given(o->value))
            return cli_usage("%s: give all of them at once, separated by "
                             "commas",
                             where);
        *(struct opt_names *)o->value = opt_split(s);
        break;
    case OPT_CHOICE:
    case OPT_WORD:
    case OPT_STRAND:
        return store_choice(o, s, where);
    case OPT_GROUP:
    case OPT_SETTINGS:
        break;
    }
    return CLI_OK;
}
