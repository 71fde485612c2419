/* Summaries of runs on variants as JSON. SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "dnabird/mutate.h"
#include "dnabird/variant.h"

static void put(json_t *j, const char *key, int64_t v)
{
    json_object_set_new(j, key, json_integer(v));
}

static void put_text(json_t *j, const char *key, const char *text)
{
    json_object_set_new_nocheck(j, key, json_string_nocheck(text));
}

static void put_model(json_t *j, const char *model, const char *digest,
                      const char *build, const char *notice)
{
    put_text(j, "model", model);
    put_text(j, "digest", digest);
    put_text(j, "warning", build);
    put_text(j, "notice", notice);
}

/* Seconds, the rate, and out; j is given up. */
static int write(json_t *j, const char *path, double seconds, int64_t n)
{
    int rc;

    json_object_set_new(j, "seconds", json_real(seconds));
    json_object_set_new(j, "per_second",
                        json_real(seconds > 0 ? (double)n / seconds : 0));
    rc = bird_json_write(j, path);
    json_decref(j);
    return rc;
}

int bird_variant_summary_write(const char *path, const bird_variant_summary *s,
                               double seconds)
{
    json_t *j = json_object(), *status = json_object();

    put(j, "records", s->n_record);
    put(j, "outside", s->n_outside);
    put(j, "by_index", s->by_index);
    put(j, "alleles", s->n_allele);
    for (int i = 0; i < BIRD_VARIANT_STATUSES; i++)
        put(status, bird_variant_status_name(i), s->status[i]);
    json_object_set_new(j, "status", status);
    put(j, "encoded_freely", s->n_free);
    put(j, "sequences", s->n_sequence);
    put(j, "cached_sequences", s->n_cached);
    put(j, "trimmed", s->n_trimmed);
    put(j, "moved_windows", s->n_moved);
    put(j, "short_windows", s->n_cut);
    put(j, "resumed", s->n_resumed);
    put(j, "window_bp", s->window_bp);
    put(j, "features", s->n_feature);
    json_object_set_new(j, "calibrated", json_boolean(s->calibrated));
    json_object_set_new(j, "indexed", json_boolean(s->indexed));
    put_text(j, "contigs", s->contigs);
    put_model(j, s->model, s->digest, s->build, s->notice);
    return write(j, path, seconds, s->n_allele);
}

int bird_background_summary_write(const char *path,
                                  const bird_background_summary *s,
                                  double seconds)
{
    json_t *j = json_object();

    put(j, "variants", s->n);
    put(j, "left_out", s->n_left);
    put(j, "features", s->n_feature);
    put(j, "sequences", s->n_sequence);
    put(j, "window_bp", s->window_bp);
    put_text(j, "path", s->path);
    put_text(j, "about", s->about);
    put_model(j, s->model, s->digest, s->build, s->notice);
    return write(j, path, seconds, s->n);
}

int bird_mutate_summary_write(const char *path, const bird_mutate_summary *s,
                              double seconds)
{
    json_t *j = json_object();

    put(j, "bases", s->n_base);
    put(j, "scored", s->n_scored);
    put(j, "features", s->n_feature);
    put(j, "sequences", s->n_sequence);
    put(j, "window_bp", s->window_bp);
    put(j, "short", s->is_short);
    put_model(j, s->model, s->digest, s->build, s->notice);
    return write(j, path, seconds, s->n_base);
}
