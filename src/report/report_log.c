/* training.tsv by columns. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "report/report.h"
#include "seq/input.h"

void bird_log_free(struct bird_log *l)
{
    for (int i = 0; i < l->n_column; i++)
        free(l->value[i]);
    bird_text_free(&l->text);
    *l = (struct bird_log){0};
}

const double *bird_log_column(const struct bird_log *l, const char *name)
{
    for (int i = 0; i < l->n_column; i++)
        if (!l->is_text[i] && !strcmp(l->name[i], name))
            return l->value[i];
    return NULL;
}

static double number(const char *s, int *is_text)
{
    double v = (double)NAN;

    if (*s && strcmp(s, "NA") != 0 && strcmp(s, ".") != 0 &&
        strcmp(s, "nan") != 0 && strcmp(s, "-nan") != 0 &&
        strcmp(s, "inf") != 0 && strcmp(s, "-inf") != 0 &&
        bird_parse_double(&v, s)) {
        *is_text = 1;
        return (double)NAN;
    }
    return v;
}

/* The names; memory for as many rows as there are lines. */
static int read_names(struct bird_log *l, char **rest, const char *path)
{
    char *field[BIRD_LOG_COLUMNS + 1], *line = bird_next_line(rest);
    int64_t lines = 0;
    int n, rc = 0;

    if (!line)
        return 0;
    n = bird_split_tabs(field, BIRD_LOG_COLUMNS + 1, line);
    if (n > BIRD_LOG_COLUMNS)
        return bird_fail(BIRD_EFORMAT,
                         "%s: line 1: more than %d columns: not the table of "
                         "a run",
                         path, BIRD_LOG_COLUMNS);
    for (const char *c = *rest; c && *c; c++)
        lines += *c == '\n';
    for (int i = 0; !rc && i < n; i++) {
        rc = bird_array_new(&l->value[i], lines, sizeof(*l->value[i]));
        l->name[i] = field[i];
        l->n_column += !rc;
    }
    for (int i = 0; !rc && i < n; i++)
        if (!strcmp(l->name[i], "step"))
            return 0;
    return rc ? rc
              : bird_fail(BIRD_EFORMAT,
                          "%s: line 1: no column 'step': not the training.tsv "
                          "of a run",
                          path);
}

static int read_rows(struct bird_log *l, char *rest, const char *path)
{
    char *field[BIRD_LOG_COLUMNS + 1], *line;

    while ((line = bird_next_line(&rest))) {
        int n = bird_split_tabs(field, BIRD_LOG_COLUMNS + 1, line);

        if (n != l->n_column)
            return bird_fail(BIRD_EFORMAT,
                             "%s: line %lld: %d fields, %d in the first line",
                             path, (long long)l->n_row + 2, n, l->n_column);
        for (int i = 0; i < n; i++)
            l->value[i][l->n_row] = number(field[i], &l->is_text[i]);
        l->n_row++;
    }
    return 0;
}

int bird_log_read(struct bird_log *out, const char *path)
{
    struct bird_log l = {0};
    char *rest = NULL, *end;
    int rc = bird_file_read(&l.text, path);

    if (!rc && l.text.n && memchr(l.text.s, 0, (size_t)l.text.n))
        rc = bird_fail(BIRD_EFORMAT, "%s: a binary file, not text", path);
    if (!rc && l.text.n) {
        rest = l.text.s;
        end = strrchr(rest, '\n');
        if (end)
            end[1] = '\0';
        else
            rest = NULL;
    }
    if (!rc)
        rc = read_names(&l, &rest, path);
    if (!rc)
        rc = read_rows(&l, rest, path);
    if (!rc && l.n_column && !bird_log_column(&l, "step"))
        rc = bird_fail(BIRD_EFORMAT, "%s: not all steps are numbers", path);
    if (rc)
        bird_log_free(&l);
    else
        *out = l;
    return rc;
}
