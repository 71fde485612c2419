/* Tab-separated tables: calls, windows, bins, and alleles in the program's own
 * columns or in kipoi-veff2's. SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "seq/vcf_in.h"
#include "track/writer.h"

static int begin_calls(struct bird_track *t)
{
    return bird_track_header(t, "chrom\tstart\tend\tname\tscore\tstrand\t"
                                "probability\tsummit\twindows\tregion\traw");
}

/* Put the cells of a row and a newline. */
static int put_cells(struct bird_track *t, const struct bird_cell *cell,
                     const char *missing)
{
    int rc = 0;

    for (int64_t k = 0; cell && k < t->extra.n_column && !rc; k++)
        rc = bird_track_cell(t, t->extra.column[k].type, &cell[k], missing);
    return rc ? rc : bird_text_put(&t->line, "\n", 1);
}

static int put_call(struct bird_track *t, const bird_track_row *r,
                    const struct bird_cell *cell)
{
    int rc = bird_track_check_call(r);

    if (!rc)
        rc = bird_text_printf(
            &t->line,
            "%s\t%" PRId64 "\t%" PRId64 "\t%s\t%d\t%c\t%.6f\t"
            "%" PRId64 "\t%" PRId64 "\t%s:%" PRId64 "-%" PRId64 "\t%.9g",
            r->contig, r->start, r->end, r->name ? r->name : ".",
            bird_track_score(r->value), r->strand, r->value, r->summit,
            r->n_window, r->contig, r->start + 1, r->end, r->raw);
    return rc ? rc : put_cells(t, cell, ".");
}

static int begin_windows(struct bird_track *t)
{
    return bird_track_header(
        t, "chrom\tstart\tend\tstrand\tprobability\tstatus\traw");
}

/* Nine digits, so that a float is read back unchanged. */
static int put_window(struct bird_track *t, const bird_track_row *r,
                      const struct bird_cell *cell)
{
    const char *status = r->status ? r->status : "ok";
    int rc = bird_text_printf(&t->line, "%s\t%" PRId64 "\t%" PRId64 "\t%c\t",
                              r->contig, r->start, r->end, r->strand);

    (void)cell;
    if (rc)
        return rc;
    return isnan(r->value) ? bird_text_printf(&t->line, ".\t%s\t.\n", status)
                           : bird_text_printf(&t->line, "%.9g\t%s\t%.9g\n",
                                              r->value, status, r->raw);
}

static int begin_bins(struct bird_track *t)
{
    return bird_track_header(t, "chrom\tstart\tend");
}

static int put_bin(struct bird_track *t, const bird_track_row *r,
                   const struct bird_cell *cell)
{
    int rc = bird_text_printf(&t->line, "%s\t%" PRId64 "\t%" PRId64, r->contig,
                              r->start, r->end);

    return rc ? rc : put_cells(t, cell, ".");
}

static int begin_alleles(struct bird_track *t)
{
    return bird_track_header(t, "CHROM\tPOS\tID\tREF\tALT");
}

static int put_place(struct bird_track *t, const struct bird_vcf_record *r,
                     const char *id, const char *alt)
{
    return bird_text_printf(&t->line, "%s\t%" PRId64 "\t%s\t%s\t%s", r->contig,
                            r->pos + 1, id, r->ref, alt);
}

static int put_alleles(struct bird_track *t, struct bird_vcf_record *r,
                       int64_t n, const char *const *alt,
                       const struct bird_cell *cell)
{
    int rc = 0;

    for (int64_t i = 0; i < n && !rc; i++, cell += t->extra.n_column) {
        rc = put_place(t, r, r->id, alt[i]);
        if (!rc)
            rc = put_cells(t, cell, ".");
    }
    return rc;
}

/* A feature's name in kipoi-veff2's form: the parts of CELL|FACTOR|TREATMENT
 * joined by '_', without the number that distinguishes equal names. */
static int put_kipoi_name(struct bird_text *line, const char *name)
{
    const char *bar = strrchr(name, '|'),
               *mark = bar ? strrchr(bar, '#') : NULL;
    int64_t from = line->n;
    int rc;

    if (!mark || !mark[1] || mark[1 + strspn(mark + 1, "0123456789")])
        mark = name + strlen(name);
    rc = bird_text_put(line, name, mark - name);
    for (int64_t i = from; !rc && i < line->n; i++)
        if (line->s[i] == '|')
            line->s[i] = '_';
    return rc;
}

/* kipoi's readers expect the column names in the first line. */
static int begin_kipoi(struct bird_track *t)
{
    int rc = bird_text_printf(&t->line, "#CHROM\tPOS\tID\tREF\tALT");

    for (int64_t k = 0; k < t->extra.n_column && !rc; k++) {
        const struct bird_column *c = &t->extra.column[k];

        rc = bird_text_printf(&t->line, "\t%s/", t->extra.label);
        if (!rc)
            rc = put_kipoi_name(&t->line, c->feature);
        if (!rc)
            rc = bird_text_printf(&t->line, "/%s", c->score);
    }
    return rc ? rc : bird_text_put(&t->line, "\n", 1);
}

/* A missing ID is an empty field in kipoi-veff2's tables. */
static int put_kipoi(struct bird_track *t, struct bird_vcf_record *r, int64_t n,
                     const char *const *alt, const struct bird_cell *cell)
{
    int rc = 0;

    for (int64_t i = 0; i < n && !rc; i++, cell += t->extra.n_column) {
        rc = put_place(t, r, strcmp(r->id, ".") ? r->id : "", alt[i]);
        if (!rc)
            rc = put_cells(t, cell, "nan");
    }
    return rc;
}

const struct bird_format bird_format_tsv = {
    .name = "tsv",
    .suffixes = ".tsv",
    .about = "calls with all columns",
    .commands = BIRD_WRITES(BIRD_TRACK_PROMOTER),
    .content = BIRD_CONTENT_CALLS,
    .index = BIRD_INDEX_BED,
    .begin = begin_calls,
    .put = put_call,
};

const struct bird_format bird_format_windows = {
    .name = "windows",
    .suffixes = ".windows",
    .about = "every window with its probability",
    .commands = BIRD_WRITES(BIRD_TRACK_PROMOTER),
    .content = BIRD_CONTENT_WINDOWS,
    .index = BIRD_INDEX_BED,
    .begin = begin_windows,
    .put = put_window,
};

const struct bird_format bird_format_tsv_bins = {
    .name = "tsv",
    .suffixes = ".tsv",
    .about = "a matrix",
    .commands = BIRD_WRITES(BIRD_TRACK_CHROMATIN) |
                BIRD_WRITES(BIRD_TRACK_MUTATE) |
                BIRD_WRITES(BIRD_TRACK_ATTRIBUTE),
    .content = BIRD_CONTENT_CELLS,
    .index = BIRD_INDEX_BED,
    .begin = begin_bins,
    .put = put_bin,
};

const struct bird_format bird_format_tsv_alleles = {
    .name = "tsv",
    .suffixes = ".tsv",
    .about = "a row for each allele",
    .commands = BIRD_WRITES(BIRD_TRACK_VARIANT),
    .content = BIRD_CONTENT_ALLELES,
    .index = BIRD_INDEX_TABLE,
    .begin = begin_alleles,
    .record = put_alleles,
};

const struct bird_format bird_format_table = {
    .name = "table",
    .suffixes = "",
    .about =
        "a row for each allele, which `dnabird variant --table` reads; the "
        "default with -R",
    .commands = BIRD_WRITES(BIRD_TRACK_MUTATE),
    .content = BIRD_CONTENT_ALLELES,
    .index = BIRD_INDEX_TABLE,
    .begin = begin_alleles,
    .record = put_alleles,
};

const struct bird_format bird_format_kipoi = {
    .name = "kipoi",
    .suffixes = "",
    .about = "kipoi-veff2's table of scores",
    .commands = BIRD_WRITES(BIRD_TRACK_VARIANT),
    .content = BIRD_CONTENT_SCORES,
    .index = BIRD_INDEX_TABLE,
    .begin = begin_kipoi,
    .record = put_kipoi,
};
