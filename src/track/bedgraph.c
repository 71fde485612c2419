/* bedGraph: intervals with one value each, of one sequence after the other.
 * SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>

#include "base/fail.h"
#include "track/writer.h"

static int begin(struct bird_track *t)
{
    return bird_track_header(t, "chrom\tstart\tend\tvalue");
}

static int put(struct bird_track *t, const bird_track_row *r,
               const struct bird_cell *cell)
{
    int rc;

    (void)cell;
    if (isnan(r->value))
        return bird_fail(BIRD_EINVAL, "track: %s:%" PRId64 ": no value",
                         r->contig, r->start);
    rc = bird_text_printf(&t->line, "%s\t%" PRId64 "\t%" PRId64 "\t", r->contig,
                          r->start, r->end);
    if (rc)
        return rc;
    return t->extra.significant
               ? bird_text_printf(&t->line, "%.6g\n", r->value)
               : bird_text_printf(&t->line, "%.6f\n", r->value);
}

const struct bird_format bird_format_bedgraph = {
    .name = "bedgraph",
    .suffixes = ".bedgraph .bg",
    .about = "a value along the sequence; where windows overlap, their mean",
    .commands =
        BIRD_WRITES(BIRD_TRACK_PROMOTER) | BIRD_WRITES(BIRD_TRACK_CHROMATIN) |
        BIRD_WRITES(BIRD_TRACK_MUTATE) | BIRD_WRITES(BIRD_TRACK_ATTRIBUTE),
    .content = BIRD_CONTENT_SEGMENTS,
    .index = BIRD_INDEX_BED,
    .begin = begin,
    .put = put,
};
