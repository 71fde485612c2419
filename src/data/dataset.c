/* Labelled sequences: rows, labels, opening. SPDX-License-Identifier: MIT */
#include "data/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/mem.h"
#include "data/slurp.h"

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
    free(d->target);
    free(d->hit_at);
    free(d->hit);
    free(d->masked);
    bird_features_free(&d->features);
    free(d->bases);
    free(d->text);
    *d = (bird_dataset){0};
}

int bird_dataset_add(struct bird_dataset_builder *b, const char *seq,
                     int64_t len, int64_t line, const char *column)
{
    struct bird_dataset *d = &b->d;
    int64_t n = d->n;
    char *to;

    if (len < 1)
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld, %s: the sequence is "
                         "empty",
                         b->path, (long long)line, column);
    if (bird_array_grow(&d->row, &b->cap_row, n + 1, sizeof(*d->row)) ||
        bird_array_grow(&b->line, &b->cap_line, n + 1, sizeof(*b->line)) ||
        bird_array_grow(&b->label_at, &b->cap_label, n + 1,
                        sizeof(*b->label_at)) ||
        bird_array_grow(&d->bases, &b->cap_base, d->n_base + len, 1))
        return BIRD_ENOMEM;
    to = d->bases + d->n_base;
    for (int64_t i = 0; i < len; i++) {
        char c = seq[i];

        if (c >= 'a' && c <= 'z')
            c = (char)(c - 'a' + 'A');
        if (c < 'A' || c > 'Z')
            return bird_fail(BIRD_EFORMAT,
                             "%s: line %lld, %s: '%c' at "
                             "letter %lld is no base",
                             b->path, (long long)line, column, c < 32 ? '?' : c,
                             (long long)i + 1);
        to[i] = c == 'U' ? 'T' : c;
    }
    d->row[n] = (struct bird_row){.at = d->n_base,
                                  .len = len,
                                  .name = -1,
                                  .contig = -1,
                                  .label = -1,
                                  .strand = '.'};
    b->line[n] = line;
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
    d->row[d->n - 1].name = d->n_text;
    d->n_text += n;
    return 0;
}

int bird_dataset_contig(int32_t *out, struct bird_dataset_builder *b,
                        const char *name)
{
    struct bird_dataset *d = &b->d;

    /* From the end: rows of one contig mostly stand together. */
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
                     b->path, (long long)b->line[i], b->label_column,
                     label_text(b, i), why);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int copy_names(struct bird_dataset *d, const char *const *name,
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

/* Words: the classes are those given, or the words found, in order. */
static int label_words(struct bird_dataset_builder *b)
{
    struct bird_dataset *d = &b->d;
    const char **word = NULL;
    int64_t n_word = 0;
    int rc;

    if (b->o->class_name)
        rc = copy_names(d, b->o->class_name, b->o->n_class);
    else {
        rc = bird_array_new(&word, d->n, sizeof(*word));
        for (int64_t i = 0; !rc && i < d->n; i++)
            word[i] = label_text(b, i);
        if (!rc)
            qsort(word, (size_t)d->n, sizeof(*word), by_text);
        for (int64_t i = 0; !rc && i < d->n; i++)
            if (!i || strcmp(word[i], word[n_word - 1]))
                word[n_word++] = word[i];
        if (!rc)
            rc = copy_names(d, word, n_word);
    }
    for (int64_t i = 0; !rc && i < d->n; i++) {
        for (int64_t k = 0; k < d->n_label && d->row[i].label < 0; k++)
            if (!strcmp(d->label_name[k], label_text(b, i)))
                d->row[i].label = (int32_t)k;
        if (d->row[i].label < 0)
            rc = fail_label(b, i, "is none of the model's classes");
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
            return fail_label(b, i, "is no number, but others are");
        if (v > max)
            return fail_label(b, i, "is larger than the classes are many");
        d->row[i].label = (int32_t)v;
        if (v > top)
            top = v;
    }
    if (b->o->class_name)
        return copy_names(d, b->o->class_name, b->o->n_class);
    d->n_label = b->o->n_class ? b->o->n_class : top < 1 ? 2 : top + 1;
    return 0;
}

int bird_dataset_finish(struct bird_dataset_builder *b)
{
    struct bird_dataset *d = &b->d;
    int64_t n_labelled = 0, n_number = 0, v;

    if (!d->n)
        return bird_fail(BIRD_EFORMAT, "%s: no sequence in this file", b->path);
    if (d->kind == BIRD_LABEL_MULTI)
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
                             b->path, (long long)b->line[i], b->label_column);
    d->kind = BIRD_LABEL_CLASS;
    return n_number ? label_numbers(b) : label_words(b);
}

static int ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);

    if (n > 3 && !strcasecmp(path + n - 3, ".gz"))
        n -= 3;
    else if (n > 4 && (!strcasecmp(path + n - 4, ".bgz") ||
                       !strcasecmp(path + n - 4, ".zst")))
        n -= 4;
    return n >= m && !strncasecmp(path + n - m, ending, m);
}

static int read_by_format(struct bird_dataset_builder *b)
{
    const char *f = b->o->format, *p = b->path;

    if (!f)
        f = bird_is_bins(p)                            ? "bins"
            : ends_in(p, ".csv")                       ? "csv"
            : ends_in(p, ".tsv") || ends_in(p, ".txt") ? "tsv"
            : ends_in(p, ".fa") || ends_in(p, ".fasta") || ends_in(p, ".fna")
                ? "fasta"
            : ends_in(p, ".bed") ? "bed"
                                 : "";
    if (!strcmp(f, "csv"))
        return bird_dataset_read_table(b, ',');
    if (!strcmp(f, "tsv"))
        return bird_dataset_read_table(b, '\t');
    if (!strcmp(f, "fasta"))
        return bird_dataset_read_fasta(b);
    if (!strcmp(f, "bed"))
        return bird_dataset_read_bed(b);
    if (!strcmp(f, "bins"))
        return bird_dataset_read_bins(b);
    if (!*f)
        return bird_fail(BIRD_EINVAL,
                         "%s: the name does not say the format: "
                         "give csv, tsv, fasta, bed or bins",
                         p);
    return bird_fail(BIRD_EINVAL,
                     "%s: '%s' is no format of labelled sequences: csv, "
                     "tsv, fasta, bed, bins",
                     p, f);
}

float bird_dataset_label(const bird_dataset *d, int64_t i, int64_t k)
{
    int64_t lo, hi;

    if (d->target)
        return d->target[i * d->n_label + k];
    if (d->masked[d->row[i].contig * d->n_label + k])
        return NAN;
    for (lo = d->hit_at[i], hi = d->hit_at[i + 1]; lo < hi;) {
        int64_t mid = lo + (hi - lo) / 2;

        if (d->hit[mid] == k)
            return 1;
        if (d->hit[mid] < k)
            lo = mid + 1;
        else
            hi = mid;
    }
    return 0;
}

void bird_dataset_labels(float *out, const bird_dataset *d, int64_t i)
{
    const uint8_t *masked;

    if (d->target) {
        memcpy(out, d->target + i * d->n_label,
               (size_t)d->n_label * sizeof(*out));
        return;
    }
    masked = d->masked + d->row[i].contig * d->n_label;
    for (int64_t k = 0; k < d->n_label; k++)
        out[k] = masked[k] ? NAN : 0;
    for (int64_t j = d->hit_at[i]; j < d->hit_at[i + 1]; j++)
        if (!masked[d->hit[j]])
            out[d->hit[j]] = 1;
}

void bird_dataset_column(float *out, const bird_dataset *d, int64_t k)
{
    for (int64_t i = 0; i < d->n; i++)
        out[i] = bird_dataset_label(d, i, k);
}

int bird_dataset_open(bird_dataset *out, const char *path,
                      const bird_dataset_options *o)
{
    static const bird_dataset_options plain;
    struct bird_dataset_builder b = {.o = o ? o : &plain, .path = path};
    int rc;

    b.label_column = "label";
    rc = read_by_format(&b);
    if (!rc)
        rc = bird_dataset_finish(&b);
    bird_text_free(&b.labels);
    free(b.label_at);
    free(b.line);
    if (rc)
        bird_dataset_free(&b.d);
    else
        *out = b.d;
    return rc;
}
