/* Opening a model to run it. SPDX-License-Identifier: MIT */
#include "predict/opened.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "dnabird/model.h"

int bird_opened_open(struct bird_opened *m, const char *path,
                     const char *fallback, int need_tokenizer)
{
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
    if (rc || (rc = bird_folder_weights(&o.block, &o.list, &o.n_param, &o.total,
                                        &o.folder)))
        goto done;
    /* the block holds all of it now */
    bird_tensors_free(o.folder.tensors);
    o.folder.tensors = NULL;
    rc = bird_weights_bind(&o.w, o.block, o.list, o.n_param, &o.folder.config);
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
    return rc;
}

void bird_opened_close(struct bird_opened *m)
{
    bird_weights_free(&m->w);
    bird_tokenizer_free(m->tokenizer);
    bird_folder_free(&m->folder);
    free(m->block);
    free(m->list);
    *m = (struct bird_opened){0};
}

void bird_folder_name(char *out, size_t size, const char *path)
{
    size_t n = strlen(path), from;

    while (n > 1 && path[n - 1] == '/')
        n--;
    for (from = n; from > 0 && path[from - 1] != '/'; from--)
        ;
    snprintf(out, size, "%.*s", (int)(n - from), path + from);
}
