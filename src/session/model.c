/* Opening a model to run it: folder, weights in memory or mapped, tokenizer.
 * SPDX-License-Identifier: MIT */
#include "session/model.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/timer.h"
#include "head/head.h"

int bird_model_open_as(struct bird_model *m, const char *path,
                       int need_tokenizer)
{
    struct bird_model o = {0};
    char *found = NULL;
    enum bird_phase before = bird_timer_enter(BIRD_PHASE_OPEN);
    int rc = path ? 0 : bird_default_model(&found, NULL);

    if (rc || (rc = bird_folder_open(&o.folder, path ? path : found)))
        goto done;
    if (o.folder.tokenizer && need_tokenizer >= 0)
        rc = bird_tokenizer_open(&o.tokenizer, o.folder.tokenizer);
    else if (need_tokenizer > 0)
        rc = bird_fail(BIRD_EINVAL, "%s: no tokenizer.json in the model",
                       o.folder.path);
    if (rc || (rc = bird_folder_weights_shared(&o.block, &o.own, &o.list,
                                               &o.n_param, &o.folder)))
        goto done;
    if (o.own) { /* the block holds all of it now */
        bird_tensors_free(o.folder.tensors);
        o.folder.tensors = NULL;
    }
    /* nobody writes through these pointers: the file is mapped read-only */
    rc = bird_weights_bind(&o.w, (float *)(uintptr_t)o.block, o.list, o.n_param,
                           &o.folder.config);
    if (!rc && o.tokenizer)
        rc = bird_config_check_tokenizer(&o.folder.config, o.tokenizer,
                                         o.folder.path);
done:
    bird_timer_leave(before);
    free(found);
    if (rc)
        bird_model_drop(&o);
    else
        *m = o;
    return rc;
}

int bird_model_prepare(struct bird_model *m, const bird_model_run *r)
{
    int rc = bird_config_run(&m->folder.config, r, m->folder.path);
    enum bird_phase before = bird_timer_enter(BIRD_PHASE_OPEN);

    m->pad_to = r->pad_to;
    if (!rc)
        rc = bird_weights_prepare(&m->w, &m->folder.config, r->precision,
                                  !m->own);
    bird_timer_leave(before);
    return rc;
}

int bird_model_check_scores(const struct bird_model *m)
{
    const struct bird_config *c = &m->folder.config;
    const char *path = m->folder.path;

    if (!bird_head_scores(c))
        return bird_file_is_in(path, "dnabird.json")
                   ? bird_fail(BIRD_EINVAL,
                               "%s has no head that scores sequences: "
                               "fine-tune one",
                               path)
                   : bird_fail(BIRD_EINVAL,
                               "%s has no head that scores sequences; its "
                               "head may be one that dnabird.json names, but "
                               "%s/dnabird.json is missing",
                               path, path);
    if (c->problem == BIRD_PROBLEM_REGRESSION)
        return bird_fail(BIRD_EINVAL,
                         "%s learned a quantity: this command takes a model "
                         "of probabilities",
                         path);
    return 0;
}

int bird_model_load(struct bird_model *m, const char *path,
                    const bird_model_run *r)
{
    int rc = bird_model_open_as(m, path, 1);

    if (!rc)
        rc = bird_model_prepare(m, r);
    return rc ? rc : bird_folder_identify(&m->folder);
}

void bird_model_view(struct bird_model *m, const struct bird_config *c,
                     const struct bird_weights *w, const bird_tokenizer *t)
{
    *m = (struct bird_model){.folder = {.config = *c}, .w = *w};
    /* read only, as all of an open model */
    m->tokenizer = (bird_tokenizer *)(uintptr_t)t;
}

void bird_model_drop(struct bird_model *m)
{
    bird_weights_free(&m->w);
    bird_tokenizer_free(m->tokenizer);
    bird_folder_free(&m->folder);
    free(m->own);
    free(m->list);
    *m = (struct bird_model){0};
}

int bird_model_open(bird_model **out, const char *folder,
                    const bird_model_run *run)
{
    bird_model_run as_folder;
    bird_model *m = calloc(1, sizeof(*m));
    int rc;

    if (!m)
        return bird_fail_memory(sizeof(*m));
    bird_model_run_default(&as_folder);
    rc = bird_model_load(m, folder, run ? run : &as_folder);
    if (rc)
        bird_model_close(m);
    else
        *out = m;
    return rc;
}

void bird_model_close(bird_model *m)
{
    if (m)
        bird_model_drop(m);
    free(m);
}

int64_t bird_model_window(const bird_model *m)
{
    return m->folder.window_bp;
}
