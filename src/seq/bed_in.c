/* BED files in. SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "seq/bed_line.h"

enum { N_FIELD = 6 };

static int starts_with_word(const char *s, const char *word)
{
    size_t n = strlen(word);

    return !strncmp(s, word, n) && (!s[n] || s[n] == ' ' || s[n] == '\t');
}

int bird_bed_is_comment(const char *s)
{
    while (*s == ' ' || *s == '\t')
        s++;
    return !*s || *s == '#' || starts_with_word(s, "track") ||
           starts_with_word(s, "browser");
}

/* Cut a line in place into at most N_FIELD fields; how many there are. */
static int split(char *field[N_FIELD], char *line)
{
    const char *divider = strchr(line, '\t') ? "\t" : " ";
    char *s;
    int n = 0;

    while (n < N_FIELD && (s = strsep(&line, divider)))
        if (*s || *divider == '\t')
            field[n++] = s;
    return n;
}

static int parse_coordinate(int64_t *out, const char *s)
{
    char *end;
    long long v;

    errno = 0;
    v = strtoll(s, &end, 10);
    if (*s < '0' || *s > '9' || *end || errno)
        return 0;
    *out = v;
    return 1;
}

int bird_bed_parse(struct bird_bed_line *out, char *line)
{
    char *field[N_FIELD];
    struct bird_bed_line r = {.strand = '.'};
    int n = split(field, line);

    if (n < 3)
        return bird_fail(BIRD_EFORMAT, "%d column%s where BED has 3 or more", n,
                         n == 1 ? "" : "s");
    if (!field[0][0])
        return bird_fail(BIRD_EFORMAT, "no contig name in column 1");
    if (!parse_coordinate(&r.start, field[1]) ||
        !parse_coordinate(&r.end, field[2]) || r.end == BIRD_REGION_END)
        return bird_fail(BIRD_EFORMAT,
                         "columns 2 and 3 ('%.20s', '%.20s') are not whole "
                         "numbers from 0 on",
                         field[1], field[2]);
    if (r.end <= r.start)
        return bird_fail(BIRD_EFORMAT,
                         "the end %lld is not after the start "
                         "%lld (BED counts from 0)",
                         (long long)r.end, (long long)r.start);
    if (n > 5 && (field[5][0] == '\0' || field[5][1] != '\0' ||
                  !strchr("+-.", field[5][0])))
        return bird_fail(BIRD_EFORMAT,
                         "strand '%.20s' in column 6 is not +, - or .",
                         field[5]);
    if (n > 5)
        r.strand = field[5][0];
    r.contig = field[0];
    r.name = n > 3 ? field[3] : NULL;
    r.score = n > 4 ? field[4] : NULL;
    *out = r;
    return 1;
}

int bird_bed_next(struct bird_lines *l, struct bird_bed_line *out)
{
    int rc;

    do
        rc = bird_lines_next(l);
    while (rc > 0 && bird_bed_is_comment(l->text.s));
    if (rc <= 0)
        return rc;
    if ((rc = bird_bed_parse(out, l->text.s)) < 0)
        return bird_fail_in(rc, "%s: line %lld", l->in.name,
                            (long long)l->line);
    out->line = l->line;
    return 1;
}

/* A copy of the line with strings of its own. */
static int keep_line(bird_region *out, const struct bird_bed_line *l)
{
    bird_region r = {.start = l->start,
                     .end = l->end,
                     .strand = l->strand,
                     .line = l->line,
                     .index = -1};

    r.contig = strdup(l->contig);
    r.name = l->name ? strdup(l->name) : NULL;
    r.score = l->score ? strdup(l->score) : NULL;
    if (!r.contig || (l->name && !r.name) || (l->score && !r.score)) {
        free(r.contig);
        free(r.name);
        free(r.score);
        return bird_fail_memory(strlen(l->contig));
    }
    *out = r;
    return 0;
}

static int read_lines(bird_regions *list, struct bird_lines *l)
{
    struct bird_bed_line line;
    int rc;

    while ((rc = bird_bed_next(l, &line)) > 0) {
        rc = bird_array_grow(&list->at, &list->cap, list->n + 1,
                             sizeof(*list->at));
        if (rc || (rc = keep_line(&list->at[list->n], &line)))
            return rc;
        list->n++;
    }
    return rc;
}

int bird_bed_read(bird_regions *list, struct bird_lines *l)
{
    bird_regions more = {0};
    int rc;

    more.source = strdup(l->in.name);
    rc = more.source ? 0 : bird_fail_memory(strlen(l->in.name));
    if (rc || (rc = read_lines(&more, l)) ||
        (rc = bird_array_grow(&list->at, &list->cap, list->n + more.n,
                              sizeof(*list->at))))
        goto done;
    if (more.n)
        memcpy(list->at + list->n, more.at, (size_t)more.n * sizeof(*list->at));
    list->n += more.n;
    more.n = 0; /* its strings are the list's now */
    free(list->source);
    list->source = more.source;
    more.source = NULL;
done:
    bird_regions_free(&more);
    return rc;
}

int bird_regions_read_bed(bird_regions *list, const char *path)
{
    struct bird_lines l;
    int rc = bird_lines_open(&l, path);

    if (!rc)
        rc = bird_bed_read(list, &l);
    bird_lines_close(&l);
    return rc;
}
