/* The loop: updates, validations, the log, checkpoints.
 *
 * Rows, masks and dropout are functions of (seed, step, row), so a resumed
 * run needs to know its step, the weights and Adam's moments, nothing else.
 * The first process writes; what goes wrong there is told to the others at
 * the next step.
 * SPDX-License-Identifier: MIT */
#include "train/pretrain.h"

#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/file.h"
#include "train/pretrain_run.h"
#include "train/run_folder.h"

/* Seconds between checkpoints when their number of steps is not given. */
#define SAVE_EVERY 600

/* A figure, or NA where there is none. */
static int put_figure(struct bird_text *t, const char *fmt, double x)
{
    int rc = bird_text_put(t, "\t", 1);

    if (rc)
        return rc;
    return isnan(x) ? bird_text_put(t, "NA", 2) : bird_text_printf(t, fmt, x);
}

static int log_step(const struct bird_pretraining *f,
                    const bird_pretrain_state *s)
{
    const double figures[] = {s->loss,       s->next_loss,     s->bits,
                              s->lr,         s->norm,          s->valid_loss,
                              s->valid_bits, s->valid_accuracy};
    struct bird_text t = {0};
    int rc = bird_text_printf(&t, "%lld", (long long)s->step);

    for (size_t i = 0; !rc && i < sizeof(figures) / sizeof(*figures); i++)
        rc = put_figure(&t, "%.8g", figures[i]);
    if (!rc)
        rc = bird_text_printf(&t, "\t%.1f\t%.1f\t%.1f\n",
                              bird_run_clock() - f->started, s->tokens_per_s,
                              s->bp_per_s);
    if (!rc)
        rc = bird_run_log_add(f->o.out, t.s);
    bird_text_free(&t);
    return rc;
}

static int save(struct bird_pretraining *f)
{
    char *path;
    int rc = bird_path_join(&path, f->o.out, BIRD_RUN_CHECKPOINT);

    if (rc)
        return rc;
    rc = bird_checkpoint_write(path, f->l, &f->progress, f->identity.s);
    free(path);
    f->saved = bird_run_clock();
    return rc;
}

static int is_due(const struct bird_pretraining *f)
{
    int64_t step = f->progress.step, every = f->o.checkpoint_every;

    if (step == f->o.steps)
        return 1;
    return every > 0 ? step % every == 0
                     : bird_run_clock() - f->saved >= SAVE_EVERY;
}

/* What follows an update, on the first process: log and checkpoint. */
static int record(struct bird_pretraining *f, const bird_pretrain_state *s)
{
    int rc;

    if (f->comm->rank)
        return 0;
    rc = log_step(f, s);
    return rc || !is_due(f) ? rc : save(f);
}

static int validate(struct bird_pretraining *f, bird_pretrain_state *s)
{
    int64_t step = f->progress.step;
    int rc;

    if (!f->valid || (step % f->validate_every && step != f->o.steps))
        return 0;
    rc = bird_pretrain_validate(f);
    if (rc)
        return rc;
    s->validated = 1;
    s->valid_loss = f->valid_loss;
    s->valid_bits = f->valid_bits;
    s->valid_accuracy = f->valid_accuracy;
    return 0;
}

int bird_pretrain_loop(struct bird_pretraining *f)
{
    int rc = 0;

    f->saved = bird_run_clock();
    while (f->progress.step < f->o.steps) {
        bird_pretrain_state s;

        rc = bird_pretrain_step(f, &s);
        if (rc || f->stopped)
            break;
        rc = validate(f, &s);
        if (rc)
            break;
        f->trouble = record(f, &s);
        if (!f->trouble && bird_pretrain_report(f, &s))
            f->stop = 1;
    }
    if (rc || !f->stopped)
        return rc ? rc : bird_comm_agree(f->comm, f->trouble);
    rc = bird_comm_agree(f->comm, f->comm->rank ? 0 : save(f));
    if (rc || f->comm->rank)
        return rc ? rc : bird_fail(BIRD_ECANCELED, "%s", "");
    return bird_fail(BIRD_ECANCELED,
                     "stopped at step %lld of %lld; a checkpoint is in %s: go "
                     "on with --resume",
                     (long long)f->progress.step, (long long)f->o.steps,
                     f->o.out);
}

/* The checkpoint's state to all processes. */
static int spread(struct bird_pretraining *f)
{
    size_t size = (size_t)f->l->total * sizeof(float);
    int rc = bird_comm_broadcast(f->comm, &f->progress, sizeof(f->progress));

    f->l->adam.t = f->progress.step;
    if (!rc)
        rc = bird_comm_broadcast(f->comm, f->l->theta, size);
    if (!rc)
        rc = bird_comm_broadcast(f->comm, f->l->m, size);
    return rc ? rc : bird_comm_broadcast(f->comm, f->l->v, size);
}

static int begin(struct bird_pretraining *f)
{
    char *path;
    int rc;

    if (f->comm->rank)
        return 0;
    rc = bird_run_begin(f->o.out);
    if (rc || (rc = bird_path_join(&path, f->o.out, BIRD_RUN_CHECKPOINT)))
        return rc;
    if (f->o.resume) {
        bird_run_sweep(f->o.out);
        if (bird_file_exists(path))
            rc = bird_checkpoint_read(path, f->l, &f->progress, f->identity.s);
    }
    free(path);
    return rc ? rc
              : bird_run_log_start(f->o.out, BIRD_PRETRAIN_LOG,
                                   f->progress.step);
}

int bird_pretrain(const bird_pretrain_options *o)
{
    struct bird_pretraining f = {.o = *o};
    int rc = bird_pretrain_setup(&f);

    if (!rc && (rc = bird_comm_agree(f.comm, begin(&f))) == 0)
        rc = spread(&f);
    f.started = bird_run_clock();
    f.started_step = f.progress.step;
    if (!rc)
        rc = bird_pretrain_loop(&f);
    if (!rc)
        rc = bird_pretrain_finish(&f);
    bird_pretrain_teardown(&f);
    return rc;
}
