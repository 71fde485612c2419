/* Calls as BED6+2, values as bedGraph. SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>

#include "base/fail.h"
#include "track/writer.h"

static int bed_header(struct bird_track *t)
{
    return bird_text_track_header(
        t, "chrom\tstart\tend\tname\tscore\tstrand\tprobability\tsummit");
}

/*
 * The probability always has a decimal point: IGV reads columns 7 and 8 of a
 * BED file as thick parts when both are whole numbers.
 */
static int bed_put(struct bird_track *t, const bird_track_row *r)
{
    int rc = bird_track_check_call(r);

    if (rc)
        return rc;
    rc = bird_text_printf(
        &t->line,
        "%s\t%" PRId64 "\t%" PRId64 "\t%s\t%d\t%c\t%.6f\t%" PRId64 "\n",
        r->contig, r->start, r->end, r->name ? r->name : ".",
        bird_track_score(r->value), r->strand, r->value, r->summit);
    return rc ? rc : bird_text_track_send(t);
}

static int bedgraph_header(struct bird_track *t)
{
    return bird_text_track_header(t, "chrom\tstart\tend\tvalue");
}

static int bedgraph_put(struct bird_track *t, const bird_track_row *r)
{
    int rc;

    if (isnan(r->value))
        return bird_fail(BIRD_EINVAL, "track: %s:%" PRId64 ": no value",
                         r->contig, r->start);
    rc = bird_text_printf(&t->line, "%s\t%" PRId64 "\t%" PRId64 "\t%.6f\n",
                          r->contig, r->start, r->end, r->value);
    return rc ? rc : bird_text_track_send(t);
}

const struct bird_writer bird_writer_bed = {
    "bed",      ".bed",  bird_text_track_open,
    bed_header, bed_put, bird_text_track_close,
};

const struct bird_writer bird_writer_bedgraph = {
    "bedgraph",      ".bedgraph .bg", bird_text_track_open,
    bedgraph_header, bedgraph_put,    bird_text_track_close,
};
