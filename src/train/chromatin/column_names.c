/* Names in column 4 of peak files. SPDX-License-Identifier: MIT */
#include "train/chromatin/column_names.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"

/* Distinct names of one profile's file that may be profiles. */
enum { GUESS_MIN = 2, GUESS_MAX = 2000 };

static int is_unnamed(const char *name)
{
    return !name || !*name || !strcmp(name, ".");
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

static int collect(struct bird_name_set *names, const char *path)
{
    struct bird_bed bed;
    struct bird_bed_line line;
    int rc = check_file(path), more = 0;

    if (rc || (rc = bird_bed_open(&bed, path)))
        return rc;
    while (!rc && (more = bird_bed_next(&bed, &line)) > 0) {
        rc = check_name(path, &line);
        if (!rc)
            rc = bird_name_set_add(names, line.name);
        if (!rc && names->n > BIRD_COLUMN_NAMES)
            rc = bird_fail(BIRD_EINVAL,
                           "%s: line %lld: more than %d names in column 4: "
                           "do they name peaks, not profiles?",
                           path, (long long)line.line, BIRD_COLUMN_NAMES);
    }
    bird_bed_close(&bed);
    return rc ? rc : more;
}

int bird_profile_list_column(struct bird_profile_list *l,
                             const char *const *path, int64_t n)
{
    struct bird_name_set names = {0};
    int rc = 0;

    for (int64_t i = 0; !rc && i < n; i++)
        rc = collect(&names, path[i]);
    if (!rc && !names.n)
        rc = bird_fail(BIRD_EFORMAT, "the peak files hold no peak");
    bird_name_set_sort(&names);
    for (int64_t i = 0; !rc && i < names.n; i++)
        rc = bird_profile_list_add(l, names.at[i].name);
    bird_name_set_free(&names);
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
    rc = bird_name_set_add(&g->names, line->name);
    g->no = g->names.n > GUESS_MAX;
    return rc;
}

int64_t bird_column_guess_end(struct bird_column_guess *g)
{
    int64_t n = g->no || g->names.n < GUESS_MIN ? 0 : g->names.n;

    for (int64_t i = 0; i < g->names.n; i++)
        if (g->names.at[i].count < 2)
            n = 0;
    bird_name_set_free(&g->names);
    g->no = 0;
    return n;
}
