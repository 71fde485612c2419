/*
 * Labelled bins: reading the files, and a data set of them with their bases.
 *
 * A file is read line by line; only bins and labels are kept. At the end the
 * bases are read from the reference, one interval for each contig, which the
 * rows share.
 * SPDX-License-Identifier: MIT
 */
#include "data/labels_in.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/text.h"
#include "data/dataset.h"
#include "data/references.h"
#include "folder/feature.h"
#include "seq/input.h"

enum { MAX_FIELD = 8, MAX_BP = 1000000000 };

void bird_labels_close(struct bird_labels_in *l)
{
    bird_lines_close(&l->lines);
    bird_features_free(&l->features);
    bird_contigs_free(&l->contigs);
    free(l->length);
    free(l->unknown);
    free(l->label);
    *l = (struct bird_labels_in){0};
}

static int fail_line(const struct bird_labels_in *l, const char *why)
{
    return bird_fail(BIRD_EFORMAT, "%s: line %lld: %s", l->lines.in.name,
                     (long long)l->lines.line, why);
}

static int read_magic(struct bird_labels_in *l)
{
    size_t n = strlen(BIRD_LABELS_MAGIC);
    int64_t version;
    int rc = bird_lines_next(&l->lines);

    if (rc < 0)
        return rc;
    if (!rc || strncmp(l->lines.text.s, BIRD_LABELS_MAGIC "\t", n + 1) != 0 ||
        bird_digits(&version, l->lines.text.s + n + 1, INT32_MAX))
        return bird_fail(
            BIRD_EFORMAT,
            "%s: not a file of labelled bins (its first line is not "
            "'" BIRD_LABELS_MAGIC "' with a version): make one "
            "with dnabird dataset chromatin",
            l->lines.in.name);
    if (version > BIRD_LABELS_SEQUENCES)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: labelled bins of version %lld; %d is the newest "
                         "this program reads: use a newer dnabird",
                         l->lines.in.name, (long long)version,
                         BIRD_LABELS_SEQUENCES);
    l->sequences = version == BIRD_LABELS_SEQUENCES;
    return 0;
}

static int read_profile(struct bird_labels_in *l, char **field, int n)
{
    bird_feature x = {.index = -1};

    if (n < 7 || !*field[1])
        return fail_line(l, "a profile has a name, class, cell type, factor, "
                            "treatment and index");
    x.name = field[1];
    x.class_name = field[2];
    x.cell = field[3];
    x.factor = field[4];
    x.treatment = field[5];
    if (strcmp(field[6], ".") != 0 &&
        bird_digits(&x.index, field[6], INT32_MAX))
        return fail_line(l, "a profile's index is not a whole number");
    if (l->features.n == INT32_MAX)
        return fail_line(l, "too many profiles");
    return bird_features_put(&l->features, &x);
}

static int read_contig(struct bird_labels_in *l, char **field, int n)
{
    int64_t length, before = l->contigs.n;
    int32_t at;
    int rc;

    if (n < 3 || !*field[1] || bird_digits(&length, field[2], INT64_MAX))
        return fail_line(l, "a contig has a name and a length");
    rc = bird_contigs_add(&at, &l->contigs, field[1]);
    if (rc || (rc = bird_array_grow(&l->length, &l->cap_length, l->contigs.n,
                                    sizeof(*l->length))))
        return rc;
    if (at < before)
        return fail_line(l, "the contig occurs twice");
    l->length[at] = length;
    return 0;
}

/* Numbers between commas, rising, below the profiles' number; "." none. */
static int read_numbers(struct bird_labels_in *l, int64_t *n_out, char *text)
{
    int64_t n = 0, v;
    char *next;
    int rc;

    for (; strcmp(text, ".") != 0; text = next) {
        next = strchr(text, ',');
        if (next)
            *next++ = '\0';
        rc =
            bird_array_grow(&l->label, &l->cap_label, n + 1, sizeof(*l->label));
        if (rc)
            return rc;
        if (bird_digits(&v, text, INT32_MAX) || v >= l->features.n ||
            (n && v <= l->label[n - 1]))
            return fail_line(l, "labels are rising numbers of profiles "
                                "between commas, or '.'");
        l->label[n++] = (int32_t)v;
        if (!next)
            break;
    }
    *n_out = n;
    return 0;
}

static int read_mask(struct bird_labels_in *l, char **field, int n)
{
    int32_t contig = n < 3 ? -1 : bird_contigs_find(&l->contigs, field[1]);
    int64_t n_label;
    int rc;

    if (contig < 0 || !l->features.n)
        return fail_line(l, "a mask has a contig and profiles that were named "
                            "before");
    if (!l->unknown) {
        rc = bird_array_new(&l->unknown, l->contigs.n * l->features.n, 1);
        if (rc)
            return rc;
    }
    rc = read_numbers(l, &n_label, field[2]);
    for (int64_t i = 0; !rc && i < n_label; i++)
        l->unknown[contig * l->features.n + l->label[i]] = 1;
    return rc;
}

static int read_bp(struct bird_labels_in *l, int64_t *out, char **field, int n)
{
    if (n < 2 || bird_digits(out, field[1], MAX_BP) || *out < 1)
        return fail_line(l, "not a number of base pairs");
    return 0;
}

/* One "##" line; unknown ones are passed over. */
static int read_head_line(struct bird_labels_in *l)
{
    char *field[MAX_FIELD];
    int n = bird_split_tabs(field, MAX_FIELD, l->lines.text.s);
    const char *key = field[0] + 2;

    if (l->unknown && (!strcmp(key, "contig") || !strcmp(key, "profile")))
        return fail_line(l, "mask lines must follow contig and profile lines");
    if (!strcmp(key, "bin"))
        return read_bp(l, &l->bin, field, n);
    if (!strcmp(key, "context"))
        return read_bp(l, &l->context, field, n);
    if (!strcmp(key, "border"))
        l->regions = n > 1 && !strcmp(field[1], "regions");
    if (!strcmp(key, "profile"))
        return read_profile(l, field, n);
    if (!strcmp(key, "contig"))
        return read_contig(l, field, n);
    if (!strcmp(key, "mask"))
        return read_mask(l, field, n);
    return 0;
}

/* Check that the header is complete and that no label name occurs twice. */
static int check_head(const struct bird_labels_in *l)
{
    const char **name;
    int rc;

    if (!l->bin || (l->contigs.n == 0) != l->sequences || !l->features.n ||
        l->context < l->bin || (l->sequences && (l->context - l->bin) % 2))
        return fail_line(l, l->sequences
                                ? "the header lacks bin, context around its "
                                  "middle or profiles, or it has contigs"
                                : "the header lacks bin, context, contigs or "
                                  "profiles");
    rc = bird_array_new(&name, l->features.n, sizeof(*name));
    if (rc)
        return rc;
    for (int64_t i = 0; i < l->features.n; i++)
        name[i] = l->features.at[i].name;
    bird_texts_sort(name, l->features.n);
    for (int64_t i = 1; !rc && i < l->features.n; i++)
        if (!strcmp(name[i], name[i - 1]))
            rc = bird_fail(BIRD_EFORMAT, "%s: two profiles are named '%.80s'",
                           l->lines.in.name, name[i]);
    free((void *)name);
    return rc;
}

static int read_head(struct bird_labels_in *l)
{
    int rc = read_magic(l);

    while (!rc) {
        rc = bird_lines_next(&l->lines);
        if (!rc)
            return fail_line(l, "the file ends in its header");
        if (rc < 0)
            return rc;
        if (strncmp(l->lines.text.s, "##", 2) != 0)
            break;
        rc = read_head_line(l);
    }
    if (rc < 0)
        return rc;
    if (strncmp(l->lines.text.s, l->sequences ? "#sequence\t" : "#chrom\t",
                l->sequences ? 10 : 7) != 0)
        return fail_line(l, l->sequences
                                ? "the header ends with the columns' names, "
                                  "'#sequence' first"
                                : "the header ends with the columns' names, "
                                  "'#chrom' first");
    rc = check_head(l);
    if (!rc && !l->unknown && !l->sequences)
        rc = bird_array_new(&l->unknown, l->contigs.n * l->features.n, 1);
    return rc;
}

/* Read the header of a file that was opened with status rc. */
static int begin(struct bird_labels_in *l, int rc)
{
    if (!rc && (rc = read_head(l)))
        bird_labels_close(l);
    return rc;
}

int bird_labels_open(struct bird_labels_in *l, const char *path)
{
    *l = (struct bird_labels_in){0};
    return begin(l, bird_lines_open(&l->lines, path));
}

int bird_labels_open_memory(struct bird_labels_in *l, const char *name,
                            const void *data, int64_t n)
{
    *l = (struct bird_labels_in){0};
    return begin(l, bird_lines_open_memory(&l->lines, name, data, n));
}

static int check_place(const struct bird_labels_in *l,
                       const struct bird_labels_bin *b)
{
    if (b->end - b->start != l->bin || b->start < 0)
        return fail_line(
            l, "the width of the bin differs from that in the header");
    if (b->end > l->length[b->contig])
        return fail_line(l, "the bin lies beyond its contig's end");
    return 0;
}

/* A line of sequence and labels; its bases are looked at by who takes them. */
static int next_sequence(struct bird_labels_in *l, struct bird_labels_bin *b)
{
    char *field[2];
    int rc;

    if (bird_split_tabs(field, 2, l->lines.text.s) < 2)
        return fail_line(l, "a row has a sequence and labels");
    field[1][strcspn(field[1], "\t")] = '\0'; /* further columns: others' */
    if ((int64_t)strlen(field[0]) != l->context)
        return fail_line(l, "the sequence has another length than the header "
                            "says");
    rc = read_numbers(l, &b->n, field[1]);
    b->contig = -1;
    b->start = (l->context - l->bin) / 2;
    b->end = b->start + l->bin;
    b->sequence = field[0];
    b->label = l->label;
    b->line = l->lines.line;
    return rc ? rc : 1;
}

int bird_labels_next(struct bird_labels_in *l, struct bird_labels_bin *out)
{
    struct bird_labels_bin b = {0};
    char *field[4];
    int rc;

    do
        rc = bird_lines_next(&l->lines);
    while (rc > 0 && !*l->lines.text.s);
    if (rc <= 0)
        return rc;
    if (l->sequences) {
        rc = next_sequence(l, &b);
        if (rc > 0)
            *out = b;
        return rc;
    }
    if (bird_split_tabs(field, 4, l->lines.text.s) < 4 ||
        bird_digits(&b.start, field[1], INT64_MAX / 4) ||
        bird_digits(&b.end, field[2], INT64_MAX / 4))
        return fail_line(l, "a bin has a contig, start, end and labels");
    field[3][strcspn(field[3], "\t")] = '\0'; /* further columns: others' */
    if (strcmp(l->contigs.name[l->last], field[0]) != 0)
        l->last = bird_contigs_find(&l->contigs, field[0]);
    if (l->last < 0) {
        l->last = 0;
        return fail_line(l, "the header does not name this contig");
    }
    b.contig = l->last;
    rc = check_place(l, &b);
    if (!rc)
        rc = read_numbers(l, &b.n, field[3]);
    if (rc)
        return rc;
    b.label = l->label;
    b.line = l->lines.line;
    *out = b;
    return 1;
}

/* ---- a data set --------------------------------------------------------- */

struct bins {
    struct bird_dataset_builder *b;
    struct bird_labels_in in;
    struct bird_reference ref;
    int64_t context;
    int32_t *to;         /* (in.features.n) label of the data set; -1: none */
    int32_t *contig;     /* (in.contigs.n) of the data set; -1: not met */
    int32_t *found;      /* (n_contig) of the reference */
    int64_t *from, *end; /* (n_contig) interval of bases in use, bp */
    int64_t *at;         /* (n_contig) its index in bases */
    int64_t cap_hit, cap_hit_at;
};

int bird_is_bins(const char *path)
{
    struct bird_input in;
    char first[sizeof(BIRD_LABELS_MAGIC) - 1];
    int64_t n = 0, part = 1;

    if (!strcmp(path, "-") || bird_input_open(&in, path))
        return 0;
    while (n < (int64_t)sizeof(first) && part > 0 &&
           !bird_input_read(&in, first + n, (int64_t)sizeof(first) - n, &part))
        n += part;
    bird_input_close(&in);
    return n == (int64_t)sizeof(first) &&
           !memcmp(first, BIRD_LABELS_MAGIC, sizeof(first));
}

static int open_reference(struct bins *s)
{
    if (!s->b->o->reference)
        return bird_fail(BIRD_EINVAL,
                         "%s: labelled bins need the reference FASTA they lie "
                         "on",
                         s->b->path);
    return bird_reference_open_list(&s->ref, s->b->o->reference);
}

/* Fail because the file has none of the requested labels. */
static int fail_no_label(const struct bins *s)
{
    const bird_dataset_options *o = s->b->o;
    const bird_features *f = &s->in.features;

    return bird_fail(BIRD_EINVAL,
                     "%s: none of its %lld labels is among the %lld of the "
                     "model: it has '%s%s%s'%s, the model '%s%s%s'%s",
                     s->b->path, (long long)f->n, (long long)o->n_label_name,
                     f->at[0].name, f->n > 1 ? "', '" : "",
                     f->n > 1 ? f->at[1].name : "", f->n > 2 ? ", ..." : "",
                     o->label_name[0], o->n_label_name > 1 ? "', '" : "",
                     o->n_label_name > 1 ? o->label_name[1] : "",
                     o->n_label_name > 2 ? ", ..." : "");
}

/* Labels of the data set: requested by name, or chosen. */
static int choose_labels(struct bins *s)
{
    const bird_dataset_options *o = s->b->o;
    const bird_features *f = &s->in.features;
    struct bird_dataset *d = &s->b->d;
    int64_t n_common = 0;
    uint8_t *mark = NULL;
    int rc = bird_array_new(&s->to, f->n, sizeof(*s->to));

    if (!rc)
        rc = bird_array_new(&mark, f->n, 1);
    if (!rc && !o->label_name)
        rc = bird_features_select(mark, f, o->features);
    for (int64_t i = 0; !rc && i < f->n; i++) {
        s->to[i] = mark[i] ? (int32_t)d->features.n : -1;
        if (mark[i])
            rc = bird_features_put(&d->features, &f->at[i]);
    }
    for (int64_t k = 0; !rc && o->label_name && k < o->n_label_name; k++) {
        bird_feature x = {.name = o->label_name[k], .index = -1};
        int64_t i = bird_features_find(f, o->label_name[k]);

        if (i >= 0)
            s->to[i] = (int32_t)k;
        n_common += i >= 0;
        rc = bird_features_put(&d->features, i < 0 ? &x : &f->at[i]);
    }
    if (!rc && o->label_name && o->n_label_name && f->n && !n_common)
        rc = fail_no_label(s);
    free(mark);
    return rc;
}

static int name_labels(struct bird_dataset *d)
{
    int64_t n = d->features.n;
    int rc = bird_array_new(&d->label_name, n, sizeof(*d->label_name));

    if (rc)
        return rc;
    d->n_label = n;
    for (int64_t k = 0; k < n; k++) {
        d->label_name[k] = strdup(d->features.at[k].name);
        if (!d->label_name[k])
            return bird_fail_memory(0);
    }
    return 0;
}

/* The contig of a bin, met for the first time, on the reference. */
static int meet_contig(struct bins *s, int32_t c)
{
    struct bird_dataset *d = &s->b->d;
    const char *name = s->in.contigs.name[c];
    int64_t n = d->n_contig;
    int32_t at = bird_contigs_find(&s->ref.contigs, name), index;
    int rc;

    if (at < 0)
        return bird_fail(BIRD_ERANGE,
                         "%s: the reference has no contig '%s': name every "
                         "FASTA file that the bins lie on",
                         s->b->path, name);
    if (s->ref.contig[at].length != s->in.length[c])
        return bird_fail(BIRD_ERANGE,
                         "%s: made on a reference whose %s has %lld bp, but "
                         "this one has %lld: is this another genome build?",
                         s->b->path, name, (long long)s->in.length[c],
                         (long long)s->ref.contig[at].length);
    rc = bird_dataset_contig(&index, s->b, name);
    if (rc)
        return rc;
    s->contig[c] = index;
    d->contig_length[index] = s->in.length[c];
    s->found[n] = at;
    s->from[n] = INT64_MAX;
    return 0;
}

/* The labels of a row, before it is one of the data set's. */
static int add_hits(struct bins *s, int64_t row,
                    const struct bird_labels_bin *x)
{
    struct bird_dataset *d = &s->b->d;
    int64_t hit = row ? d->hit_at[row] : 0;

    if (bird_array_grow(&d->hit_at, &s->cap_hit_at, row + 2,
                        sizeof(*d->hit_at)) ||
        bird_array_grow(&d->hit, &s->cap_hit, hit + x->n, sizeof(*d->hit)))
        return BIRD_ENOMEM;
    d->hit_at[0] = 0;
    for (int64_t i = 0; i < x->n; i++)
        if (s->to[x->label[i]] >= 0)
            d->hit[hit++] = s->to[x->label[i]];
    d->hit_at[row + 1] = hit;
    return 0;
}

/* A row with a sequence, of which the middle is used; start and end are the
 * bin's offsets in the sequence. */
static int add_sequence(struct bins *s, const struct bird_labels_bin *x)
{
    struct bird_dataset *d = &s->b->d;
    int64_t side = (s->in.context - s->context) / 2;
    int rc = add_hits(s, d->n, x);

    if (!rc)
        rc = bird_dataset_add(s->b, x->sequence + side, s->context, x->line,
                              "sequence");
    if (rc)
        return rc;
    d->row[d->n - 1].start = x->start - side;
    d->row[d->n - 1].end = x->end - side;
    return 0;
}

/* A row without a sequence: its bases are read from the reference later. */
static int add_row(struct bins *s, const struct bird_labels_bin *x)
{
    struct bird_dataset *d = &s->b->d;
    int64_t n = d->n, c;
    int64_t from = x->start - (s->context - s->in.bin) / 2;
    int rc = s->contig[x->contig] < 0 ? meet_contig(s, x->contig) : 0;

    if (!rc)
        rc = add_hits(s, n, x);
    if (!rc)
        rc = bird_array_grow(&d->row, &s->b->cap_row, n + 1, sizeof(*d->row));
    if (rc)
        return rc;
    c = s->contig[x->contig];
    d->row[n] = (struct bird_row){.at = from,
                                  .len = s->context,
                                  .name = -1,
                                  .start = x->start,
                                  .end = x->end,
                                  .contig = (int32_t)c,
                                  .label = -1,
                                  .strand = '.'};
    d->n = n + 1;
    if (from < s->from[c])
        s->from[c] = from;
    if (from + s->context > s->end[c])
        s->end[c] = from + s->context;
    return 0;
}

/* In a model's order labels need not rise. */
static void sort_hits(struct bird_dataset *d)
{
    for (int64_t i = 0; i < d->n; i++)
        bird_sort_int32(d->hit + d->hit_at[i], d->hit_at[i + 1] - d->hit_at[i]);
}

static int64_t clamp(int64_t x, int64_t hi)
{
    return x < 0 ? 0 : x > hi ? hi : x;
}

/* Read the bases of the intervals in use, N beyond the contigs. */
static int fetch_bases(struct bins *s)
{
    struct bird_dataset *d = &s->b->d;
    int64_t sum = 0;
    int rc;

    for (int64_t c = 0; c < d->n_contig; c++) {
        s->at[c] = sum;
        sum += s->end[c] - s->from[c];
    }
    rc = bird_array_new(&d->bases, sum, 1);
    if (rc)
        return rc;
    memset(d->bases, 'N', (size_t)sum);
    d->n_base = sum;
    for (int64_t c = 0; !rc && c < d->n_contig; c++) {
        const struct bird_reference_contig *r = &s->ref.contig[s->found[c]];
        int64_t from = clamp(s->from[c], r->length);
        int64_t end = clamp(s->end[c], r->length);

        if (end > from)
            rc =
                bird_genome_fetch(s->ref.genome[r->genome], r->index, from, end,
                                  d->bases + s->at[c] + from - s->from[c]);
    }
    for (int64_t i = 0; i < d->n; i++) {
        int32_t c = d->row[i].contig;

        d->row[i].at += s->at[c] - s->from[c];
    }
    return rc;
}

/* Mark unknown labels: masked ones, and those that the file lacks. */
static int set_masks(struct bins *s)
{
    struct bird_dataset *d = &s->b->d;
    int64_t n = d->n_label, n_set = d->n_contig ? d->n_contig : 1;
    int rc = bird_array_new(&d->unknown, n_set * n, 1);

    if (rc)
        return rc;
    memset(d->unknown, 1, (size_t)(n_set * n));
    for (int64_t i = 0; s->in.sequences && i < s->in.features.n; i++)
        if (s->to[i] >= 0)
            d->unknown[s->to[i]] = 0;
    for (int64_t c = 0; c < s->in.contigs.n; c++)
        for (int64_t i = 0; s->contig[c] >= 0 && i < s->in.features.n; i++)
            if (s->to[i] >= 0)
                d->unknown[s->contig[c] * n + s->to[i]] =
                    s->in.unknown[c * s->in.features.n + i];
    return 0;
}

static int begin_bins(struct bins *s)
{
    const bird_dataset_options *o = s->b->o;
    int64_t n;
    int rc = bird_labels_open(&s->in, s->b->path);

    if (rc)
        return rc;
    n = s->in.contigs.n;
    s->context = o->context_bp > 0 ? o->context_bp : s->in.context;
    if (s->context < s->in.bin || (s->context - s->in.bin) % 2)
        return bird_fail(BIRD_EINVAL,
                         "%s: a context of %lld bp around bins of %lld bp: it "
                         "must be as wide, with as much on either side",
                         s->b->path, (long long)s->context,
                         (long long)s->in.bin);
    if (s->in.sequences && s->context > s->in.context)
        return bird_fail(BIRD_EINVAL,
                         "%s: its sequences have %lld bp; %lld bp around a bin "
                         "need positions on a reference",
                         s->b->path, (long long)s->in.context,
                         (long long)s->context);
    if (s->in.sequences)
        return choose_labels(s);
    if (s->in.regions && s->context > s->in.context)
        return bird_fail(
            BIRD_EINVAL,
            "%s: its bins were kept clear of the borders of their regions for "
            "a context of %lld bp; %lld bp would reach over: make the data "
            "set with --context %lld",
            s->b->path, (long long)s->in.context, (long long)s->context,
            (long long)s->context);
    if (bird_array_new(&s->contig, n, sizeof(*s->contig)) ||
        bird_array_new(&s->found, n, sizeof(*s->found)) ||
        bird_array_new(&s->from, n, sizeof(*s->from)) ||
        bird_array_new(&s->end, n, sizeof(*s->end)) ||
        bird_array_new(&s->at, n, sizeof(*s->at)) ||
        bird_array_new(&s->b->d.contig_length, n,
                       sizeof(*s->b->d.contig_length)))
        return BIRD_ENOMEM;
    for (int64_t c = 0; c < n; c++)
        s->contig[c] = -1;
    rc = open_reference(s);
    return rc ? rc : choose_labels(s);
}

int bird_dataset_read_bins(struct bird_dataset_builder *b)
{
    struct bins s = {.b = b};
    struct bird_labels_bin x = {0};
    int rc = begin_bins(&s), more = 0;

    b->d.kind = BIRD_LABEL_MULTI;
    while (!rc && (more = bird_labels_next(&s.in, &x)) > 0)
        rc = s.in.sequences ? add_sequence(&s, &x) : add_row(&s, &x);
    if (!rc)
        rc = more;
    if (!rc && b->d.n) {
        sort_hits(&b->d);
        rc = name_labels(&b->d);
        if (!rc)
            rc = set_masks(&s);
        if (!rc && !s.in.sequences)
            rc = fetch_bases(&s);
    }
    bird_labels_close(&s.in);
    bird_reference_free(&s.ref);
    free(s.to);
    free(s.contig);
    free(s.found);
    free(s.from);
    free(s.end);
    free(s.at);
    return rc;
}
