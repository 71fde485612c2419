/* The file both parts of a calibration share. SPDX-License-Identifier: MIT */
#include "session/calibration_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"

static const char format[] = "dnabird calibration 1";

enum { MAX_TENSOR = 4, MAX_META = 8 };

/* What belongs to each part. The first tensor shows that it is there. */
static const struct {
    const char *tensor[MAX_TENSOR], *meta[MAX_META], *command;
} parts[BIRD_N_CALIBRATION_PART] = {
    [BIRD_PART_BACKGROUND] = {{"rank", "magnitude", "rms"},
                              {"model", "variants", "window", "strands",
                               "tokens", "precision", "background", "span"},
                              "dnabird variant background"},
    [BIRD_PART_PROBABILITY] = {{"probability.offset", "probability.raw",
                                "probability.value", "probability.threshold"},
                               {"probability.model", "probability.window",
                                "probability.strands", "probability.event",
                                "probability.fitted"},
                               "dnabird evaluate --calibrate"},
};

int bird_calibration_file_fail(const char *path,
                               enum bird_calibration_part part,
                               const char *what)
{
    return bird_fail(BIRD_EFORMAT, "%s: %s: make it anew with `%s`", path, what,
                     parts[part].command);
}

int bird_calibration_file_open(bird_tensors **out, const char *path)
{
    bird_tensors *t = NULL;
    const char *f;
    int rc;

    if (!bird_file_exists(path))
        return 0;
    if ((rc = bird_tensors_open(&t, path)))
        return rc;
    f = bird_tensors_metadata(t, "format");
    if (!f || strcmp(f, format) != 0) {
        bird_tensors_free(t);
        return bird_calibration_file_fail(
            path, BIRD_PART_BACKGROUND,
            "not a calibration that this program reads");
    }
    *out = t;
    return 1;
}

int bird_calibration_file_has(const bird_tensors *t,
                              enum bird_calibration_part part)
{
    return bird_tensors_find(t, parts[part].tensor[0]) != NULL;
}

int bird_calibration_file_put(const char *path, enum bird_calibration_part part,
                              const struct bird_tensor *t, int64_t n,
                              const char *const *meta, int64_t n_meta)
{
    const int other = !part;
    struct bird_tensor all[2 * MAX_TENSOR];
    const char *text[2 * (1 + 2 * MAX_META)];
    bird_tensors *old = NULL;
    int64_t n_all = 0, n_text = 0;
    int rc;

    if (n > MAX_TENSOR || n_meta > MAX_META)
        return bird_fail(BIRD_EINVAL, "%s: a part of %lld tensors", path,
                         (long long)n);
    if (bird_calibration_file_open(&old, path) < 0)
        old = NULL; /* what cannot be read is no loss */
    text[n_text++] = "format";
    text[n_text++] = format;
    for (int64_t i = 0; i < n; i++)
        all[n_all++] = t[i];
    for (int64_t i = 0; i < 2 * n_meta; i++)
        text[n_text++] = meta[i];
    for (int i = 0; old && i < MAX_TENSOR && parts[other].tensor[i]; i++) {
        const struct bird_tensor *x =
            bird_tensors_find(old, parts[other].tensor[i]);

        if (x)
            all[n_all++] = *x;
    }
    for (int i = 0; old && i < MAX_META && parts[other].meta[i]; i++) {
        const char *x = bird_tensors_metadata(old, parts[other].meta[i]);

        if (x) {
            text[n_text++] = parts[other].meta[i];
            text[n_text++] = x;
        }
    }
    rc = bird_tensors_write(path, all, n_all, text, n_text / 2);
    bird_tensors_free(old);
    return rc;
}

int bird_calibration_file_take(void *out, const bird_tensors *t,
                               const struct bird_tensor *want, const char *path,
                               enum bird_calibration_part part)
{
    const struct bird_tensor *x = bird_tensors_find(t, want->name);
    int same = x && x->dtype == want->dtype && x->n_dim == want->n_dim, rc;
    void *copy = NULL;

    for (int i = 0; same && i < want->n_dim; i++)
        same = x->shape[i] == want->shape[i];
    if (!same)
        return bird_calibration_file_fail(
            path, part, "a tensor is missing or has another shape");
    rc = bird_array_new(&copy, (int64_t)x->size, 1);
    if (rc)
        return rc;
    memcpy(copy, x->data, x->size);
    memcpy(out, &copy, sizeof(copy));
    return 0;
}
