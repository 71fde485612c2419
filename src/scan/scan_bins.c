/* How models that answer in bins are scanned: what of a window they answer for,
 * and how far its bins lie apart. SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "base/fail.h"
#include "base/json.h"
#include "scan/scan.h"

/* Bins that overlap divide a bin, so that all of them lie on one grid. */
static int choose_stride(struct bird_scan *s, int64_t asked)
{
    const bird_model *m = s->model;
    int64_t bin = bird_model_config(m)->bin_bp;

    s->stride_bp = asked > 0                  ? asked
                   : bird_model_stride(m) > 0 ? bird_model_stride(m)
                                              : bin;
    return bin % s->stride_bp == 0
               ? 0
               : bird_fail(BIRD_EINVAL,
                           "%s answers in bins of %lld bp: a stride of %lld "
                           "bp does not divide them",
                           bird_model_path(m), (long long)bin,
                           (long long)s->stride_bp);
}

int bird_scan_choose_bins(struct bird_scan *s, const char *option,
                          int64_t window_bp, int64_t stride_bp)
{
    const bird_model *m = s->model;
    int64_t bin = bird_model_config(m)->bin_bp, margin = 0, core;
    int rc = bird_json_int(&margin, bird_model_meta(m), "margin_bp", 0,
                           INT32_MAX, bird_model_path(m));

    if (!rc)
        rc = choose_stride(s, stride_bp);
    if (rc)
        return rc;
    s->width_bp = window_bp > 0 ? window_bp : bird_model_window(m);
    if (s->width_bp < 1) {
        char how[64];

        snprintf(how, sizeof(how), "%s BP", option);
        return bird_model_fail_window(m, how);
    }
    margin = (margin + bin - 1) / bin * bin;
    core = s->width_bp - 2 * margin;
    if (core < bin || core % bin)
        return bird_fail(BIRD_EINVAL,
                         "%s: %s: %lld bp less margins of %lld bp at both ends "
                         "is no whole number of bins of %lld bp",
                         bird_model_path(m), option, (long long)s->width_bp,
                         (long long)margin, (long long)bin);
    s->bin_bp = bin;
    s->step_bp = core;
    return 0;
}
