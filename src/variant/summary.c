/* What a run did, as a JSON object: of every command that scans a genome or
 * scores alleles. Numbers of its own first, then the model and the rate, which
 * all have. docs/formats.md lists the members.
 * SPDX-License-Identifier: MIT */
#include "base/fail.h"
#include "base/json.h"
#include "dnabird/chromatin.h"
#include "dnabird/promoter.h"
#include "dnabird/variant.h"

struct number {
    const char *key; /* NULL: the end */
    int64_t value;
};

static void put_numbers(json_t *j, const struct number *n)
{
    for (; n->key; n++)
        json_object_set_new(j, n->key, json_integer(n->value));
}

static void put_truth(json_t *j, const char *key, int v)
{
    json_object_set_new(j, key, json_boolean(v));
}

/* What the end of every summary says; put in front of it: j, which is given
 * up. */
struct ending {
    const char *model, *digest, *warning, *notice;
    const char *rate; /* of n in `seconds` */
    int64_t n;
    double seconds;
};

static int write_summary(const char *path, json_t *j, const struct ending *e)
{
    const char *const text[][2] = {{"model", e->model},
                                   {"digest", e->digest},
                                   {"warning", e->warning},
                                   {"notice", e->notice}};
    int rc = 0;

    for (int i = 0; i < 4; i++)
        json_object_set_new_nocheck(j, text[i][0],
                                    json_string_nocheck(text[i][1]));
    json_object_set_new(j, "seconds", json_real(e->seconds));
    if (json_object_set_new(
            j, e->rate,
            json_real(e->seconds > 0 ? (double)e->n / e->seconds : 0)))
        rc = bird_fail_memory(0);
    if (!rc)
        rc = bird_json_write(j, path);
    json_decref(j);
    return rc;
}

int bird_promoter_summary_write(const char *path,
                                const bird_promoter_summary *s, double seconds)
{
    json_t *j = json_object();

    put_numbers(j, (const struct number[]){{"windows", s->n_window},
                                           {"strands", s->n_strand},
                                           {"scored", s->n_scored},
                                           {"repeated", s->n_repeated},
                                           {"window_bp", s->window_bp},
                                           {"stride_bp", s->stride_bp},
                                           {0}});
    put_truth(j, "calibrated", s->calibrated);
    put_numbers(j, (const struct number[]){{"sequences", s->n_contig},
                                           {"empty", s->n_empty},
                                           {"bp", s->n_bp},
                                           {"skipped_unknown", s->n_unknown},
                                           {"skipped_short", s->n_short},
                                           {"trimmed", s->n_trimmed},
                                           {"rows", s->n_row},
                                           {0}});
    json_object_set_new(j, "threshold", json_real(s->threshold));
    return write_summary(path, j,
                         &(struct ending){s->model, s->digest, s->build,
                                          s->notice, "bp_per_second", s->n_bp,
                                          seconds});
}

int bird_chromatin_summary_write(const char *path,
                                 const bird_chromatin_summary *s,
                                 double seconds)
{
    json_t *j = json_object();

    put_numbers(j, (const struct number[]){{"bins", s->n_bin},
                                           {"files", s->n_file},
                                           {"features", s->n_feature},
                                           {"bin_bp", s->bin_bp},
                                           {"context_bp", s->context_bp},
                                           {"beyond_end", s->n_beyond},
                                           {"strands", 1 + s->both_strands},
                                           {0}});
    put_truth(j, "calibrated", s->calibrated);
    put_numbers(j, (const struct number[]){{"sequences", s->n_contig},
                                           {"empty", s->n_empty},
                                           {"bp", s->n_bp},
                                           {"skipped_unknown", s->n_unknown},
                                           {"skipped_short", s->n_short},
                                           {"trimmed", s->n_trimmed},
                                           {"rows", s->n_row},
                                           {0}});
    json_object_set_new(j, "threshold", json_real(s->threshold));
    return write_summary(path, j,
                         &(struct ending){s->model, s->digest, s->build,
                                          s->notice, "bp_per_second", s->n_bp,
                                          seconds});
}

int bird_variant_summary_write(const char *path, const bird_variant_summary *s,
                               double seconds)
{
    json_t *j = json_object(), *status = json_object();

    put_numbers(j, (const struct number[]){{"records", s->n_record},
                                           {"outside", s->n_outside},
                                           {"by_index", s->by_index},
                                           {"alleles", s->n_allele},
                                           {0}});
    for (int i = 0; i < BIRD_VARIANT_STATUSES; i++)
        json_object_set_new(status, bird_variant_status_name(i),
                            json_integer(s->status[i]));
    json_object_set_new(j, "status", status);
    put_numbers(j, (const struct number[]){{"encoded_freely", s->n_free},
                                           {"sequences", s->n_sequence},
                                           {"cached_sequences", s->n_cached},
                                           {"trimmed", s->n_trimmed},
                                           {"moved_windows", s->n_moved},
                                           {"short_windows", s->n_cut},
                                           {"resumed", s->n_resumed},
                                           {"window_bp", s->window_bp},
                                           {"features", s->n_feature},
                                           {0}});
    put_truth(j, "calibrated", s->calibrated);
    put_truth(j, "indexed", s->indexed);
    json_object_set_new_nocheck(j, "contigs", json_string_nocheck(s->contigs));
    return write_summary(path, j,
                         &(struct ending){s->model, s->digest, s->build,
                                          s->notice, "per_second", s->n_allele,
                                          seconds});
}

int bird_background_summary_write(const char *path,
                                  const bird_background_summary *s,
                                  double seconds)
{
    json_t *j = json_object();

    put_numbers(j, (const struct number[]){{"variants", s->n},
                                           {"left_out", s->n_left},
                                           {"features", s->n_feature},
                                           {"sequences", s->n_sequence},
                                           {"window_bp", s->window_bp},
                                           {0}});
    json_object_set_new_nocheck(j, "path", json_string_nocheck(s->path));
    json_object_set_new_nocheck(j, "about", json_string_nocheck(s->about));
    return write_summary(path, j,
                         &(struct ending){s->model, s->digest, s->build,
                                          s->notice, "per_second", s->n,
                                          seconds});
}

int bird_mutate_summary_write(const char *path, const bird_mutate_summary *s,
                              double seconds)
{
    json_t *j = json_object();

    put_numbers(j, (const struct number[]){{"bases", s->n_base},
                                           {"scored", s->n_scored},
                                           {"features", s->n_feature},
                                           {"sequences", s->n_sequence},
                                           {"window_bp", s->window_bp},
                                           {"short", s->is_short},
                                           {0}});
    return write_summary(path, j,
                         &(struct ending){s->model, s->digest, s->build,
                                          s->notice, "per_second", s->n_base,
                                          seconds});
}
