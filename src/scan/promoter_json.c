/* What a scan did, as JSON. SPDX-License-Identifier: MIT */
#include "base/fail.h"
#include "base/json.h"
#include "dnabird/promoter.h"
#include "scan/source.h"

int bird_promoter_summary_write(const char *path,
                                const bird_promoter_summary *s, double seconds)
{
    const struct bird_scan_facts facts = {.model = s->model,
                                          .digest = s->digest,
                                          .warning = s->build,
                                          .notice = s->notice,
                                          .n_contig = s->n_contig,
                                          .n_empty = s->n_empty,
                                          .n_bp = s->n_bp,
                                          .n_unknown = s->n_unknown,
                                          .n_short = s->n_short,
                                          .n_trimmed = s->n_trimmed,
                                          .n_row = s->n_row,
                                          .threshold = s->threshold,
                                          .seconds = seconds};
    json_t *j = json_pack(
        "{s:I, s:i, s:I, s:I, s:I, s:I, s:b}", "windows",
        (json_int_t)s->n_window, "strands", s->n_strand, "scored",
        (json_int_t)s->n_scored, "repeated", (json_int_t)s->n_repeated,
        "window_bp", (json_int_t)s->window_bp, "stride_bp",
        (json_int_t)s->stride_bp, "calibrated", s->calibrated);
    int rc = j ? bird_scan_describe(j, &facts) : bird_fail_memory(0);

    if (!rc)
        rc = bird_json_write(j, path);
    json_decref(j);
    return rc;
}
