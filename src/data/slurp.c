/* Whole text files, plain or gzip. SPDX-License-Identifier: MIT */
#include "data/slurp.h"

#include <string.h>

#include "base/fail.h"
#include "seq/input.h"

int bird_slurp(struct bird_text *out, const char *path)
{
    char part[65536];
    struct bird_input in = {0};
    int64_t n = 1;
    int rc = bird_input_open(&in, path);

    bird_text_clear(out);
    if (rc)
        return rc;
    rc = bird_text_put(out, "", 0);
    while (!rc && n) {
        rc = bird_input_read(&in, part, sizeof(part), &n);
        if (!rc)
            rc = bird_text_put(out, part, n);
    }
    if (!rc && !out->n)
        rc = bird_fail(BIRD_EFORMAT, "%s: the file is empty", in.name);
    if (!rc && memchr(out->s, 0, (size_t)out->n))
        rc = bird_fail(BIRD_EFORMAT, "%s: a binary file, not text", in.name);
    bird_input_close(&in);
    if (rc)
        bird_text_clear(out);
    return rc;
}

char *bird_next_line(char **rest)
{
    char *line = *rest, *end;

    if (!line || !*line)
        return NULL;
    end = strchr(line, '\n');
    *rest = end ? end + 1 : NULL;
    if (!end)
        end = line + strlen(line);
    *end = '\0';
    if (end > line && end[-1] == '\r')
        end[-1] = '\0';
    return line;
}

int bird_split_tabs(char **field, int max, char *line)
{
    int n = 0;

    while (n < max) {
        field[n++] = line;
        line = strchr(line, '\t');
        if (!line)
            break;
        *line++ = '\0';
    }
    return n;
}

int bird_digits(int64_t *out, const char *s, int64_t max)
{
    int64_t v = 0;

    if (!*s)
        return BIRD_EINVAL;
    for (; *s; s++) {
        if (*s < '0' || *s > '9' || v > (max - (*s - '0')) / 10)
            return BIRD_EINVAL;
        v = v * 10 + (*s - '0');
    }
    *out = v;
    return 0;
}
