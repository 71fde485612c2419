/* What a run leaves in its folder while it runs. SPDX-License-Identifier: MIT
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "model/params.h"
#include "train/finetune/finetune.h"

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bird_finetune_rate(const struct bird_finetuning *f)
{
    double s = now() - f->started;
    int64_t n = (f->progress.step - f->started_step) * f->o.batch;

    return s > 0 ? (double)n / s : 0;
}

static int in_run(char **path, const struct bird_finetuning *f,
                  const char *name)
{
    return bird_path_join(path, f->o.out, name);
}

int bird_finetune_keep_best(const struct bird_finetuning *f)
{
    const struct bird_trainer *l = f->l;
    const float *theta = l->shadow ? l->shadow : l->theta;
    char *path;
    int rc = in_run(&path, f, "best.safetensors");

    if (rc)
        return rc;
    rc = bird_params_save(path, theta, l->list, l->n_param, BIRD_F32);
    free(path);
    return rc;
}

int bird_finetune_checkpoint(const struct bird_finetuning *f)
{
    char *path;
    int rc = in_run(&path, f, "checkpoint.safetensors");

    if (rc)
        return rc;
    rc = bird_checkpoint_write(path, f->l, &f->progress, f->identity.s);
    free(path);
    return rc;
}

/* A run that was killed may have left files half written. */
static void sweep(const struct bird_finetuning *f)
{
    static const char *const ours[] = {
        "best.safetensors.tmp",  "checkpoint.safetensors.tmp",
        "training.tsv.tmp",      "validation.tsv.tmp",
        "model.safetensors.tmp", "baseline.safetensors.tmp"};
    DIR *d = opendir(f->o.out);
    struct dirent *e;

    while (d && (e = readdir(d)))
        for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++) {
            size_t n = strlen(ours[i]);

            if (!strncmp(e->d_name, ours[i], n) &&
                e->d_name[n + strspn(e->d_name + n, "0123456789")] == '\0')
                unlinkat(dirfd(d), e->d_name, 0);
        }
    if (d)
        closedir(d);
}

int bird_finetune_resume(struct bird_finetuning *f)
{
    char *path;
    int rc = in_run(&path, f, "checkpoint.safetensors");

    if (rc)
        return rc;
    if (f->o.resume)
        sweep(f);
    if (f->o.resume && bird_file_exists(path))
        rc = bird_checkpoint_read(path, f->l, &f->progress, f->identity.s);
    f->started = now();
    f->started_step = f->progress.step;
    free(path);
    return rc;
}

#define LOG_HEADER                                                             \
    "step\tepoch\tloss\tvalid_loss\tvalid_auroc\tvalid_mcc\tbest\tseconds\t"   \
    "sequences_per_second\n"

/* The lines of a log up to a step; a last line cut short is dropped. */
static int cut_log(struct bird_text *out, const char *s, int64_t step)
{
    int rc = bird_text_put(out, LOG_HEADER, sizeof(LOG_HEADER) - 1);
    const char *line = strchr(s, '\n'), *end;

    while (!rc && line && (end = strchr(line + 1, '\n'))) {
        if (strtoll(line + 1, NULL, 10) <= step)
            rc = bird_text_put(out, line + 1, end - line);
        line = end;
    }
    return rc;
}

int bird_finetune_log_start(const struct bird_finetuning *f)
{
    struct bird_text old = {0}, kept = {0};
    char *path;
    int rc = in_run(&path, f, "training.tsv");

    if (rc)
        return rc;
    if (f->progress.step > 0 && bird_file_exists(path))
        rc = bird_file_read(&old, path);
    if (!rc)
        rc = cut_log(&kept, old.s ? old.s : "", f->progress.step);
    if (!rc)
        rc = bird_file_write(path, kept.s, (size_t)kept.n);
    bird_text_free(&old);
    bird_text_free(&kept);
    free(path);
    return rc;
}

int bird_finetune_log(const struct bird_finetuning *f,
                      const bird_finetune_state *s)
{
    FILE *out;
    char *path;
    int rc = in_run(&path, f, "training.tsv");

    if (rc)
        return rc;
    out = fopen(path, "ae");
    if (!out ||
        fprintf(out, "%lld\t%.4f\t%.6f\t%.6f\t%.6f\t%.6f\t%d\t%.1f\t%.1f\n",
                (long long)s->step, s->epoch, s->loss, s->valid_loss,
                s->valid_auroc, s->valid_mcc, s->best, now() - f->started,
                s->rate) < 0)
        rc = bird_fail(BIRD_EIO, "%s: %s", path, strerror(errno));
    if (out && fclose(out) && !rc)
        rc = bird_fail(BIRD_EIO, "%s: %s", path, strerror(errno));
    free(path);
    return rc;
}
