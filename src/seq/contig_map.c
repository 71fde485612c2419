/* Contig names of one file in another. SPDX-License-Identifier: MIT */
#include "seq/contig_map.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "seq/input.h"

enum { TOLD = 4 }; /* names that the sentence shows */

struct bird_contig_map {
    const bird_genome *g;
    json_t *table;              /* name: contig of g, as the file says */
    json_t *met;                /* name: contig of g or -1, as it was found */
    struct bird_text told, all; /* the first names; and how many more */
    int64_t n_told, last;
    const char *last_name; /* key of met, for runs of one contig */
};

static int put_line(struct bird_contig_map *m, char *line)
{
    char *save = NULL, *from = strtok_r(line, " \t", &save);
    char *to = strtok_r(NULL, " \t", &save);
    int64_t i;

    if (!from || *from == '#')
        return 0;
    if (!to)
        return bird_fail(BIRD_EFORMAT, "one name where two are needed: the "
                                       "other file's and the reference's");
    i = bird_genome_find(m->g, to);
    if (i < 0)
        return bird_fail(BIRD_ERANGE, "%s has no contig '%s'",
                         bird_genome_path(m->g), to);
    if (json_object_get(m->table, from))
        return bird_fail(BIRD_EFORMAT, "'%s' stands there twice", from);
    return json_object_set_new_nocheck(m->table, from, json_integer(i))
               ? bird_fail_memory(0)
               : 0;
}

static int read_table(struct bird_contig_map *m, const char *path)
{
    struct bird_lines l;
    int rc = bird_lines_open(&l, path);

    while (!rc && (rc = bird_lines_next(&l)) > 0)
        if ((rc = put_line(m, l.text.s)))
            rc =
                bird_fail_in(rc, "%s: line %lld", l.in.name, (long long)l.line);
    bird_lines_close(&l);
    return rc;
}

int bird_contig_map_new(struct bird_contig_map **out, const bird_genome *g,
                        const char *path)
{
    struct bird_contig_map *m = calloc(1, sizeof(*m));
    int rc = 0;

    if (!m)
        return bird_fail_memory(sizeof(*m));
    m->g = g;
    m->table = json_object();
    m->met = json_object();
    if (!m->table || !m->met)
        rc = bird_fail_memory(0);
    if (!rc)
        rc = bird_text_put(&m->told, "", 0);
    if (!rc && path)
        rc = read_table(m, path);
    if (rc)
        bird_contig_map_free(m);
    else
        *out = m;
    return rc;
}

void bird_contig_map_free(struct bird_contig_map *m)
{
    if (!m)
        return;
    json_decref(m->table);
    json_decref(m->met);
    bird_text_free(&m->told);
    bird_text_free(&m->all);
    free(m);
}

static int look_up(struct bird_contig_map *m, const char *name)
{
    const json_t *v = json_object_get(m->table, name);
    int64_t i = v ? json_integer_value(v) : bird_genome_find_alias(m->g, name);
    const char *is = i < 0 ? NULL : bird_genome_name(m->g, i);
    int rc = 0;

    if (is && strcmp(is, name) != 0 && m->n_told++ < TOLD)
        rc = bird_text_printf(&m->told, "%s%s is %s", m->told.n ? ", " : "",
                              name, is);
    if (!rc && json_object_set_new_nocheck(m->met, name, json_integer(i)))
        rc = bird_fail_memory(0);
    return rc;
}

int bird_contig_map_find(struct bird_contig_map *m, int64_t *contig,
                         const char *name)
{
    void *at;
    int rc;

    if (m->last_name && !strcmp(m->last_name, name)) {
        *contig = m->last;
        return 0;
    }
    if (!json_object_get(m->met, name) && (rc = look_up(m, name)))
        return rc;
    at = json_object_iter_at(m->met, name);
    m->last_name = json_object_iter_key(at);
    m->last = json_integer_value(json_object_iter_value(at));
    *contig = m->last;
    return 0;
}

const char *bird_contig_map_told(struct bird_contig_map *m)
{
    if (m->n_told <= TOLD)
        return m->told.s;
    bird_text_clear(&m->all);
    return bird_text_printf(&m->all, "%s and %lld more", m->told.s,
                            (long long)m->n_told - TOLD)
               ? ""
               : m->all.s;
}

static int has_prefix(const char *name)
{
    return !strncmp(name, "chr", 3) && name[3];
}

int bird_contig_map_name(struct bird_text *out, const struct bird_contig_map *m,
                         int64_t i, const char *example, int64_t like)
{
    const char *mine = bird_genome_name(m->g, i), *prefix = "", *k;
    int add = has_prefix(example) && !has_prefix(bird_genome_name(m->g, like));
    int cut = !has_prefix(example) && has_prefix(bird_genome_name(m->g, like));
    json_t *v;

    bird_text_clear(out);
    json_object_foreach(m->table, k, v)
    {
        if (json_integer_value(v) == i)
            return bird_text_put(out, k, (int64_t)strlen(k));
    }
    if (cut && has_prefix(mine))
        mine += 3;
    if (add && !has_prefix(mine))
        prefix = "chr";
    if ((add || cut) && (!strcmp(mine, "M") || !strcmp(mine, "MT")))
        mine = add ? "M" : "MT";
    return bird_text_printf(out, "%s%s", prefix, mine);
}
