/*
 * Labelled sequences: rows out of FASTA and BED, labels, opening by format.
 *
 * Label texts are kept until all rows are read, because they are words as soon
 * as one of them is not a number.
 * SPDX-License-Identifier: MIT
 */
#include "data/dataset.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "data/references.h"
#include "dnabird/intervals.h"
#include "dnabird/tiles.h"
#include "seq/alphabet.h"
#include "seq/contigs.h"
#include "seq/input.h"

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

static int by_pair_name(const void *a, const void *b)
{
    return strcmp(((const struct pair *)a)->name,
                  ((const struct pair *)b)->name);
}

static int read_labels(struct labels *l, const char *path)
{
    char *rest, *line, *field[3];
    int64_t at = 0;
    int rc = bird_read_file(&l->file, path);

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
        qsort(l->pair, (size_t)l->n, sizeof(*l->pair), by_pair_name);
    for (int64_t i = 1; i < l->n; i++)
        if (!by_pair_name(&l->pair[i - 1], &l->pair[i]))
            return bird_fail(BIRD_EFORMAT,
                             "%s: line %lld: '%s' has a label "
                             "already",
                             path, (long long)l->pair[i].line, l->pair[i].name);
    return 0;
}

/* The value of label=... in a description, NUL-terminated in place; or NULL. */
static char *description_label(char *s)
{
    char *word, *save = NULL;

    for (word = strtok_r(s, " \t;|", &save); word;
         word = strtok_r(NULL, " \t;|", &save))
        if (!strncmp(word, "label=", 6))
            return word + 6;
    return NULL;
}

/* Add the record whose bases were collected in seq. */
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
        found = l->n ? bsearch(&key, l->pair, (size_t)l->n, sizeof(key),
                               by_pair_name)
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
static int note_name(struct bird_map **names, const char *path, char *header,
                     int64_t line)
{
    size_t n = strcspn(header, " \t");
    char end = header[n];
    int rc;

    header[n] = '\0';
    rc = n ? bird_names_add(names, path, header, line) : 0;
    header[n] = end;
    return rc;
}

static int read_records(struct bird_dataset_builder *b, const struct labels *l,
                        char *rest, struct bird_text *seq)
{
    struct bird_map *names = NULL;
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
    bird_names_free(names);
    return rc;
}

/* Lines of FASTA may end in CR alone. */
static void end_lines(struct bird_text *t)
{
    for (int64_t i = 0; i < t->n; i++)
        if (t->s[i] == '\r' && t->s[i + 1] != '\n')
            t->s[i] = '\n';
}

static int read_fasta(struct bird_dataset_builder *b)
{
    struct bird_text file = {0}, seq = {0};
    struct labels l = {0};
    int rc = b->o->labels ? read_labels(&l, b->o->labels) : 0;

    b->label_column = b->o->labels ? "file of labels" : "description";
    if (!rc)
        rc = bird_read_file(&file, b->path);
    end_lines(&file);
    if (!rc)
        rc = read_records(b, &l, file.s, &seq);
    bird_text_free(&file);
    bird_text_free(&seq);
    bird_text_free(&l.file);
    free(l.pair);
    return rc;
}

/* ---- regions of a reference --------------------------------------------- */

/* The bases of a region, as its strand reads them. */
static int fetch(struct bird_text *seq, const struct bird_reference *ref,
                 const bird_region *r, const char *path)
{
    int64_t n = r->end - r->start;
    int32_t i = bird_contigs_find(&ref->contigs, r->contig);
    const struct bird_reference_contig *c;
    int rc;

    if (i < 0)
        return bird_fail(BIRD_ERANGE,
                         "%s: line %lld, column 1: the reference "
                         "has no contig '%s'",
                         path, (long long)r->line, r->contig);
    c = ref->contig + i;
    if (r->end > c->length)
        return bird_fail(BIRD_ERANGE,
                         "%s: line %lld, column 3: the end %lld "
                         "lies beyond the end of %s, which has %lld bp",
                         path, (long long)r->line, (long long)r->end, r->contig,
                         (long long)c->length);
    rc = bird_array_grow(&seq->s, &seq->cap, n + 1, 1);
    if (!rc)
        rc = bird_genome_fetch(ref->genome[c->genome], c->index, r->start,
                               r->end, seq->s);
    if (rc)
        return rc;
    seq->n = n;
    seq->s[n] = '\0';
    if (r->strand == '-')
        bird_reverse_complement(seq->s, seq->s, n);
    return 0;
}

static int put_bed_row(struct bird_dataset_builder *b,
                       const struct bird_reference *ref, struct bird_text *seq,
                       const bird_region *r)
{
    struct bird_row *row;
    int rc = fetch(seq, ref, r, b->path);

    if (!rc)
        rc = bird_dataset_add(b, seq->s, seq->n, r->line, "region");
    if (rc)
        return rc;
    row = &b->d.row[b->d.n - 1];
    row->start = r->start;
    row->end = r->end;
    row->strand = r->strand;
    rc = bird_dataset_contig(&row->contig, b, r->contig);
    if (!rc && r->name && strcmp(r->name, "."))
        rc = bird_dataset_put_name(b, r->name);
    if (!rc && r->score && strcmp(r->score, ".") && !b->o->per_base &&
        (!b->o->label || *b->o->label))
        rc = bird_dataset_put_label(b, r->score);
    return rc;
}

static int read_bed(struct bird_dataset_builder *b)
{
    struct bird_text seq = {0};
    bird_regions list = {0};
    struct bird_reference ref = {0};
    int rc;

    b->label_column = "column 5";
    if (!b->o->reference)
        return bird_fail(BIRD_EINVAL,
                         "%s: regions need the reference FASTA "
                         "they lie on",
                         b->path);
    rc = bird_regions_read_bed(&list, b->path);
    if (!rc)
        rc = bird_reference_open_list(&ref, b->o->reference);
    for (int64_t i = 0; !rc && i < list.n; i++)
        rc = put_bed_row(b, &ref, &seq, &list.at[i]);
    bird_reference_free(&ref);
    bird_regions_free(&list);
    bird_text_free(&seq);
    return rc;
}

/* ---- rows and labels ---------------------------------------------------- */

/* A class number above this is a mistake in the file, not a class. */
#define MAX_CLASS 9999

void bird_dataset_free(bird_dataset *d)
{
    if (!d)
        return;
    for (int64_t i = 0; d->label_name && i < d->n_label; i++)
        free(d->label_name[i]);
    for (int64_t i = 0; i < d->n_contig; i++)
        free(d->contig_name[i]);
    free(d->label_name);
    free(d->contig_name);
    free(d->contig_length);
    free(d->row);
    free(d->line);
    free(d->target);
    free(d->weight);
    free(d->hit_at);
    free(d->hit);
    free(d->unknown);
    free(d->base_class);
    bird_features_free(&d->features);
    free(d->bases);
    free(d->text);
    *d = (bird_dataset){0};
}

/* Append bases in upper case. */
static int put_bases(struct bird_dataset_builder *b, const char *seq,
                     int64_t len, int64_t line, const char *column)
{
    char *to = b->d.bases + b->d.n_base;

    for (int64_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)seq[i];

        if (!bird_letter_fold[c])
            return bird_fail(BIRD_EFORMAT,
                             "%s: line %lld, %s: '%c' at position %lld is not "
                             "a %s%s",
                             b->path, (long long)line, column,
                             isprint(c) ? c : '?', (long long)i + 1,
                             bird_letter_any[c] ? "nucleotide code: " : "base",
                             bird_letter_any[c] ? bird_bases_advice(seq, len)
                                                : "");
        to[i] = (char)bird_letter_fold[c];
    }
    return 0;
}

int bird_dataset_add(struct bird_dataset_builder *b, const char *seq,
                     int64_t len, int64_t line, const char *column)
{
    struct bird_dataset *d = &b->d;
    int64_t n = d->n;
    int rc;

    if (len < 1)
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld, %s: the sequence is "
                         "empty",
                         b->path, (long long)line, column);
    if (bird_array_grow(&d->row, &b->cap_row, n + 1, sizeof(*d->row)) ||
        bird_array_grow(&d->line, &b->cap_line, n + 1, sizeof(*d->line)) ||
        bird_array_grow(&b->label_at, &b->cap_label, n + 1,
                        sizeof(*b->label_at)) ||
        bird_array_grow(&d->bases, &b->cap_base, d->n_base + len, 1))
        return BIRD_ENOMEM;
    rc = b->o->ids ? bird_dataset_put_ids(b, seq, &len, line, column)
                   : put_bases(b, seq, len, line, column);
    if (rc)
        return rc;
    d->row[n] = (struct bird_row){.at = d->n_base,
                                  .len = len,
                                  .name = -1,
                                  .contig = -1,
                                  .label = -1,
                                  .strand = '.'};
    b->d.line[n] = line;
    b->label_at[n] = -1;
    d->n_base += len;
    d->n = n + 1;
    return 0;
}

int bird_dataset_put_label(struct bird_dataset_builder *b, const char *label)
{
    int64_t at = b->labels.n;
    int rc = bird_text_put(&b->labels, label, (int64_t)strlen(label) + 1);

    if (!rc)
        b->label_at[b->d.n - 1] = at;
    return rc;
}

int bird_dataset_put_name(struct bird_dataset_builder *b, const char *name)
{
    struct bird_dataset *d = &b->d;
    int64_t n = (int64_t)strlen(name) + 1;
    int rc = bird_array_grow(&d->text, &b->cap_text, d->n_text + n, 1);

    if (rc)
        return rc;
    memcpy(d->text + d->n_text, name, (size_t)n);
    bird_replace_control(d->text + d->n_text, ' '); /* of quoted fields */
    d->row[d->n - 1].name = d->n_text;
    d->n_text += n;
    return 0;
}

int bird_dataset_contig(int32_t *out, struct bird_dataset_builder *b,
                        const char *name)
{
    struct bird_dataset *d = &b->d;

    /* From the end: rows of one contig mostly follow each other. */
    for (int64_t i = d->n_contig; i-- > 0;)
        if (!strcmp(d->contig_name[i], name)) {
            *out = (int32_t)i;
            return 0;
        }
    if (bird_array_grow(&d->contig_name, &b->cap_contig, d->n_contig + 1,
                        sizeof(*d->contig_name)))
        return BIRD_ENOMEM;
    d->contig_name[d->n_contig] = strdup(name);
    if (!d->contig_name[d->n_contig])
        return bird_fail_memory(strlen(name));
    *out = (int32_t)d->n_contig++;
    return 0;
}

static const char *label_text(const struct bird_dataset_builder *b, int64_t i)
{
    return b->labels.s + b->label_at[i];
}

static int fail_label(const struct bird_dataset_builder *b, int64_t i,
                      const char *why)
{
    return bird_fail(BIRD_EFORMAT, "%s: line %lld, %s: label '%.60s' %s",
                     b->path, (long long)b->d.line[i], b->label_column,
                     label_text(b, i), why);
}

int bird_dataset_name_labels(struct bird_dataset *d, const char *const *name,
                             int64_t n)
{
    int rc = bird_array_new(&d->label_name, n, sizeof(*d->label_name));

    if (rc)
        return rc;
    d->n_label = n;
    for (int64_t i = 0; i < n; i++) {
        d->label_name[i] = strdup(name[i]);
        if (!d->label_name[i])
            return bird_fail_memory(strlen(name[i]));
    }
    return 0;
}

/* Row i has none of the classes that were given. */
static int fail_class(const struct bird_dataset_builder *b, int64_t i)
{
    char why[200];
    size_t at = 0;

    if (!b->o->class_name) {
        snprintf(why, sizeof(why),
                 "is a word, but the classes are the numbers 0 to %lld",
                 (long long)b->o->n_class - 1);
        return fail_label(b, i, why);
    }
    for (int64_t k = 0; k < b->o->n_class && at < sizeof(why) - 40; k++)
        at += (size_t)snprintf(why + at, sizeof(why) - at, "%s%.30s",
                               k ? ", " : "is not one of the classes ",
                               b->o->class_name[k]);
    if (at >= sizeof(why) - 40)
        snprintf(why, sizeof(why), "is not one of the %lld classes",
                 (long long)b->o->n_class);
    return fail_label(b, i, why);
}

/* Words: the classes are those given, or the words found, in order. */
static int label_words(struct bird_dataset_builder *b)
{
    struct bird_dataset *d = &b->d;
    const char **word = NULL;
    int rc;

    if (b->o->class_name)
        rc = bird_dataset_name_labels(d, b->o->class_name, b->o->n_class);
    else {
        rc = bird_array_new(&word, d->n, sizeof(*word));
        for (int64_t i = 0; !rc && i < d->n; i++)
            word[i] = label_text(b, i);
        if (!rc)
            rc = bird_dataset_name_labels(d, word,
                                          bird_texts_unique(word, d->n));
    }
    for (int64_t i = 0; !rc && i < d->n; i++) {
        for (int64_t k = 0; k < d->n_label && d->row[i].label < 0; k++)
            if (!strcmp(d->label_name[k], label_text(b, i)))
                d->row[i].label = (int32_t)k;
        if (d->row[i].label < 0)
            rc = fail_class(b, i);
    }
    free(word);
    return rc;
}

static int label_numbers(struct bird_dataset_builder *b)
{
    struct bird_dataset *d = &b->d;
    int64_t v, max = b->o->n_class ? b->o->n_class - 1 : MAX_CLASS, top = 0;

    for (int64_t i = 0; i < d->n; i++) {
        if (bird_digits(&v, label_text(b, i), INT32_MAX))
            return fail_label(
                b, i,
                "is not a whole number from 0, but labels of other rows "
                "are (measured values: finetune --values)");
        if (v > max)
            return fail_label(b, i, "is not below the number of classes");
        d->row[i].label = (int32_t)v;
        if (v > top)
            top = v;
    }
    d->n_label = b->o->n_class ? b->o->n_class : top < 1 ? 2 : top + 1;
    return 0;
}

static int finish(struct bird_dataset_builder *b)
{
    struct bird_dataset *d = &b->d;
    int64_t n_labelled = 0, n_number = 0, v;
    int is_numbered = b->o->n_class && !b->o->class_name;

    if (!d->n)
        return bird_fail(BIRD_EFORMAT, "%s: no sequence in this file", b->path);
    if (b->o->per_base)
        return bird_dataset_class_bases(b);
    if (bird_dataset_has_columns(d))
        return 0;
    for (int64_t i = 0; i < d->n; i++) {
        n_labelled += b->label_at[i] >= 0;
        n_number += b->label_at[i] >= 0 &&
                    !bird_digits(&v, label_text(b, i), INT32_MAX);
    }
    if (!n_labelled)
        return 0;
    for (int64_t i = 0; i < d->n; i++)
        if (b->label_at[i] < 0 || !*label_text(b, i))
            return bird_fail(BIRD_EFORMAT,
                             "%s: line %lld, %s: no label, but "
                             "other rows have one",
                             b->path, (long long)b->d.line[i], b->label_column);
    d->kind = BIRD_LABEL_CLASS;
    if (is_numbered && !n_number)
        return fail_class(b, 0);
    return n_number && !b->o->class_name ? label_numbers(b) : label_words(b);
}

const char *bird_dataset_format(const char *path)
{
    static const char *const ending[][2] = {
        {".csv", "csv"},  {".tsv", "tsv"},     {".txt", "tsv"},
        {".fa", "fasta"}, {".fasta", "fasta"}, {".fna", "fasta"},
        {".bed", "bed"}};

    if (bird_is_bins(path))
        return "bins";
    for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
        if (bird_path_ends(path, ending[i][0]))
            return ending[i][1];
    return "";
}

static int read_by_format(struct bird_dataset_builder *b)
{
    const char *f = b->o->format, *p = b->path;

    if (!f)
        f = bird_dataset_format(p);
    b->d.ids = b->o->ids;
    if (b->o->ids && strcmp(f, "csv") != 0 && strcmp(f, "tsv") != 0)
        return bird_fail(BIRD_EINVAL,
                         "%s: token ids are rows of CSV or TSV: give one of "
                         "these formats",
                         p);
    if (b->o->values &&
        (!strcmp(f, "fasta") || !strcmp(f, "bed") || !strcmp(f, "bins")))
        return bird_fail(BIRD_EINVAL,
                         "%s: measured values are columns of CSV or TSV: give "
                         "one of these formats",
                         p);
    if (b->o->labels && strcmp(f, "fasta") != 0 && strcmp(f, "bed") != 0)
        return bird_fail(BIRD_EINVAL,
                         "%s: a second file of labels is for FASTA and BED: "
                         "the labels of a table are its columns",
                         p);
    if (!strcmp(f, "csv"))
        return bird_dataset_read_table(b, ',');
    if (!strcmp(f, "tsv"))
        return bird_dataset_read_table(b, '\t');
    if (!strcmp(f, "fasta"))
        return read_fasta(b);
    if (!strcmp(f, "bed"))
        return read_bed(b);
    if (!strcmp(f, "bins"))
        return bird_dataset_read_bins(b);
    if (!*f && strcmp(p, "-") && access(p, R_OK))
        return bird_fail(BIRD_EIO, "%s: %s", p, strerror(errno));
    if (!*f)
        return bird_fail(BIRD_EINVAL,
                         "%s: cannot infer the format from the file name: it "
                         "must end in .csv, .tsv, .fa or .bed, unless "
                         "--data-format gives the format",
                         p);
    return bird_fail(BIRD_EINVAL,
                     "%s: unknown format '%s' of labelled sequences: csv, "
                     "tsv, fasta, bed, bins",
                     p, f);
}

int bird_dataset_open(bird_dataset *out, const char *path,
                      const bird_dataset_options *o)
{
    static const bird_dataset_options plain;
    struct bird_dataset_builder b = {.o = o ? o : &plain, .path = path};
    int rc;

    if (!path)
        return bird_fail(BIRD_EINVAL, "no file of labelled sequences");
    b.label_column = "label";
    rc = read_by_format(&b);
    if (!rc)
        rc = finish(&b);
    bird_text_free(&b.labels);
    free(b.label_at);
    if (rc)
        bird_dataset_free(&b.d);
    else
        *out = b.d;
    return rc;
}
