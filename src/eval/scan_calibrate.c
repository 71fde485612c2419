/* A model's map of raw outputs to probabilities, fitted on a scan.
 *
 * The event is that of the calls: a start site within reach of the anchor, on
 * either strand. All windows of the scan take part, so that the background is
 * the genome's. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/text.h"
#include "eval/calibrate.h"
#include "eval/scan_eval.h"
#include "session/calibration_file.h"
#include "session/session.h"

/* In words, what has the probability and on what it was fitted. */
static int describe(struct bird_probability *m, const struct bird_scan *s,
                    const bird_scan_files *files, int64_t n_true)
{
    const struct bird_scan_items *t = &s->items[BIRD_SCAN_STRANDED];
    struct bird_text event = {0}, fitted = {0};
    char name[80];
    int rc = bird_text_printf(&event,
                              "a start site within %lld bp of the window's "
                              "anchor, on either strand",
                              (long long)s->o->within);

    bird_path_base(name, sizeof(name), files->windows);
    if (!rc)
        rc = bird_text_printf(
            &fitted,
            "%lld windows of a scan of %lld bp (%s), %lld of them true",
            (long long)t->n, (long long)s->scanned_bp, name, (long long)n_true);
    m->event = event.s;
    m->fitted = fitted.s;
    return rc;
}

static int fit(struct bird_probability *m, const struct bird_scan *s,
               const bird_scan_files *files)
{
    const struct bird_scan_items *t = &s->items[BIRD_SCAN_STRANDED];
    double *raw = NULL;
    uint8_t *label = NULL;
    int64_t n_true = 0;
    int rc = bird_array_new(&raw, t->n, sizeof(*raw));

    if (!rc)
        rc = bird_array_new(&label, t->n, sizeof(*label));
    for (int64_t i = 0; !rc && i < t->n; i++) {
        raw[i] = t->at[i].p;
        label[i] = (uint8_t)bird_scan_is_true(s, &t->at[i]);
        n_true += label[i];
    }
    if (!rc && n_true < BIRD_KNOT_POSITIVES)
        rc = bird_fail(BIRD_EINVAL,
                       "%s: %lld windows near a start site are too few to "
                       "calibrate on: at least %d",
                       files->windows, (long long)n_true, BIRD_KNOT_POSITIVES);
    if (!rc)
        rc = bird_calibrate_feature(m, 1, raw, label, t->n);
    if (!rc)
        rc = describe(m, s, files, n_true);
    free(raw);
    free(label);
    return rc;
}

/* Windows of another length are other ones than the model's. */
static int check_windows(const struct bird_scan *s,
                         const bird_scan_files *files,
                         const struct bird_folder *f)
{
    const struct bird_scan_items *t = &s->items[BIRD_SCAN_STRANDED];
    int64_t longest = 0;

    for (int64_t i = 0; i < t->n; i++)
        if (t->at[i].end - t->at[i].start > longest)
            longest = t->at[i].end - t->at[i].start;
    if (f->window_bp && longest != f->window_bp)
        return bird_fail(BIRD_EINVAL,
                         "%s: windows of %lld bp, but %s is a model for %lld "
                         "bp: scan with the model's own window",
                         files->windows, (long long)longest, f->path,
                         (long long)f->window_bp);
    if (bird_model_labels(&f->config) != 1)
        return bird_fail(BIRD_EINVAL,
                         "%s has several labels: `dnabird evaluate "
                         "--calibrate` calibrates it on labelled bins",
                         f->path);
    return 0;
}

int bird_scan_calibrate(struct bird_scan *s, const bird_scan_files *files)
{
    struct bird_scan_items *t = &s->items[BIRD_SCAN_STRANDED];
    struct bird_probability m = {0};
    struct bird_folder f = {0};
    char *path = NULL;
    int rc = bird_folder_open_intact(&f, files->model), found = 0;

    if (!rc)
        rc = check_windows(s, files, &f);
    if (!rc)
        rc = bird_path_join(&path, f.path, BIRD_CALIBRATION_NAME);
    if (!rc && files->calibrate) {
        rc = fit(&m, s, files);
        m.way.window_bp = f.window_bp;
        memcpy(m.way.digest, f.digest, sizeof(m.way.digest));
        if (!rc) {
            bird_guard_own(path); /* what it held is replaced, or kept */
            rc = bird_probability_write(&m, path);
        }
    } else if (!rc) {
        found = bird_probability_read(&m, path, 1);
        rc = found < 0 ? found : 0;
        if (!found || (found > 0 && strcmp(m.way.digest, f.digest) != 0))
            rc = bird_fail(BIRD_EINVAL,
                           "%s: the model is not calibrated: --calibrate on "
                           "its validation part first",
                           f.path);
    }
    for (int64_t i = 0; !rc && i < t->n; i++)
        t->at[i].said = bird_probability_of(&m, 0, t->at[i].p);
    free(path);
    bird_probability_free(&m);
    bird_folder_free(&f);
    return rc;
}
