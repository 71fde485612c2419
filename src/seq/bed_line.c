/* Lines of BED, split in place. SPDX-License-Identifier: MIT */
#include "seq/bed_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "dnabird/intervals.h"

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

/* Split a line in place into at most N_FIELD fields; returns their number. */
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

int bird_bed_parse(struct bird_bed_line *out, char *line, int is_bigbed)
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
                  !strchr("+-.", field[5][0]))) {
        if (is_bigbed) /* whose columns may hold anything */
            n = 5;
        else
            return bird_fail(BIRD_EFORMAT,
                             "strand '%.20s' in column 6 is not +, - or .",
                             field[5]);
    }
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
    if ((rc = bird_bed_parse(out, l->text.s, l->bigbed != NULL)) < 0)
        return bird_fail_in(rc, "%s: %s %lld", l->in.name,
                            l->bigbed ? "interval" : "line",
                            (long long)l->line);
    out->line = l->line;
    return 1;
}
