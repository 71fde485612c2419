/* Reading labelled bins. SPDX-License-Identifier: MIT */
#include "data/labels_in.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "data/slurp.h"
#include "model/feature.h"

enum { MAX_FIELD = 8, MAX_BP = 1000000000 };

void bird_labels_close(struct bird_labels_in *l)
{
    bird_input_close(&l->in);
    free(l->lines);
    bird_text_free(&l->text);
    bird_features_free(&l->features);
    bird_contigs_free(&l->contigs);
    free(l->length);
    free(l->masked);
    free(l->label);
    *l = (struct bird_labels_in){0};
}

static int fail_line(const struct bird_labels_in *l, const char *why)
{
    return bird_fail(BIRD_EFORMAT, "%s: line %lld: %s", l->in.name,
                     (long long)l->lines->line, why);
}

static int read_magic(struct bird_labels_in *l)
{
    size_t n = strlen(BIRD_LABELS_MAGIC);
    int64_t version;
    int rc = bird_lines_next(l->lines, &l->text);

    if (rc < 0)
        return rc;
    if (!rc || strncmp(l->text.s, BIRD_LABELS_MAGIC "\t", n + 1) != 0 ||
        bird_digits(&version, l->text.s + n + 1, INT32_MAX))
        return bird_fail(BIRD_EFORMAT,
                         "%s: no file of labelled bins (its first line is not "
                         "'" BIRD_LABELS_MAGIC "' with a version): make one "
                         "with dnabird dataset chromatin",
                         l->in.name);
    if (version > BIRD_LABELS_VERSION)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: labelled bins of version %lld; %d is the newest "
                         "this program reads: use a newer dnabird",
                         l->in.name, (long long)version, BIRD_LABELS_VERSION);
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
        return fail_line(l, "a profile's index is no whole number");
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
        return fail_line(l, "a contig is there twice");
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
    if (!l->masked) {
        rc = bird_array_new(&l->masked, l->contigs.n * l->features.n, 1);
        if (rc)
            return rc;
    }
    rc = read_numbers(l, &n_label, field[2]);
    for (int64_t i = 0; !rc && i < n_label; i++)
        l->masked[contig * l->features.n + l->label[i]] = 1;
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
    int n = bird_split_tabs(field, MAX_FIELD, l->text.s);
    const char *key = field[0] + 2;

    if (l->masked && (!strcmp(key, "contig") || !strcmp(key, "profile")))
        return fail_line(l, "contigs and profiles stand before the masks");
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

static int by_name(const void *a, const void *b)
{
    const bird_feature *const *x = a, *const *y = b;

    return strcmp((*x)->name, (*y)->name);
}

/* The header is whole, and no name stands twice. */
static int check_head(const struct bird_labels_in *l)
{
    const bird_feature **name;
    int rc;

    if (!l->bin || !l->contigs.n || !l->features.n || l->context < l->bin)
        return fail_line(l, "the header lacks bin, context, contigs or "
                            "profiles");
    rc = bird_array_new(&name, l->features.n, sizeof(*name));
    if (rc)
        return rc;
    for (int64_t i = 0; i < l->features.n; i++)
        name[i] = &l->features.at[i];
    qsort(name, (size_t)l->features.n, sizeof(*name), by_name);
    for (int64_t i = 1; !rc && i < l->features.n; i++)
        if (!strcmp(name[i]->name, name[i - 1]->name))
            rc = bird_fail(BIRD_EFORMAT, "%s: two profiles are named '%.80s'",
                           l->in.name, name[i]->name);
    free(name);
    return rc;
}

static int read_head(struct bird_labels_in *l)
{
    int rc = read_magic(l);

    while (!rc) {
        rc = bird_lines_next(l->lines, &l->text);
        if (!rc)
            return fail_line(l, "the file ends in its header");
        if (rc < 0)
            return rc;
        if (strncmp(l->text.s, "##", 2) != 0)
            break;
        rc = read_head_line(l);
    }
    if (rc < 0)
        return rc;
    if (strncmp(l->text.s, "#chrom\t", 7) != 0)
        return fail_line(l, "the header ends with the columns' names, "
                            "'#chrom' first");
    rc = check_head(l);
    if (!rc && !l->masked)
        rc = bird_array_new(&l->masked, l->contigs.n * l->features.n, 1);
    return rc;
}

/* Takes what was opened; rc says whether it was. */
static int begin(struct bird_labels_in *l, int rc)
{
    if (rc)
        return rc;
    rc = bird_array_new(&l->lines, 1, sizeof(*l->lines));
    if (!rc) {
        l->lines->in = &l->in;
        rc = read_head(l);
    }
    if (rc)
        bird_labels_close(l);
    return rc;
}

int bird_labels_open(struct bird_labels_in *l, const char *path)
{
    *l = (struct bird_labels_in){0};
    return begin(l, bird_input_open(&l->in, path));
}

int bird_labels_open_memory(struct bird_labels_in *l, const char *name,
                            const void *data, int64_t n)
{
    *l = (struct bird_labels_in){0};
    return begin(l, bird_input_open_memory(&l->in, name, data, n));
}

static int check_place(const struct bird_labels_in *l,
                       const struct bird_labels_bin *b)
{
    if (b->end - b->start != l->bin || b->start < 0)
        return fail_line(l, "the bin has another width than the header says");
    if (b->end > l->length[b->contig])
        return fail_line(l, "the bin lies behind its contig's end");
    return 0;
}

int bird_labels_next(struct bird_labels_in *l, struct bird_labels_bin *out)
{
    struct bird_labels_bin b = {0};
    char *field[4];
    int rc;

    do
        rc = bird_lines_next(l->lines, &l->text);
    while (rc > 0 && !*l->text.s);
    if (rc <= 0)
        return rc;
    if (bird_split_tabs(field, 4, l->text.s) < 4 ||
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
    b.line = l->lines->line;
    *out = b;
    return 1;
}
