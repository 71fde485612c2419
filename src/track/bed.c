/* BED: calls as BED6+2, alleles as BED6+4. The probability of a call always has
 * a decimal point, because IGV reads columns 7 and 8 as the thick part of a
 * feature when both are whole numbers.
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "seq/vcf_in.h"
#include "track/writer.h"

static int begin_calls(struct bird_track *t)
{
    return bird_track_header(
        t, "chrom\tstart\tend\tname\tscore\tstrand\tprobability\tsummit");
}

static int put_call(struct bird_track *t, const bird_track_row *r,
                    const struct bird_cell *cell)
{
    int rc = bird_track_check_call(r);

    (void)cell;
    return rc ? rc
              : bird_text_printf(
                    &t->line,
                    "%s\t%" PRId64 "\t%" PRId64 "\t%s\t%d\t%c\t%.6f\t%" PRId64
                    "\n",
                    r->contig, r->start, r->end, r->name ? r->name : ".",
                    bird_track_score(r->value), r->strand, r->value, r->summit);
}

static int begin_alleles(struct bird_track *t)
{
    return bird_track_header(t, "chrom\tstart\tend\tname\tscore\tstrand");
}

/* The score comes from the first column, the largest difference. */
static int put_alleles(struct bird_track *t, struct bird_vcf_record *r,
                       int64_t n, const char *const *alt,
                       const struct bird_cell *cell)
{
    int64_t start = r->pos > 0 ? r->pos : 0;
    int64_t end = r->pos + (int64_t)strlen(r->ref);
    int rc = 0;

    for (int64_t i = 0; i < n && !rc; i++, cell += t->extra.n_column) {
        rc = bird_text_printf(&t->line, "%s\t%" PRId64 "\t%" PRId64 "\t",
                              r->contig, start, end > start ? end : start + 1);
        if (!rc)
            rc = strcmp(r->id, ".")
                     ? bird_text_printf(&t->line, "%s", r->id)
                     : bird_text_printf(&t->line, "%s>%s", r->ref, alt[i]);
        if (!rc)
            rc = bird_text_printf(
                &t->line, "\t%d\t.",
                isnan(cell->real) ? 0 : bird_track_score(fabs(cell->real)));
        for (int64_t k = 0; k < t->extra.n_column && !rc; k++)
            rc = bird_track_cell(t, t->extra.column[k].type, &cell[k], ".");
        if (!rc)
            rc = bird_text_put(&t->line, "\n", 1);
    }
    return rc;
}

const struct bird_format bird_format_bed = {
    .name = "bed",
    .suffixes = ".bed",
    .about = "calls: contig, start, end, name, score (1000 x probability), "
             "strand, probability, summit (0-based)",
    .commands =
        BIRD_WRITES(BIRD_TRACK_PROMOTER) | BIRD_WRITES(BIRD_TRACK_CHROMATIN),
    .content = BIRD_CONTENT_CALLS,
    .index = BIRD_INDEX_BED,
    .begin = begin_calls,
    .put = put_call,
};

const struct bird_format bird_format_bed_alleles = {
    .name = "bed",
    .suffixes = ".bed",
    .about = "a row for each allele, with its largest difference",
    .commands = BIRD_WRITES(BIRD_TRACK_VARIANT),
    .content = BIRD_CONTENT_LARGEST,
    .index = BIRD_INDEX_BED,
    .begin = begin_alleles,
    .record = put_alleles,
};
