/* calibration.safetensors: one part is replaced, the tensors of the other part
 * are copied. SPDX-License-Identifier: MIT */
#include "session/calibration_file.h"

#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"

static const char format[] = "dnabird calibration 1";

enum { MAX_TENSOR = 7, MAX_META = 9 };

/* Tensors and texts of each part. A file that has the first tensor has the
 * part; the first text is the digest of the model. */
static const struct {
    const char *tensor[MAX_TENSOR], *meta[MAX_META], *command;
} parts[BIRD_N_CALIBRATION_PART] = {
    [BIRD_PART_BACKGROUND] = {{"rank", "magnitude", "edge", "scale"},
                              {"model", "variants", "window", "strands",
                               "tokens", "precision", "background", "span",
                               "shifts"},
                              "dnabird variant background"},
    [BIRD_PART_PROBABILITY] =
        {{"probability.offset", "probability.raw", "probability.value",
          "probability.threshold"},
         {"probability.model", "probability.window", "probability.strands",
          "probability.event", "probability.fitted"},
         "dnabird evaluate --calibrate or evaluate bins --calibrate"},
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

/* The contents of a new file: tensors, and texts in pairs of key and value. */
struct assembly {
    struct bird_tensor all[BIRD_N_CALIBRATION_PART * MAX_TENSOR];
    const char *text[2 * (1 + BIRD_N_CALIBRATION_PART * MAX_META)];
    int64_t n_all, n_text;
};

static void put_text(struct assembly *a, const char *key, const char *value)
{
    a->text[a->n_text++] = key;
    a->text[a->n_text++] = value;
}

/* Take a part from another file, with another digest of the model if given. */
static void put_part(struct assembly *a, const bird_tensors *from, int part,
                     const char *digest)
{
    for (int i = 0; i < MAX_TENSOR && parts[part].tensor[i]; i++) {
        const struct bird_tensor *x =
            bird_tensors_find(from, parts[part].tensor[i]);

        if (x)
            a->all[a->n_all++] = *x;
    }
    for (int i = 0; i < MAX_META && parts[part].meta[i]; i++) {
        const char *x = bird_tensors_metadata(from, parts[part].meta[i]);

        if (x)
            put_text(a, parts[part].meta[i], i || !digest ? x : digest);
    }
}

int bird_calibration_file_put(const char *path, enum bird_calibration_part part,
                              const struct bird_tensor *t, int64_t n,
                              const char *const *meta, int64_t n_meta)
{
    struct assembly a = {.n_all = 0};
    bird_tensors *old = NULL;
    int rc;

    if (n > MAX_TENSOR || n_meta > MAX_META)
        return bird_fail(BIRD_EINVAL, "%s: a part of %lld tensors", path,
                         (long long)n);
    if (bird_calibration_file_open(&old, path) < 0)
        old = NULL; /* an unreadable old file loses nothing */
    put_text(&a, "format", format);
    for (int64_t i = 0; i < n; i++)
        a.all[a.n_all++] = t[i];
    for (int64_t i = 0; i < n_meta; i++)
        put_text(&a, meta[2 * i], meta[2 * i + 1]);
    if (old)
        put_part(&a, old, !part, NULL);
    rc = bird_tensors_write(path, a.all, a.n_all, a.text, a.n_text / 2);
    bird_tensors_free(old);
    return rc;
}

int bird_calibration_file_copy(const char *to, const char *from,
                               const char *old, const char *now)
{
    struct assembly a = {.n_all = 0};
    bird_tensors *t = NULL;
    int rc = bird_calibration_file_open(&t, from);

    if (rc <= 0)
        return rc;
    rc = 0;
    put_text(&a, "format", format);
    for (int i = 0; i < BIRD_N_CALIBRATION_PART; i++) {
        const char *model = bird_tensors_metadata(t, parts[i].meta[0]);

        if (model && !strcmp(model, old))
            put_part(&a, t, i, now);
    }
    if (a.n_all)
        rc = bird_tensors_write(to, a.all, a.n_all, a.text, a.n_text / 2);
    bird_tensors_free(t);
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
