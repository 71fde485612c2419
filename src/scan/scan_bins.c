/* How models that answer in bins are scanned: what of a window they answer for,
 * and how far its bins lie apart. SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "base/fail.h"
#include "base/json.h"
#include "scan/scan.h"

/* Bins that overlap divide a bin, so that all of them lie on one grid. */
static int choose_stride(struct bird_scan *s, int64_t asked)
{
    const struct bird_folder *f = &s->model.folder;
    int64_t bin = f->config.bin_bp;

    s->stride_bp = asked > 0 ? asked : f->stride_bp > 0 ? f->stride_bp : bin;
    return bin % s->stride_bp == 0
               ? 0
               : bird_fail(BIRD_EINVAL,
                           "%s answers in bins of %lld bp: a stride of %lld "
                           "bp does not divide them",
                           f->path, (long long)bin, (long long)s->stride_bp);
}

int bird_scan_choose_bins(struct bird_scan *s, const char *option,
                          int64_t window_bp, int64_t stride_bp)
{
    const struct bird_folder *f = &s->model.folder;
    int64_t bin = f->config.bin_bp, margin = 0, core;
    int rc =
        bird_json_int(&margin, f->meta, "margin_bp", 0, INT32_MAX, f->path);

    if (!rc)
        rc = choose_stride(s, stride_bp);
    if (rc)
        return rc;
    s->width_bp = window_bp > 0 ? window_bp : f->window_bp;
    if (s->width_bp < 1) {
        char how[64];

        snprintf(how, sizeof(how), "%s BP", option);
        return bird_folder_fail_window(f, how);
    }
    margin = (margin + bin - 1) / bin * bin;
    core = s->width_bp - 2 * margin;
    if (core < bin || core % bin)
        return bird_fail(BIRD_EINVAL,
                         "%s: %s: %lld bp less margins of %lld bp at both ends "
                         "is no whole number of bins of %lld bp",
                         f->path, option, (long long)s->width_bp,
                         (long long)margin, (long long)bin);
    s->bin_bp = bin;
    s->step_bp = core;
    return 0;
}
