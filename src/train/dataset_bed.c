/* Labelled regions of a reference. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "dnabird/genome.h"
#include "train/dataset.h"
#include "train/slurp.h"

struct region {
    const char *contig;
    int64_t start, end, line;
};

/* Is this a line that BED files carry beside regions? */
static int is_talk(const char *line)
{
    return !*line || *line == '#' || !strncmp(line, "track", 5) ||
           !strncmp(line, "browser", 7);
}

static int parse_region(struct region *r, char **field, int n_field,
                        const char *path)
{
    if (n_field < 3)
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld: %d fields, a BED line "
                         "has at least 3 between tabs",
                         path, (long long)r->line, n_field);
    r->contig = field[0];
    if (bird_digits(&r->start, field[1], INT64_MAX / 2))
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld, column 2: '%.40s' is "
                         "no position",
                         path, (long long)r->line, field[1]);
    if (bird_digits(&r->end, field[2], INT64_MAX / 2))
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld, column 3: '%.40s' is "
                         "no position",
                         path, (long long)r->line, field[2]);
    if (r->end <= r->start)
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld, column 3: the end %lld "
                         "does not lie after the start %lld",
                         path, (long long)r->line, (long long)r->end,
                         (long long)r->start);
    return 0;
}

static int find_contig(int64_t *out, const bird_genome *g, const char *name)
{
    *out = bird_genome_find(g, name);
    for (int64_t i = 0; *out < 0 && i < bird_genome_count(g); i++)
        if (bird_contig_same(bird_genome_name(g, i), name))
            *out = i;
    return *out < 0;
}

static void turn_round(char *s, int64_t n)
{
    for (int64_t i = 0, j = n - 1; i <= j; i++, j--) {
        char c = bird_complement(s[i]);

        s[i] = bird_complement(s[j]);
        s[j] = c;
    }
}

/* The letters of a region, as its strand reads them. */
static int fetch(struct bird_text *seq, bird_genome *g, const struct region *r,
                 char strand, const char *path)
{
    int64_t contig, n = r->end - r->start, length;
    int rc;

    if (find_contig(&contig, g, r->contig))
        return bird_fail(BIRD_ERANGE,
                         "%s: line %lld, column 1: the reference "
                         "has no contig '%s'",
                         path, (long long)r->line, r->contig);
    length = bird_genome_length(g, contig);
    if (r->end > length)
        return bird_fail(BIRD_ERANGE,
                         "%s: line %lld, column 3: the end %lld "
                         "lies behind %s, which has %lld bp",
                         path, (long long)r->line, (long long)r->end, r->contig,
                         (long long)length);
    rc = bird_array_grow(&seq->s, &seq->cap, n + 1, 1);
    if (!rc)
        rc = bird_genome_fetch(g, contig, r->start, r->end, seq->s);
    if (rc)
        return rc;
    seq->n = n;
    seq->s[n] = '\0';
    if (strand == '-')
        turn_round(seq->s, n);
    return 0;
}

static int put_line(struct bird_dataset_builder *b, bird_genome *g,
                    struct bird_text *seq, char *line, int64_t at)
{
    char *field[7];
    struct region r = {.line = at};
    int n = bird_split_tabs(field, 7, line);
    int rc = parse_region(&r, field, n, b->path);
    char strand = '.';
    struct bird_row *row;

    if (!rc && n > 5) {
        strand = *field[5];
        if (!strchr("+-.", strand) || !strand || field[5][1])
            rc = bird_fail(BIRD_EFORMAT,
                           "%s: line %lld, column 6: strand "
                           "'%.20s' is not +, - or .",
                           b->path, (long long)at, field[5]);
    }
    if (!rc)
        rc = fetch(seq, g, &r, strand, b->path);
    if (!rc)
        rc = bird_dataset_add(b, seq->s, seq->n, at, "region");
    if (rc)
        return rc;
    row = &b->d.row[b->d.n - 1];
    row->start = r.start;
    row->end = r.end;
    row->strand = strand;
    rc = bird_dataset_contig(&row->contig, b, r.contig);
    if (!rc && n > 3 && strcmp(field[3], "."))
        rc = bird_dataset_put_name(b, field[3]);
    if (!rc && n > 4 && (!b->o->label || *b->o->label))
        rc = bird_dataset_put_label(b, field[4]);
    return rc;
}

int bird_dataset_read_bed(struct bird_dataset_builder *b)
{
    struct bird_text file = {0}, seq = {0};
    bird_genome *g = NULL;
    char *rest, *line;
    int64_t at = 0;
    int rc;

    b->label_column = "column 5";
    if (!b->o->reference)
        return bird_fail(BIRD_EINVAL,
                         "%s: regions need the reference FASTA "
                         "they lie on",
                         b->path);
    rc = bird_slurp(&file, b->path);
    if (!rc)
        rc = bird_genome_open(&g, b->o->reference);
    for (rest = file.s; !rc && (line = bird_next_line(&rest));) {
        at++;
        if (!is_talk(line))
            rc = put_line(b, g, &seq, line, at);
    }
    bird_genome_free(g);
    bird_text_free(&file);
    bird_text_free(&seq);
    return rc;
}

/* Mark the rows that overlap this region. */
static int mark_region(uint8_t *mark, const bird_dataset *d,
                       const struct region *r)
{
    int n = 0;

    for (int64_t c = 0; c < d->n_contig; c++) {
        if (!bird_contig_same(d->contig_name[c], r->contig))
            continue;
        for (int64_t i = 0; i < d->n; i++)
            if (d->row[i].contig == c && d->row[i].start < r->end &&
                r->start < d->row[i].end) {
                mark[i] = 1;
                n = 1;
            }
    }
    return n;
}

int bird_dataset_mark_bed(uint8_t *mark, const bird_dataset *d,
                          const char *path)
{
    struct bird_text file = {0};
    struct region r = {0};
    char *rest, *line, *field[4];
    int rc, any = 0;

    if (!d->n_contig)
        return bird_fail(BIRD_EINVAL,
                         "%s: rows without places cannot be "
                         "split by regions",
                         path);
    rc = bird_slurp(&file, path);
    memset(mark, 0, (size_t)d->n);
    for (rest = file.s; !rc && (line = bird_next_line(&rest));) {
        r.line++;
        if (is_talk(line))
            continue;
        rc = parse_region(&r, field, bird_split_tabs(field, 4, line), path);
        if (!rc)
            any |= mark_region(mark, d, &r);
    }
    bird_text_free(&file);
    if (!rc && !any)
        rc = bird_fail(BIRD_EINVAL, "%s: no row lies in these regions", path);
    return rc;
}
