/* Checkpoints as safetensors: four blocks and a few words.
 * SPDX-License-Identifier: MIT */
#include "train/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "model/safetensors.h"

#define FORMAT "dnabird checkpoint"
static const char format[] = FORMAT " 1";

static struct bird_tensor whole(const char *name, const void *data, int64_t n,
                                enum bird_dtype dtype, size_t size)
{
    return (struct bird_tensor){.name = name,
                                .dtype = dtype,
                                .n_dim = 1,
                                .shape = {n},
                                .data = data,
                                .size = (size_t)n * size};
}

int bird_checkpoint_write(const char *path, const struct bird_trainer *l,
                          const struct bird_train_progress *p,
                          const char *identity)
{
    int64_t whole_numbers[] = {p->step, p->best_step, p->stale, p->loss_count,
                               l->adam.t};
    double reals[] = {p->best, p->loss_sum};
    struct bird_tensor t[7] = {
        whole("progress", whole_numbers, 5, BIRD_I64, 8),
        whole("figures", reals, 2, BIRD_F64, 8),
        whole("parameters", l->theta, l->total, BIRD_F32, 4),
        whole("adam.m", l->m, l->total, BIRD_F32, 4),
        whole("adam.v", l->v, l->total, BIRD_F32, 4),
    };
    const char *meta[] = {"format", format, "identity", identity};
    int64_t n = 5;

    if (l->shadow)
        t[n++] = whole("average", l->shadow, l->total, BIRD_F32, 4);
    return bird_tensors_write(path, t, n, meta, 2);
}

static int fill(void *out, const bird_tensors *t, const char *name, int64_t n,
                enum bird_dtype dtype, const char *path)
{
    const struct bird_tensor *x = bird_tensors_find(t, name);

    if (!x || x->dtype != dtype || bird_tensor_count(x) != n)
        return bird_fail(BIRD_EFORMAT,
                         "%s: '%s' is missing or of another size: this is not "
                         "a checkpoint of this configuration",
                         path, name);
    memcpy(out, x->data, x->size);
    bird_tensor_forget(t, x); /* not twice in memory */
    return 0;
}

static int check_format(const bird_tensors *t, const char *path)
{
    const char *was = bird_tensors_metadata(t, "format");

    if (was && !strcmp(was, format))
        return 0;
    if (!was || strncmp(was, FORMAT " ", sizeof FORMAT) != 0)
        return bird_fail(BIRD_EFORMAT, "%s: not a checkpoint of a training run",
                         path);
    return bird_fail(BIRD_EUNSUPPORTED,
                     "%s: its format '%.40s' is not known, this program reads "
                     "'%s': use a newer dnabird",
                     path, was, format);
}

int bird_checkpoint_read(const char *path, struct bird_trainer *l,
                         struct bird_train_progress *p, const char *identity)
{
    int64_t k[5];
    double r[2];
    bird_tensors *t;
    const char *was;
    int rc = bird_tensors_open(&t, path);

    if (rc)
        return rc;
    if ((rc = check_format(t, path)))
        goto done;
    was = bird_tensors_metadata(t, "identity");
    if (!was || strcmp(was, identity)) {
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: a checkpoint of another run (other data, "
                       "configuration or options): use another folder, or "
                       "what that run was given",
                       path);
        goto done;
    }
    if ((rc = fill(k, t, "progress", 5, BIRD_I64, path)) ||
        (rc = fill(r, t, "figures", 2, BIRD_F64, path)) ||
        (rc = fill(l->theta, t, "parameters", l->total, BIRD_F32, path)) ||
        (rc = fill(l->m, t, "adam.m", l->total, BIRD_F32, path)) ||
        (rc = fill(l->v, t, "adam.v", l->total, BIRD_F32, path)) ||
        (l->shadow &&
         (rc = fill(l->shadow, t, "average", l->total, BIRD_F32, path))))
        goto done;
    if (k[0] < 0 || k[1] < 0 || k[1] > k[0] || k[2] < 0 || k[3] < 0 ||
        k[3] > k[0] || k[4] != k[0]) {
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: its counts make no sense: a damaged "
                       "checkpoint",
                       path);
        goto done;
    }
    *p = (struct bird_train_progress){k[0], k[1], k[2], r[0], r[1], k[3]};
    l->adam.t = k[4];
done:
    bird_tensors_free(t);
    return rc;
}
