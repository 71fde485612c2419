/*
 * The profiles of a chromatin data set: out of a list, one a peak file, or the
 * distinct names in column 4 of peak files.
 * SPDX-License-Identifier: MIT
 */
#include "data/peaks.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "folder/feature.h"
#include "seq/input.h"

enum {
    NAME,
    CLASS,
    CELL,
    FACTOR,
    TREATMENT,
    INDEX,
    FILE_COLUMN,
    ID,
    N_COLUMN,
    MAX_FIELD = 64
};

static const char *const columns[N_COLUMN] = {
    "name", "class", "cell_type", "factor", "treatment", "index", "file", "id"};

void bird_profile_list_free(struct bird_profile_list *l)
{
    bird_features_free(&l->features);
    for (int64_t i = 0; i < l->n_source; i++) {
        free(l->source[i].path);
        free(l->source[i].id);
    }
    free(l->source);
    *l = (struct bird_profile_list){0};
}

/* A copy of the texts. */
static int add_source(struct bird_profile_list *l, const char *path,
                      const char *id, int32_t profile)
{
    struct bird_peak_source s = {.profile = profile};
    int rc = bird_array_grow(&l->source, &l->cap_source, l->n_source + 1,
                             sizeof(*l->source));

    if (rc)
        return rc;
    s.path = path ? strdup(path) : NULL;
    s.id = id ? strdup(id) : NULL;
    if ((path && !s.path) || (id && !s.id)) {
        free(s.path);
        free(s.id);
        return bird_fail_memory(0);
    }
    l->source[l->n_source++] = s;
    return 0;
}

struct reading {
    struct bird_profile_list *l;
    const char *path;
    long long line;
    int at[N_COLUMN]; /* index of each column; -1: absent */
    char *field[MAX_FIELD];
    int n_field;
};

static const char *field(const struct reading *r, int column)
{
    int at = r->at[column];

    return at >= 0 && at < r->n_field ? r->field[at] : "";
}

static int read_header(struct reading *r, char *line)
{
    if (*line == '#')
        line++;
    r->n_field = bird_split_tabs(r->field, MAX_FIELD, line);
    for (int c = 0; c < N_COLUMN; c++) {
        r->at[c] = -1;
        for (int i = 0; i < r->n_field; i++)
            if (!strcmp(r->field[i], columns[c])) {
                if (r->at[c] >= 0)
                    return bird_fail(BIRD_EFORMAT,
                                     "%s: line %lld: two columns are named "
                                     "'%s': rename one",
                                     r->path, r->line, columns[c]);
                r->at[c] = i;
            }
    }
    r->l->has_path = r->at[FILE_COLUMN] >= 0;
    r->l->has_id = r->at[ID] >= 0;
    if (r->at[NAME] < 0)
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld: no column 'name' in the header line "
                         "of a list of profiles",
                         r->path, r->line);
    return 0;
}

/* A name becomes a field of columns and headers. */
static int check_name(const struct reading *r, const char *name)
{
    if (!*name)
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld: a profile without a "
                         "name",
                         r->path, r->line);
    for (; *name; name++)
        if (bird_is_control(*name))
            return bird_fail(BIRD_EFORMAT,
                             "%s: line %lld: a name with control characters",
                             r->path, r->line);
    return 0;
}

/* Path of a file, relative to the folder of the list. */
static int beside(char **out, const char *list, const char *file)
{
    const char *slash = strrchr(list, '/');
    int folder = slash && *file != '/' ? (int)(slash - list) + 1 : 0;

    if (asprintf(out, "%.*s%s", folder, list, file) < 0)
        return bird_fail_memory(strlen(file));
    return 0;
}

/* Rows of one name describe one profile. */
static int check_same(const struct reading *r, const bird_feature *a,
                      const bird_feature *b)
{
    if (!strcmp(a->class_name, b->class_name) && !strcmp(a->cell, b->cell) &&
        !strcmp(a->factor, b->factor) && !strcmp(a->treatment, b->treatment) &&
        a->index == b->index)
        return 0;
    return bird_fail(BIRD_EFORMAT,
                     "%s: line %lld: '%.80s' has another class, cell type, "
                     "factor, treatment or index than in a line before: rows "
                     "of one name are one profile",
                     r->path, r->line, a->name);
}

static int read_row(struct reading *r)
{
    const char *name = field(r, NAME), *file = field(r, FILE_COLUMN);
    bird_feature x = {.index = -1};
    int64_t at;
    char *path = NULL;
    int rc = check_name(r, name);

    if (rc)
        return rc;
    x.name = name;
    x.class_name = field(r, CLASS);
    x.cell = field(r, CELL);
    x.factor = field(r, FACTOR);
    x.treatment = field(r, TREATMENT);
    if (*field(r, INDEX) && strcmp(field(r, INDEX), ".") != 0 &&
        bird_digits(&x.index, field(r, INDEX), INT32_MAX))
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld: index '%.40s' is not a whole number",
                         r->path, r->line, field(r, INDEX));
    at = bird_features_find(&r->l->features, name);
    if (at < 0) {
        at = r->l->features.n;
        rc = bird_features_put(&r->l->features, &x);
    } else {
        rc = check_same(r, &r->l->features.at[at], &x);
    }
    if (!rc && *file)
        rc = beside(&path, r->path, file);
    if (!rc)
        rc = add_source(r->l, path, *field(r, ID) ? field(r, ID) : name,
                        (int32_t)at);
    free(path);
    return rc;
}

int bird_profile_list_read(struct bird_profile_list *l, const char *path)
{
    struct reading r = {.l = l, .path = path};
    struct bird_text t = {0};
    char *rest, *line;
    int rc = bird_read_file(&t, path), header = 0;

    rest = t.s;
    if (!rc && !strncmp(rest, "\xef\xbb\xbf", 3)) /* a spreadsheet's mark */
        rest += 3;
    while (!rc && (line = bird_next_line(&rest))) {
        r.line++;
        if (!*line || !strncmp(line, "##", 2))
            continue;
        if (!header) {
            rc = read_header(&r, line);
            header = 1;
            continue;
        }
        r.n_field = bird_split_tabs(r.field, MAX_FIELD, line);
        rc = read_row(&r);
    }
    if (!rc && !l->features.n)
        rc = bird_fail(BIRD_EFORMAT, "%s: no profile in this list", path);
    bird_text_free(&t);
    if (rc)
        bird_profile_list_free(l);
    return rc;
}

static int list_add(struct bird_profile_list *l, const char *name)
{
    bird_feature x = {.index = -1, .name = name};
    int32_t at = (int32_t)l->features.n;
    int rc = bird_features_put(&l->features, &x);

    return rc ? rc : add_source(l, NULL, name, at);
}

static int ends_in(const char *s, size_t n, const char *ending)
{
    size_t m = strlen(ending);

    return n > m && !strncasecmp(s + n - m, ending, m);
}

/* "a/b.narrowPeak.gz" is "b". The name is written to columns and headers, so
 * control characters become "_". */
static char *name_of(const char *path)
{
    static const char *const endings[] = {
        ".gz",         ".bgz",       ".zst", ".bb",
        ".narrowpeak", ".broadpeak", ".bed", ".bigbed",
    };
    const char *slash = strrchr(path, '/'), *s = slash ? slash + 1 : path;
    size_t n = strlen(s);
    char *name;

    for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
        if (ends_in(s, n, endings[i]))
            n -= strlen(endings[i]);
    name = strndup(s, n);
    if (name)
        bird_replace_control(name, '_');
    return name;
}

int bird_profile_list_files(struct bird_profile_list *l,
                            const char *const *path, int64_t n)
{
    int rc = 0;

    for (int64_t i = 0; !rc && i < n; i++) {
        char *name = name_of(path[i]);
        bird_feature x = {.index = -1, .name = name};

        if (!name)
            rc = bird_fail_memory(strlen(path[i]));
        else if (bird_features_find(&l->features, x.name) >= 0)
            rc = bird_fail(BIRD_EINVAL,
                           "%s: a second file for the profile '%s': name the "
                           "profiles in a list (--profiles)",
                           path[i], x.name);
        if (!rc)
            rc = bird_features_put(&l->features, &x);
        if (!rc)
            rc = add_source(l, path[i], NULL, (int32_t)i);
        free(name);
    }
    l->has_path = 1;
    if (rc)
        bird_profile_list_free(l);
    return rc;
}

/* ---- names in column 4 -------------------------------------------------- */

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
    if (bird_file_is_stream(path))
        return bird_fail(
            BIRD_EINVAL,
            "%s: column 4 is read before the peaks, so a regular file that can "
            "be read twice is needed; or list the profiles with --profiles",
            path);
    return 0;
}

static int check_peak_name(const char *path, const struct bird_bed_line *line)
{
    if (is_unnamed(line->name))
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld: column 4 does not name a profile",
                         path, (long long)line->line);
    for (const char *c = line->name; *c; c++)
        if (bird_is_control(*c))
            return bird_fail(BIRD_EFORMAT,
                             "%s: line %lld: a name with control characters",
                             path, (long long)line->line);
    return 0;
}

static int collect(json_t **names, const char *path)
{
    struct bird_lines bed;
    struct bird_bed_line line;
    int rc = check_file(path), more = 0;

    if (rc || (rc = bird_lines_open(&bed, path)))
        return rc;
    while (!rc && (more = bird_bed_next(&bed, &line)) > 0) {
        rc = check_peak_name(path, &line);
        if (!rc)
            rc = count(names, line.name);
        if (!rc && json_object_size(*names) > BIRD_COLUMN_NAMES)
            rc = bird_fail(BIRD_EINVAL,
                           "%s: line %lld: more than %d names in column 4: "
                           "do they name peaks, not profiles?",
                           path, (long long)line.line, BIRD_COLUMN_NAMES);
    }
    bird_lines_close(&bed);
    return rc ? rc : more;
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
    bird_texts_sort(name, n);
    for (int64_t i = 0; !rc && i < n; i++)
        rc = list_add(l, name[i]);
    free((void *)name);
    return rc;
}

/*
 * One profile for each distinct name in column 4, in the order of their bytes;
 * the id of a profile is its name. The files are read to their end, and must be
 * readable a second time: only names are kept in memory.
 * Errors: BIRD_EINVAL a stream, or too many names; BIRD_EIO;
 * BIRD_EFORMAT a line without a name, with file and line; BIRD_ENOMEM
 */
static int list_column(struct bird_profile_list *l, const char *const *path,
                       int64_t n)
{
    json_t *names = NULL;
    int rc = 0;

    for (int64_t i = 0; !rc && i < n; i++)
        rc = collect(&names, path[i]);
    if (!rc && !names)
        rc = bird_fail(BIRD_EFORMAT, "the peak files contain no peaks");
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

static int by_path(const void *a, const void *b)
{
    const struct bird_peak_source *const *x = a, *const *y = b;
    int order = strcmp((*x)->path, (*y)->path);

    return order ? order : (*x)->profile - (*y)->profile;
}

/* Ids tell the profiles of common files apart, not those of a file that each
 * profile has for itself. */
static int check_ids(const struct bird_profile_list *l, const char *list)
{
    const struct bird_peak_source **s;
    int64_t n = 0;
    int rc = bird_array_new(&s, l->n_source, sizeof(*s));

    for (int64_t i = 0; !rc && i < l->n_source; i++)
        if (l->source[i].path)
            s[n++] = &l->source[i];
    if (!rc)
        qsort((void *)s, (size_t)n, sizeof(*s), by_path);
    for (int64_t i = 1; !rc && i < n; i++)
        if (!strcmp(s[i - 1]->path, s[i]->path) &&
            s[i - 1]->profile != s[i]->profile)
            rc = bird_fail(BIRD_EINVAL,
                           "%s: %s is the file of several profiles, which "
                           "column 'id' does not tell apart: remove column "
                           "'file', and name the file as peaks",
                           list, s[i]->path);
    free((void *)s);
    return rc;
}

int bird_profile_list_open(struct bird_profile_list *l,
                           const bird_profile_files *f)
{
    int rc = f->profiles ? bird_profile_list_read(l, f->profiles)
             : f->name_column
                 ? list_column(l, f->peaks, f->n_peaks)
                 : bird_profile_list_files(l, f->peaks, f->n_peaks);

    if (!rc && f->profiles && !f->n_peaks && !l->has_path)
        rc = bird_fail(
            BIRD_EINVAL,
            "%s: names no peak files (no column 'file'): also give the peak "
            "file whose column 4 has the ids of the profiles",
            f->profiles);
    for (int64_t i = 0; !rc && f->profiles && f->n_peaks && i < l->n_source;
         i++)
        if (l->source[i].path)
            rc = bird_fail(BIRD_EINVAL,
                           "%s: names the peak file %s in its column 'file': "
                           "give no further peak files, or remove the column",
                           f->profiles, l->source[i].path);
    if (!rc && f->profiles && l->has_id && l->has_path)
        rc = check_ids(l, f->profiles);
    return rc;
}
