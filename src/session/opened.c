/* Opening a model to run it. SPDX-License-Identifier: MIT */
#include "session/opened.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/timer.h"
#include "dnabird/model.h"

int bird_opened_open(struct bird_opened *m, const char *path,
                     const char *fallback, int need_tokenizer)
{
    enum bird_phase before = bird_timer_enter(BIRD_PHASE_OPEN);
    struct bird_opened o = {0};
    char *found = NULL;
    int rc = path ? 0 : bird_default_model(&found, fallback);

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
    if (!rc && o.tokenizer &&
        bird_tokenizer_count(o.tokenizer) > o.folder.config.vocab_size)
        rc = bird_fail(
            BIRD_EFORMAT, "%s: the tokenizer has %lld tokens, the model %lld",
            o.folder.path, (long long)bird_tokenizer_count(o.tokenizer),
            (long long)o.folder.config.vocab_size);
done:
    free(found);
    if (rc)
        bird_opened_close(&o);
    else
        *m = o;
    bird_timer_leave(before);
    return rc;
}

int bird_opened_run(struct bird_opened *m, const bird_model_run *r)
{
    enum bird_phase before = bird_timer_enter(BIRD_PHASE_OPEN);
    int rc = bird_config_run(&m->folder.config, r, m->folder.path);

    if (!rc)
        rc = bird_weights_prepare(&m->w, &m->folder.config, r->precision,
                                  !m->own);
    bird_timer_leave(before);
    return rc;
}

void bird_opened_close(struct bird_opened *m)
{
    bird_weights_free(&m->w);
    bird_tokenizer_free(m->tokenizer);
    bird_folder_free(&m->folder);
    free(m->own);
    free(m->list);
    *m = (struct bird_opened){0};
}
