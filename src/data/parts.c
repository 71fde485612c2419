/* The parts of a split. SPDX-License-Identifier: MIT */
#include "data/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"

void bird_split_free(struct bird_split_parts *p)
{
    for (int64_t i = 0; i < p->n; i++) {
        free(p->part[i].name);
        bird_intervals_free(&p->part[i].at);
    }
    *p = (struct bird_split_parts){0};
}

static int add_name(struct bird_split_parts *p, const char *name)
{
    for (int64_t i = 0; i < p->n; i++)
        if (!strcmp(p->part[i].name, name))
            return bird_fail(BIRD_EINVAL,
                             "part '%s' is given twice: name each part once",
                             name);
    if (p->n == BIRD_MAX_PART)
        return bird_fail(BIRD_EINVAL, "a split has at most %d parts",
                         BIRD_MAX_PART);
    p->part[p->n].name = strdup(name);
    return p->part[p->n++].name ? 0 : bird_fail_memory(strlen(name));
}

/* What a part names; of the rest, which needs all others, nothing yet. */
static int read_where(struct bird_split_part *part, struct bird_reference *ref,
                      const int64_t *length, char *where)
{
    int rc;

    part->rest = !strcmp(where, "rest");
    if (part->rest)
        return 0;
    if (bird_file_exists(where) && bird_contigs_find(&ref->contigs, where) >= 0)
        return bird_fail(BIRD_EINVAL,
                         "--split: %.80s is a contig and a file here: "
                         "write ./%.80s for the file or %.80s:1- for the "
                         "contig",
                         where, where, where);
    if (!bird_file_exists(where) && !strchr(where, '/') &&
        !strstr(where, ".bed"))
        for (char *s = where; *s; s++)
            *s = (char)(*s == '+' ? ',' : *s);
    rc = bird_intervals_allowed(&part->at, &ref->contigs, length, ref->n, where,
                                NULL);
    if (rc == BIRD_ERANGE) /* an option, not a file, names the contig */
        rc = BIRD_EINVAL;
    return rc ? bird_fail_in(rc, "part '%s'", part->name) : 0;
}

static int read_part(struct bird_split_parts *p, struct bird_reference *ref,
                     const int64_t *length, char *word)
{
    char *where = strchr(word, '=');
    int rc;

    if (!where || where == word || !where[1] || *word == '.' ||
        memchr(word, '/', (size_t)(where - word)) ||
        memchr(word, '\t', (size_t)(where - word)))
        return bird_fail(BIRD_EINVAL,
                         "split '%s': a part is NAME=FILE.bed, "
                         "NAME=contig+contig or NAME=rest, and NAME becomes "
                         "the name of a file",
                         word);
    *where = '\0';
    rc = add_name(p, word);
    return rc ? rc : read_where(&p->part[p->n - 1], ref, length, where + 1);
}

static int place_rest(struct bird_split_parts *p, const int64_t *length,
                      int64_t n)
{
    int rc = 0;

    for (int64_t i = 0; !rc && i < p->n; i++) {
        struct bird_split_part *x = &p->part[i];

        if (!x->rest)
            continue;
        rc = bird_intervals_whole(&x->at, length, n);
        for (int64_t k = 0; !rc && k < p->n; k++)
            if (!p->part[k].rest)
                rc = bird_intervals_subtract(&x->at, &p->part[k].at);
    }
    return rc;
}

/* Parts share no base, or rows of one are in another. */
static int check_apart(const struct bird_split_parts *p)
{
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t k = 0; k < i; k++) {
            const struct bird_split_part *x = &p->part[k], *y = &p->part[i];
            int64_t shared = 0;

            if (x->rest && y->rest)
                return bird_fail(BIRD_EINVAL,
                                 "--split: parts '%s' and '%s' are both the "
                                 "rest",
                                 x->name, y->name);
            for (int64_t j = 0; j < y->at.n; j++)
                shared +=
                    bird_intervals_covered(&x->at, y->at.at[j].contig,
                                           y->at.at[j].start, y->at.at[j].end);
            if (shared)
                return bird_fail(BIRD_EINVAL,
                                 "--split: parts '%s' and '%s' share %lld bp: "
                                 "a base belongs to one part",
                                 x->name, y->name, (long long)shared);
        }
    return 0;
}

int bird_split_read(struct bird_split_parts *p, struct bird_reference *ref,
                    const char *text)
{
    char *copy = strdup(text ? text : "all=rest"), *word, *save = NULL;
    int64_t *length = NULL;
    int rc = copy ? 0 : bird_fail_memory(0);

    if (!rc)
        rc = bird_array_new(&length, ref->n, sizeof(*length));
    for (int64_t i = 0; !rc && i < ref->n; i++)
        length[i] = ref->contig[i].length;
    for (word = rc ? NULL : strtok_r(copy, ",", &save); !rc && word;
         word = strtok_r(NULL, ",", &save))
        rc = read_part(p, ref, length, word);
    if (!rc && !p->n)
        rc = bird_fail(BIRD_EINVAL, "the split names no part: give "
                                    "NAME=FILE.bed,... or leave out --split");
    if (!rc)
        rc = place_rest(p, length, ref->n);
    if (!rc)
        rc = check_apart(p);
    free(length);
    free(copy);
    return rc;
}
