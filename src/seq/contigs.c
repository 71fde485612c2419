/*
 * Names of contigs. A hash table holds the names as written; a contig has few
 * aliases, so they are looked up one by one instead of stored.
 * SPDX-License-Identifier: MIT
 */
#include "seq/contigs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/map.h"
#include "base/mem.h"
#include "seq/input.h"

/* ---- the dictionary ------------------------------------------------------ */

void bird_contigs_free(struct bird_contigs *c)
{
    for (int64_t i = 0; i < c->n; i++)
        free(c->name[i]);
    free(c->name);
    bird_names_free(c->index);
    *c = (struct bird_contigs){0};
}

int64_t bird_contigs_find_exact(const struct bird_contigs *c, const char *name)
{
    const int64_t *at =
        c->index ? bird_map_find(c->index, name, (int64_t)strlen(name)) : NULL;

    return at ? *at : -1;
}

/* The part of a name that all aliases share: without "chr", MT for M. */
static const char *core_of(const char *name)
{
    if (!strncmp(name, "chr", 3) && name[3])
        name += 3;
    return strcmp(name, "M") ? name : "MT";
}

int bird_contig_compare(const char *a, const char *b)
{
    return strcmp(core_of(a), core_of(b));
}

int32_t bird_contigs_find(const struct bird_contigs *c, const char *name)
{
    const char *core = core_of(name);
    int is_mt = !strcmp(core, "MT");
    char other[1024];
    const char *names[] = {name, core, other, is_mt ? "M" : core,
                           is_mt ? "chrM" : core};

    snprintf(other, sizeof(other), "chr%s", core);
    for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
        int64_t i = bird_contigs_find_exact(c, names[k]);

        /* "chr1" is not an alias of "chrchr1", nor is a truncated name */
        if (i >= 0 && !bird_contig_compare(c->name[i], name))
            return (int32_t)i;
    }
    return -1;
}

int bird_contigs_append(struct bird_contigs *c, const char *name)
{
    char *copy;
    int rc = 0;

    if (c->n == INT32_MAX)
        return bird_fail(BIRD_ERANGE, "contig %s: too many contigs", name);
    if (!c->index)
        rc = bird_array_new(&c->index, 1, sizeof(*c->index));
    if (!rc)
        rc = bird_array_grow(&c->name, &c->cap, c->n + 1, sizeof(*c->name));
    if (rc)
        return rc;
    copy = strdup(name);
    if (!copy)
        return bird_fail_memory(strlen(name) + 1);
    rc = bird_map_add(c->index, NULL, name, (int64_t)strlen(name), c->n);
    if (rc)
        free(copy);
    else
        c->name[c->n++] = copy;
    return rc;
}

int bird_contigs_add(int32_t *out, struct bird_contigs *c, const char *name)
{
    int32_t i = bird_contigs_find(c, name);
    int rc = i < 0 ? bird_contigs_append(c, name) : 0;

    if (!rc)
        *out = i < 0 ? (int32_t)c->n - 1 : i;
    return rc;
}

void bird_names_free(struct bird_map *names)
{
    if (names)
        bird_map_free(names);
    free(names);
}

int bird_names_add(struct bird_map **names, const char *file, const char *name,
                   int64_t line)
{
    int64_t *first, n = 0;
    int rc = *names ? 0 : bird_array_new(names, 1, sizeof(**names));

    if (!rc) {
        n = bird_map_count(*names);
        rc = bird_map_add(*names, &first, name, (int64_t)strlen(name), line);
    }
    /* not by its line: all of a file with CR line ends is one */
    if (!rc && bird_map_count(*names) == n)
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: two records are named '%s' (lines %lld and "
                       "%lld): rename or remove one",
                       file, name, (long long)*first, (long long)line);
    return rc;
}

/* ---- names of other files ------------------------------------------------ */

enum { TOLD = 4 }; /* names that a message shows */

/* Names of another file, and the contig of g that each means. */
struct meanings {
    struct bird_contigs names;
    int64_t *contig, cap; /* (names.n) contig in g; -1: none */
};

struct bird_contig_map {
    const bird_genome *g;
    struct meanings table;      /* names in the user's table */
    struct meanings met;        /* names that were looked up */
    struct bird_text told, all; /* the first names; the same and the number
                                   of further ones */
    int64_t n_told, last;       /* index in met of the last name, for runs of
                                   one contig */
};

static void meanings_free(struct meanings *t)
{
    bird_contigs_free(&t->names);
    free(t->contig);
}

static int meanings_put(struct meanings *t, const char *name, int64_t contig)
{
    int rc = bird_array_grow(&t->contig, &t->cap, t->names.n + 1,
                             sizeof(*t->contig));

    if (!rc && !(rc = bird_contigs_append(&t->names, name)))
        t->contig[t->names.n - 1] = contig;
    return rc;
}

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
    if (bird_contigs_find_exact(&m->table.names, from) >= 0)
        return bird_fail(BIRD_EFORMAT, "'%s' occurs twice", from);
    return meanings_put(&m->table, from, i);
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
    int rc;

    if (!m)
        return bird_fail_memory(sizeof(*m));
    m->g = g;
    m->last = -1;
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
    meanings_free(&m->table);
    meanings_free(&m->met);
    bird_text_free(&m->told);
    bird_text_free(&m->all);
    free(m);
}

static int look_up(struct bird_contig_map *m, const char *name)
{
    int64_t at = bird_contigs_find_exact(&m->table.names, name);
    int64_t i =
        at >= 0 ? m->table.contig[at] : bird_genome_find_alias(m->g, name);
    const char *is = i < 0 ? NULL : bird_genome_name(m->g, i);
    int rc = 0;

    if (is && strcmp(is, name) != 0 && m->n_told++ < TOLD)
        rc = bird_text_printf(&m->told, "%s%s is %s", m->told.n ? ", " : "",
                              name, is);
    return rc ? rc : meanings_put(&m->met, name, i);
}

int bird_contig_map_find(struct bird_contig_map *m, int64_t *contig,
                         const char *name)
{
    int rc;

    if (m->last < 0 || strcmp(m->met.names.name[m->last], name) != 0)
        m->last = bird_contigs_find_exact(&m->met.names, name);
    if (m->last < 0) {
        if ((rc = look_up(m, name)))
            return rc;
        m->last = m->met.names.n - 1;
    }
    *contig = m->met.contig[m->last];
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
    const char *mine = bird_genome_name(m->g, i), *prefix = "";
    int add = has_prefix(example) && !has_prefix(bird_genome_name(m->g, like));
    int cut = !has_prefix(example) && has_prefix(bird_genome_name(m->g, like));

    bird_text_clear(out);
    for (int64_t k = 0; k < m->table.names.n; k++)
        if (m->table.contig[k] == i)
            return bird_text_printf(out, "%s", m->table.names.name[k]);
    if (cut && has_prefix(mine))
        mine += 3;
    if (add && !has_prefix(mine))
        prefix = "chr";
    if ((add || cut) && (!strcmp(mine, "M") || !strcmp(mine, "MT")))
        mine = add ? "M" : "MT";
    return bird_text_printf(out, "%s%s", prefix, mine);
}
