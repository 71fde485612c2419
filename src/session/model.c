/* A model object from opening to closing: the folder's configuration, weights
 * in memory or mapped, tokenizer. Weights that are stored as they are run stay
 * mapped, so that many processes share them; others are expanded into memory of
 * their own. SPDX-License-Identifier: MIT */
#include "session/model.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/timer.h"
#include "folder/feature.h"
#include "head/head.h"
#include "session/layout.h"
#include "session/model_parts.h"

static int open_folder(struct bird_model *m, const char *path, int no_tokenizer)
{
    int rc = bird_folder_open(&m->folder, path);

    if (rc)
        return rc;
    if (!no_tokenizer && !m->folder.tokenizer)
        return bird_fail(BIRD_EINVAL, "%s: no tokenizer.json in the model",
                         m->folder.path);
    if (!no_tokenizer)
        rc = bird_tokenizer_open(&m->tokenizer, m->folder.tokenizer);
    if (rc || (rc = bird_folder_weights_shared(&m->block, &m->own, &m->list,
                                               &m->n_param, &m->folder)))
        return rc;
    if (m->own) { /* the block holds all of the weights now */
        bird_tensors_free(m->folder.tensors);
        m->folder.tensors = NULL;
    }
    /* nobody writes through these pointers: the file is mapped read-only */
    rc = bird_weights_bind(&m->w, (float *)(uintptr_t)m->block, m->list,
                           m->n_param, &m->folder.config);
    if (!rc && m->tokenizer)
        rc = bird_config_check_tokenizer(&m->folder.config, m->tokenizer,
                                         m->folder.path);
    return rc;
}

/* Take over how the model is to be run, before an encoder is made of it. */
static int prepare(struct bird_model *m, const bird_model_run *r)
{
    int rc = bird_config_run(&m->folder.config, r, m->folder.path);

    m->pad_to = r->pad_to;
    return rc ? rc
              : bird_weights_prepare(&m->w, &m->folder.config, r->precision,
                                     !m->own);
}

int bird_model_open_for(bird_model **out, const char *folder,
                        const struct bird_model_use *use)
{
    char *found = NULL;
    bird_model *m = calloc(1, sizeof(*m));
    enum bird_phase before;
    int rc;

    if (!m)
        return bird_fail_memory(sizeof(*m));
    before = bird_timer_enter(BIRD_PHASE_OPEN);
    rc = folder ? 0 : bird_default_model(&found, NULL);
    if (!rc)
        rc = open_folder(m, folder ? folder : found, use->no_tokenizer);
    if (!rc && use->run)
        rc = prepare(m, use->run);
    bird_timer_leave(before);
    free(found);
    if (!rc && use->identify)
        rc = bird_folder_identify(&m->folder);
    if (rc)
        bird_model_close(m);
    else
        *out = m;
    return rc;
}

int bird_model_open(bird_model **out, const char *folder,
                    const bird_model_run *run)
{
    bird_model_run as_folder;

    if (!out)
        return bird_fail(BIRD_EINVAL, "bird_model_open: out is NULL");
    bird_model_run_default(&as_folder);
    return bird_model_open_for(
        out, folder,
        &(struct bird_model_use){.run = run ? run : &as_folder, .identify = 1});
}

int bird_model_borrow(bird_model **out, const struct bird_config *c,
                      const struct bird_weights *w, const bird_tokenizer *t)
{
    bird_model *m = calloc(1, sizeof(*m));

    if (!m)
        return bird_fail_memory(sizeof(*m));
    *m = (struct bird_model){.folder = {.config = *c},
                             .w = *w,
                             /* read only, as all of an open model */
                             .tokenizer = (bird_tokenizer *)(uintptr_t)t,
                             .borrowed = 1};
    *out = m;
    return 0;
}

void bird_model_close(bird_model *m)
{
    if (m && !m->borrowed) {
        bird_weights_free(&m->w);
        bird_tokenizer_free(m->tokenizer);
        bird_folder_free(&m->folder);
        free(m->own);
        free(m->list);
    }
    free(m);
}

int bird_model_check_answers(const struct bird_model *m)
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
    return 0;
}

int bird_model_check_scores(const struct bird_model *m)
{
    int rc = bird_model_check_answers(m);

    if (!rc && bird_config_measures(&m->folder.config))
        rc = bird_fail(BIRD_EINVAL,
                       "%s predicts measured values, but this command needs a "
                       "model that predicts probabilities: leave -m out for "
                       "the one that comes with dnabird",
                       m->folder.path);
    return rc;
}

/* --- facts --------------------------------------------------------------- */

const char *bird_model_path(const bird_model *m)
{
    return m->folder.path ? m->folder.path : "the model";
}

const char *bird_model_digest(const bird_model *m)
{
    return m->folder.digest;
}

void bird_model_title(char out[BIRD_MODEL_TITLE], const bird_model *m)
{
    _Static_assert((int)BIRD_MODEL_TITLE == (int)BIRD_FOLDER_TITLE, "one size");
    bird_folder_title(out, &m->folder);
}

const struct bird_config *bird_model_config(const bird_model *m)
{
    return &m->folder.config;
}

int bird_model_strand_check(enum bird_strand asked)
{
    return asked == BIRD_STRAND_MODEL || asked == BIRD_STRAND_PLUS ||
                   asked == BIRD_STRAND_BOTH
               ? 0
               : bird_fail(BIRD_EINVAL,
                           "strand %d: the strand is that of the model, the "
                           "given one or both",
                           (int)asked);
}

enum bird_strand bird_model_strand(const struct bird_model *m,
                                   enum bird_strand asked)
{
    const json_t *strand = json_object_get(m->folder.meta, "strand");
    const char *own = json_string_value(strand);

    if (asked != BIRD_STRAND_MODEL)
        return asked;
    return own && !strcmp(own, "both") ? BIRD_STRAND_BOTH : BIRD_STRAND_PLUS;
}

const struct bird_weights *bird_model_weights(const bird_model *m)
{
    return &m->w;
}

const bird_tokenizer *bird_model_tokenizer(const bird_model *m)
{
    return m->tokenizer;
}

const json_t *bird_model_meta(const bird_model *m)
{
    return m->folder.meta;
}

const json_t *bird_model_label_names(const bird_model *m)
{
    return m->folder.labels;
}

const int32_t *bird_model_strand_pair(const bird_model *m)
{
    return m->folder.strand_pair;
}

int64_t bird_model_window(const bird_model *m)
{
    return m->folder.window_bp;
}

int64_t bird_model_stride(const bird_model *m)
{
    return m->folder.stride_bp;
}

int bird_model_features(bird_features *out, const bird_model *m)
{
    return bird_features_read(out, &m->folder);
}

int64_t bird_model_features_command(int64_t *column, const bird_features *f,
                                    const bird_model *m, const char *command)
{
    return bird_features_command(column, f, &m->folder, command);
}

int bird_model_features_choose(uint8_t *mark, const bird_features *f,
                               const bird_model *m, const char *command,
                               const char *text)
{
    return bird_features_choose(mark, f, &m->folder, command, text);
}

int bird_model_fail_window(const bird_model *m, const char *option)
{
    return bird_folder_fail_window(&m->folder, option);
}

int bird_model_check_stamp(const bird_model *m)
{
    return bird_folder_check_stamp(&m->folder);
}
