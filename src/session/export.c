/* Writing a model folder anew. SPDX-License-Identifier: MIT */
#include "dnabird/export.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/stage.h"
#include "session/model.h"
#include "session/transformers.h"

void bird_export_options_default(bird_export_options *o)
{
    *o = (bird_export_options){.default_rate = 5};
}

/* The stranded lines of a threshold file as {"default", "fp_per_mb"}. */
static int read_thresholds(json_t **out, const bird_export_options *o)
{
    struct bird_text t = {0};
    json_t *table = json_array(), *j = json_object();
    double chosen = -1, last = 0;
    int rc = bird_file_read(&t, o->thresholds);
    char *line, *next = t.s;

    while (!rc && (line = strsep(&next, "\n"))) {
        double rate, value;

        if (sscanf(line, "stranded\t%lf\t%lf", &rate, &value) != 2)
            continue;
        if (!(rate > 0) || !(value >= 0 && value <= 1) || isinf(rate))
            continue;
        if (rate <= last)
            rc = bird_fail(BIRD_EINVAL,
                           "%s: %g false calls per Mb come after "
                           "%g: rates must rise",
                           o->thresholds, rate, last);
        last = rate;
        json_array_append_new(table, json_pack("[f,f]", rate, value));
        if (rate == o->default_rate)
            chosen = value;
    }
    if (!rc && chosen < 0)
        rc = bird_fail(BIRD_EINVAL,
                       "%s: no stranded threshold at %g false calls per Mb",
                       o->thresholds, o->default_rate);
    json_object_set_new(j, "default", json_real(chosen));
    json_object_set(j, "fp_per_mb", table);
    json_decref(table);
    bird_text_free(&t);
    if (rc)
        json_decref(j);
    else
        *out = j;
    return rc;
}

static int make_meta(json_t **out, const struct bird_folder *f,
                     const bird_export_options *o)
{
    json_t *meta = f->meta ? json_deep_copy(f->meta) : json_object();
    json_t *facts = NULL, *thresholds = NULL;
    int rc = meta ? 0 : bird_fail_memory(0);

    if (!rc)
        json_object_del(meta, "run");
    if (!rc && o->thresholds && !(rc = read_thresholds(&thresholds, o)))
        json_object_set_new(meta, "thresholds", thresholds);
    if (!rc && o->facts && !(rc = bird_json_open(&facts, o->facts)))
        json_object_update(meta, facts);
    json_decref(facts);
    if (rc)
        json_decref(meta);
    else
        *out = meta;
    return rc;
}

static int same_folder(const char *a, const char *b)
{
    struct stat s, t;

    return !stat(a, &s) && !stat(b, &t) && s.st_ino == t.st_ino &&
           s.st_dev == t.st_dev;
}

int bird_export(const char *from, const char *to, const bird_export_options *o)
{
    struct bird_model m = {0};
    struct bird_folder_parts parts = {0};
    struct bird_stage stage = {0};
    json_t *meta = NULL;
    int rc;

    if (same_folder(from, to))
        return bird_fail(BIRD_EINVAL, "%s and %s are one folder", from, to);
    if (!o->force && bird_folder_holds_model(to))
        return bird_fail(BIRD_EINVAL,
                         "%s: is there already and holds a model: give another "
                         "folder, or --force to replace it",
                         to);
    rc = bird_model_open_as(&m, from, NULL, -1);
    if (!rc && !o->compress) /* transformers opens no compressed weights */
        rc = bird_config_transformers(&m.folder.config, from);
    if (rc || (rc = bird_folder_identify(&m.folder)) ||
        (rc = make_meta(&meta, &m.folder, o)))
        goto done;
    parts = (struct bird_folder_parts){.config = &m.folder.config,
                                       .meta = meta,
                                       .tokenizer = m.folder.tokenizer,
                                       .block = m.block,
                                       .list = m.list,
                                       .n = m.n_param,
                                       .dtype = o->bf16 ? BIRD_BF16 : BIRD_F32,
                                       .compress = o->compress};
    rc = bird_stage_open(&stage, to, o->force ? bird_folder_is_part : NULL);
    if (!rc)
        rc = bird_folder_write(stage.path, &parts);
    if (!rc)
        rc = bird_folder_copy(from, stage.path, "baseline.safetensors");
    if (!rc)
        rc = bird_transformers_files(from, stage.path, &m.folder.config);
    if (!rc)
        rc = bird_stage_commit(&stage);
done:
    bird_stage_abort(&stage);
    json_decref(meta);
    bird_model_drop(&m);
    return rc;
}
