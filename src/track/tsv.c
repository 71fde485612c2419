/* Calls and windows as tab-separated tables. SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>

#include "track/writer.h"

static int tsv_header(struct bird_track *t)
{
    return bird_text_track_header(t, "chrom\tstart\tend\tname\tscore\tstrand\t"
                                     "probability\tsummit\twindows\tregion\t"
                                     "raw");
}

static int tsv_put(struct bird_track *t, const bird_track_row *r)
{
    int rc = bird_track_check_call(r);

    if (rc)
        return rc;
    rc = bird_text_printf(
        &t->line,
        "%s\t%" PRId64 "\t%" PRId64 "\t%s\t%d\t%c\t%.6f\t"
        "%" PRId64 "\t%" PRId64 "\t%s:%" PRId64 "-%" PRId64 "\t%.9g\n",
        r->contig, r->start, r->end, r->name ? r->name : ".",
        bird_track_score(r->value), r->strand, r->value, r->summit, r->n_window,
        r->contig, r->start + 1, r->end, r->raw);
    return rc ? rc : bird_text_track_send(t);
}

static int windows_header(struct bird_track *t)
{
    return bird_text_track_header(
        t, "chrom\tstart\tend\tstrand\tprobability\tstatus\traw");
}

/* Nine digits: a float comes back as it was. */
static int windows_put(struct bird_track *t, const bird_track_row *r)
{
    const char *status = r->status ? r->status : "ok";
    int rc = bird_text_printf(&t->line, "%s\t%" PRId64 "\t%" PRId64 "\t%c\t",
                              r->contig, r->start, r->end, r->strand);

    if (rc)
        return rc;
    rc = isnan(r->value) ? bird_text_printf(&t->line, ".\t%s\t.\n", status)
                         : bird_text_printf(&t->line, "%.9g\t%s\t%.9g\n",
                                            r->value, status, r->raw);
    return rc ? rc : bird_text_track_send(t);
}

const struct bird_writer bird_writer_tsv = {
    "tsv",      ".tsv",  bird_text_track_open,
    tsv_header, tsv_put, bird_text_track_close,
};

const struct bird_writer bird_writer_windows = {
    "windows",      ".windows",  bird_text_track_open,
    windows_header, windows_put, bird_text_track_close,
};
