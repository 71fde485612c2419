/* Names in column 4 of peak files. SPDX-License-Identifier: MIT */
#include "data/column_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/mem.h"

/* Distinct names of one profile's file that may be profiles. */
enum { GUESS_MIN = 2, GUESS_MAX = 2000 };

static int is_unnamed(const char *name)
{
    return !name || !*name || !strcmp(name, ".");
}

/* A name once more; jansson's object is the table, of bytes as they are. */
static int count(json_t **names, const char *name)
{
    json_t *n;

    if (!*names && !(*names = json_object()))
        return bird_fail_memory(0);
    if ((n = json_object_get(*names, name)))
        return json_integer_set(n, json_integer_value(n) + 1)
                   ? bird_fail_memory(0)
                   : 0;
    return json_object_set_new_nocheck(*names, name, json_integer(1))
               ? bird_fail_memory(strlen(name))
               : 0;
}

static int check_file(const char *path)
{
    struct stat st;

    if (!strcmp(path, "-") || (!stat(path, &st) && !S_ISREG(st.st_mode)))
        return bird_fail(BIRD_EINVAL,
                         "%s: column 4 is read before the peaks are: it must "
                         "be a file that can be read twice, or the profiles "
                         "be named in a list (--profiles)",
                         path);
    return 0;
}

static int check_name(const char *path, const struct bird_bed_line *line)
{
    if (is_unnamed(line->name))
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld: column 4 does not name a profile",
                         path, (long long)line->line);
    for (const char *c = line->name; *c; c++)
        if (iscntrl((unsigned char)*c))
            return bird_fail(BIRD_EFORMAT,
                             "%s: line %lld: a name with control characters",
                             path, (long long)line->line);
    return 0;
}

static int collect(json_t **names, const char *path)
{
    struct bird_bed bed;
    struct bird_bed_line line;
    int rc = check_file(path), more = 0;

    if (rc || (rc = bird_bed_open(&bed, path)))
        return rc;
    while (!rc && (more = bird_bed_next(&bed, &line)) > 0) {
        rc = check_name(path, &line);
        if (!rc)
            rc = count(names, line.name);
        if (!rc && json_object_size(*names) > BIRD_COLUMN_NAMES)
            rc = bird_fail(BIRD_EINVAL,
                           "%s: line %lld: more than %d names in column 4: "
                           "do they name peaks, not profiles?",
                           path, (long long)line.line, BIRD_COLUMN_NAMES);
    }
    bird_bed_close(&bed);
    return rc ? rc : more;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int add_sorted(struct bird_profile_list *l, json_t *names)
{
    const char **name, *key;
    json_t *times;
    int64_t n = 0;
    int rc =
        bird_array_new(&name, (int64_t)json_object_size(names), sizeof(*name));

    if (rc)
        return rc;
    json_object_foreach(names, key, times)
    {
        name[n++] = key;
    }
    qsort((void *)name, (size_t)n, sizeof(*name), by_bytes);
    for (int64_t i = 0; !rc && i < n; i++)
        rc = bird_profile_list_add(l, name[i]);
    free((void *)name);
    return rc;
}

int bird_profile_list_column(struct bird_profile_list *l,
                             const char *const *path, int64_t n)
{
    json_t *names = NULL;
    int rc = 0;

    for (int64_t i = 0; !rc && i < n; i++)
        rc = collect(&names, path[i]);
    if (!rc && !names)
        rc = bird_fail(BIRD_EFORMAT, "the peak files hold no peak");
    if (!rc)
        rc = add_sorted(l, names);
    json_decref(names);
    if (rc)
        bird_profile_list_free(l);
    return rc;
}

int bird_column_guess_add(struct bird_column_guess *g,
                          const struct bird_bed_line *line)
{
    int rc;

    if (g->no)
        return 0;
    if (is_unnamed(line->name)) {
        g->no = 1;
        return 0;
    }
    rc = count(&g->names, line->name);
    g->no = json_object_size(g->names) > GUESS_MAX;
    return rc;
}

int64_t bird_column_guess_end(struct bird_column_guess *g)
{
    int64_t n = g->no ? 0 : (int64_t)json_object_size(g->names);
    const char *key;
    json_t *times;

    json_object_foreach(g->names, key, times)
    {
        if (json_integer_value(times) < 2)
            n = 0;
    }
    json_decref(g->names);
    *g = (struct bird_column_guess){0};
    return n < GUESS_MIN ? 0 : n;
}
