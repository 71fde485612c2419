/* Labelled sequences out of FASTA. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "data/dataset.h"
#include "data/slurp.h"
#include "seq/name_set.h"

/* The second file: labels by name, sorted. */
struct pair {
    const char *name, *label;
    int64_t line;
};

struct labels {
    struct bird_text file;
    struct pair *pair;
    int64_t n, cap;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct pair *)a)->name,
                  ((const struct pair *)b)->name);
}

static int read_labels(struct labels *l, const char *path)
{
    char *rest, *line, *field[3];
    int64_t at = 0;
    int rc = bird_slurp(&l->file, path);

    if (rc)
        return rc;
    for (rest = l->file.s; (line = bird_next_line(&rest));) {
        at++;
        if (!*line || *line == '#')
            continue;
        if (bird_split_tabs(field, 3, line) != 2)
            return bird_fail(BIRD_EFORMAT,
                             "%s: line %lld: should be a name, "
                             "a tab and a label",
                             path, (long long)at);
        rc = bird_array_grow(&l->pair, &l->cap, l->n + 1, sizeof(*l->pair));
        if (rc)
            return rc;
        l->pair[l->n++] = (struct pair){field[0], field[1], at};
    }
    if (l->n)
        qsort(l->pair, (size_t)l->n, sizeof(*l->pair), by_name);
    for (int64_t i = 1; i < l->n; i++)
        if (!by_name(&l->pair[i - 1], &l->pair[i]))
            return bird_fail(BIRD_EFORMAT,
                             "%s: line %lld: '%s' has a label "
                             "already",
                             path, (long long)l->pair[i].line, l->pair[i].name);
    return 0;
}

/* The value of label=... in a description, cut out in place; or NULL. */
static char *description_label(char *s)
{
    char *word, *save = NULL;

    for (word = strtok_r(s, " \t;|", &save); word;
         word = strtok_r(NULL, " \t;|", &save))
        if (!strncmp(word, "label=", 6))
            return word + 6;
    return NULL;
}

/* Add the record whose letters are gathered in seq. */
static int put_record(struct bird_dataset_builder *b, const struct labels *l,
                      char *header, const struct bird_text *seq, int64_t line)
{
    size_t n_name = strcspn(header, " \t");
    char *rest = header + n_name + (header[n_name] != '\0');
    const char *label = NULL;
    struct pair key = {header, NULL, 0}, *found;
    int rc;

    header[n_name] = '\0';
    rc = bird_dataset_add(b, seq->s ? seq->s : "", seq->n, line, "record");
    if (!rc)
        rc = bird_dataset_put_name(b, header);
    if (rc)
        return rc;
    if (b->o->labels) {
        found = l->n
                    ? bsearch(&key, l->pair, (size_t)l->n, sizeof(key), by_name)
                    : NULL;
        if (!found)
            return bird_fail(BIRD_EFORMAT,
                             "%s: line %lld: '%s' has no label "
                             "in %s",
                             b->path, (long long)line, header, b->o->labels);
        label = found->label;
    } else if (!b->o->label || *b->o->label)
        label = description_label(rest);
    return label ? bird_dataset_put_label(b, label) : 0;
}

/* The name of a header line, which may come once. */
static int note_name(struct bird_name_set *names, const char *path,
                     char *header, int64_t line)
{
    size_t n = strcspn(header, " \t");
    char end = header[n];
    int rc;

    header[n] = '\0';
    rc = n ? bird_name_set_add(names, path, header, line) : 0;
    header[n] = end;
    return rc;
}

static int read_records(struct bird_dataset_builder *b, const struct labels *l,
                        char *rest, struct bird_text *seq)
{
    struct bird_name_set names = {0};
    char *line, *header = NULL;
    int64_t at = 0, header_line = 0;
    int rc = 0;

    while (!rc && (line = bird_next_line(&rest))) {
        at++;
        if (*line == '>') {
            if (header)
                rc = put_record(b, l, header, seq, header_line);
            header = line + 1;
            header_line = at;
            bird_text_clear(seq);
            if (!rc)
                rc = note_name(&names, b->path, header, at);
        } else if (*line && !header)
            rc = bird_fail(BIRD_EFORMAT,
                           "%s: line %lld: not FASTA: the first "
                           "line should begin with '>'",
                           b->path, (long long)at);
        else
            rc = bird_text_put(seq, line, (int64_t)strlen(line));
    }
    if (!rc && header)
        rc = put_record(b, l, header, seq, header_line);
    bird_name_set_free(&names);
    return rc;
}

int bird_dataset_read_fasta(struct bird_dataset_builder *b)
{
    struct bird_text file = {0}, seq = {0};
    struct labels l = {0};
    int rc = b->o->labels ? read_labels(&l, b->o->labels) : 0;

    b->label_column = b->o->labels ? "file of labels" : "description";
    if (!rc)
        rc = bird_slurp(&file, b->path);
    if (!rc)
        rc = read_records(b, &l, file.s, &seq);
    bird_text_free(&file);
    bird_text_free(&seq);
    bird_text_free(&l.file);
    free(l.pair);
    return rc;
}
