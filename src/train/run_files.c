/* What a run leaves in its folder while it runs. SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/file.h"
#include "model/params.h"
#include "train/finetune.h"
#include "train/run_folder.h"

double bird_finetune_rate(const struct bird_finetuning *f)
{
    double s = bird_run_clock() - f->started;
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
    int rc = in_run(&path, f, BIRD_RUN_CHECKPOINT);

    if (rc)
        return rc;
    rc = bird_checkpoint_write(path, f->l, &f->progress, f->identity.s);
    free(path);
    return rc;
}

int bird_finetune_resume(struct bird_finetuning *f)
{
    char *path;
    int rc = in_run(&path, f, BIRD_RUN_CHECKPOINT);

    if (rc)
        return rc;
    if (f->o.resume)
        bird_run_sweep(f->o.out);
    if (f->o.resume && bird_file_exists(path))
        rc = bird_checkpoint_read(path, f->l, &f->progress, f->identity.s);
    f->started = bird_run_clock();
    f->started_step = f->progress.step;
    free(path);
    return rc;
}

#define LOG_HEADER                                                             \
    "step\tepoch\tloss\tvalid_loss\tvalid_auroc\tvalid_mcc\tbest\tseconds\t"   \
    "sequences_per_second\n"

int bird_finetune_log_start(const struct bird_finetuning *f)
{
    return bird_run_log_start(f->o.out, LOG_HEADER, f->progress.step);
}

int bird_finetune_log(const struct bird_finetuning *f,
                      const bird_finetune_state *s)
{
    struct bird_text line = {0};
    int rc = bird_text_printf(
        &line, "%lld\t%.4f\t%.6f\t%.6f\t%.6f\t%.6f\t%d\t%.1f\t%.1f\n",
        (long long)s->step, s->epoch, s->loss, s->valid_loss, s->valid_auroc,
        s->valid_mcc, s->best, bird_run_clock() - f->started, s->rate);

    if (!rc)
        rc = bird_run_log_add(f->o.out, line.s);
    bird_text_free(&line);
    return rc;
}
