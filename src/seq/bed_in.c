/* BED files in. SPDX-License-Identifier: MIT */
#include "seq/bed_in.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/text.h"

enum { N_FIELD = 6 };

static int starts_with_word(const char *s, const char *word)
{
    size_t n = strlen(word);

    return !strncmp(s, word, n) && (!s[n] || s[n] == ' ' || s[n] == '\t');
}

static int is_comment(const char *s)
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

/* One line's region into *out, of which it then owns the strings. */
static int parse_line(bird_region *out, char *line)
{
    char *field[N_FIELD];
    bird_region r = {.strand = '.', .index = -1};
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
    r.contig = strdup(field[0]);
    r.name = n > 3 ? strdup(field[3]) : NULL;
    r.score = n > 4 ? strdup(field[4]) : NULL;
    if (!r.contig || (n > 3 && !r.name) || (n > 4 && !r.score)) {
        free(r.contig);
        free(r.name);
        free(r.score);
        return bird_fail_memory(strlen(field[0]));
    }
    *out = r;
    return 0;
}

static int read_lines(bird_regions *list, struct bird_lines *l,
                      struct bird_text *line)
{
    int rc;

    while ((rc = bird_lines_next(l, line)) > 0) {
        bird_region r = {0};

        if (is_comment(line->s))
            continue;
        rc = bird_array_grow(&list->at, &list->cap, list->n + 1,
                             sizeof(*list->at));
        if (rc)
            return rc;
        if ((rc = parse_line(&r, line->s)))
            return bird_fail_in(rc, "%s: line %lld", l->in->name,
                                (long long)l->line);
        r.line = l->line;
        list->at[list->n++] = r;
    }
    return rc;
}

int bird_bed_read(bird_regions *list, struct bird_input *in)
{
    struct bird_lines *l = calloc(1, sizeof(*l));
    struct bird_text line = {0};
    bird_regions more = {0};
    int rc;

    if (!l)
        return bird_fail_memory(sizeof(*l));
    l->in = in;
    more.source = strdup(in->name);
    rc = more.source ? 0 : bird_fail_memory(strlen(in->name));
    if (rc || (rc = read_lines(&more, l, &line)) ||
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
    bird_text_free(&line);
    free(l);
    return rc;
}

int bird_regions_read_bed(bird_regions *list, const char *path)
{
    struct bird_input in = {0};
    int rc = bird_input_open(&in, path);

    if (!rc)
        rc = bird_bed_read(list, &in);
    bird_input_close(&in);
    return rc;
}
