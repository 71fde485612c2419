/* What a run did, as a JSON object: of every command that scans a genome or
 * scores alleles. A summary is a list of members, in the order in which they
 * are written; those that several have are macros. docs/formats.md lists them.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/fail.h"
#include "base/json.h"
#include "dnabird/chromatin.h"
#include "dnabird/promoter.h"
#include "dnabird/variant.h"

struct member {
    const char *key;
    json_t *value; /* given up; NULL: memory was out */
};

#define INTEGER(key, n)                                                        \
    {                                                                          \
        key, json_integer(n)                                                   \
    }
/* NAN and infinity: null */
#define REAL(key, x)                                                           \
    {                                                                          \
        key, isfinite(x) ? json_real(x) : json_null()                          \
    }
#define TRUTH(key, is)                                                         \
    {                                                                          \
        key, json_boolean(is)                                                  \
    }
#define TEXT(key, s)                                                           \
    {                                                                          \
        key, bird_json_string(s)                                               \
    }

/* What both scans count. */
#define SCAN(s)                                                                \
    TRUTH("calibrated", (s)->calibrated), INTEGER("sequences", (s)->n_contig), \
        INTEGER("empty", (s)->n_empty), INTEGER("bp", (s)->n_bp),              \
        INTEGER("skipped_unknown", (s)->n_unknown),                            \
        INTEGER("skipped_short", (s)->n_short),                                \
        INTEGER("trimmed", (s)->n_trimmed), INTEGER("rows", (s)->n_row),       \
        REAL("threshold", (s)->threshold)

/* The end of every summary: the model, and the rate of n in some seconds. */
#define END(s, seconds, rate, n)                                               \
    TEXT("model", (s)->model), TEXT("digest", (s)->digest),                    \
        TEXT("warning", (s)->build), TEXT("notice", (s)->notice),              \
        REAL("seconds", seconds),                                              \
        REAL(rate, (seconds) > 0 ? (double)(n) / (seconds) : 0),               \
    {                                                                          \
        NULL, NULL                                                             \
    }

static int write_summary(const char *path, const struct member *m)
{
    json_t *j = json_object();
    int rc = 0;

    for (; m->key; m++)
        if (json_object_set_new_nocheck(j, m->key, m->value))
            rc = bird_fail_memory(0);
    if (!rc)
        rc = bird_json_write(j, path);
    json_decref(j);
    return rc;
}

int bird_promoter_summary_write(const char *path,
                                const bird_promoter_summary *s, double seconds)
{
    const struct member m[] = {INTEGER("windows", s->n_window),
                               INTEGER("strands", s->n_strand),
                               INTEGER("scored", s->n_scored),
                               INTEGER("repeated", s->n_repeated),
                               INTEGER("window_bp", s->window_bp),
                               INTEGER("stride_bp", s->stride_bp),
                               INTEGER("bin_bp", s->bin_bp),
                               SCAN(s),
                               END(s, seconds, "bp_per_second", s->n_bp)};

    return write_summary(path, m);
}

int bird_chromatin_summary_write(const char *path,
                                 const bird_chromatin_summary *s,
                                 double seconds)
{
    const struct member m[] = {INTEGER("bins", s->n_bins),
                               INTEGER("files", s->n_file),
                               INTEGER("features", s->n_feature),
                               INTEGER("bin_bp", s->bin_bp),
                               INTEGER("context_bp", s->context_bp),
                               INTEGER("beyond_end", s->n_beyond),
                               INTEGER("strands", 1 + s->both_strands),
                               SCAN(s),
                               END(s, seconds, "bp_per_second", s->n_bp)};

    return write_summary(path, m);
}

/* How many alleles (of NO_ALT: records) have each status. */
static json_t *count_statuses(const bird_variant_summary *s)
{
    json_t *j = json_object();

    for (int i = 0; i < BIRD_VARIANT_STATUSES; i++)
        if (json_object_set_new(j, bird_variant_status_name(i),
                                json_integer(s->status[i]))) {
            json_decref(j);
            return NULL;
        }
    return j;
}

int bird_variant_summary_write(const char *path, const bird_variant_summary *s,
                               double seconds)
{
    int64_t done = s->n_allele - s->n_resumed_allele; /* in these seconds */
    const struct member m[] = {INTEGER("records", s->n_record),
                               INTEGER("outside", s->n_outside),
                               INTEGER("by_index", s->by_index),
                               INTEGER("alleles", s->n_allele),
                               {"status", count_statuses(s)},
                               INTEGER("encoded_freely", s->n_free),
                               INTEGER("sequences", s->n_sequence),
                               INTEGER("cached_sequences", s->n_cached),
                               INTEGER("from_table", s->n_table),
                               INTEGER("trimmed", s->n_trimmed),
                               INTEGER("moved_windows", s->n_moved),
                               INTEGER("short_windows", s->n_cut),
                               INTEGER("resumed", s->n_resumed),
                               INTEGER("window_bp", s->window_bp),
                               INTEGER("features", s->n_feature),
                               INTEGER("motifs", s->n_motif),
                               TEXT("shifts", s->shifts),
                               TEXT("tokens", s->tokens),
                               INTEGER("draws", s->n_replicate),
                               TRUTH("calibrated", s->calibrated),
                               TRUTH("indexed", s->indexed),
                               TEXT("contigs", s->contigs),
                               END(s, seconds, "per_second", done)};

    return write_summary(path, m);
}

int bird_background_summary_write(const char *path,
                                  const bird_background_summary *s,
                                  double seconds)
{
    const struct member m[] = {INTEGER("variants", s->n),
                               INTEGER("left_out", s->n_left),
                               INTEGER("features", s->n_feature),
                               INTEGER("sequences", s->n_sequence),
                               INTEGER("window_bp", s->window_bp),
                               TEXT("path", s->path),
                               TEXT("about", s->about),
                               END(s, seconds, "per_second", s->n)};

    return write_summary(path, m);
}

int bird_attribute_summary_write(const char *path,
                                 const bird_attribute_summary *s,
                                 double seconds)
{
    const struct member m[] = {INTEGER("regions", s->n_region),
                               INTEGER("bases", s->n_base),
                               INTEGER("scored", s->n_scored),
                               INTEGER("steps", s->steps),
                               INTEGER("forward_passes", s->n_forward),
                               INTEGER("backward_passes", s->n_backward),
                               INTEGER("window_bp", s->window_bp),
                               REAL("log_odds", s->at),
                               REAL("baseline_log_odds", s->at_baseline),
                               REAL("sum", s->sum),
                               REAL("completeness_error", s->completeness),
                               INTEGER("short", s->is_short),
                               END(s, seconds, "per_second", s->n_base)};

    return write_summary(path, m);
}

int bird_mutate_summary_write(const char *path, const bird_mutate_summary *s,
                              double seconds)
{
    int64_t done = s->n_base - s->n_resumed; /* in these seconds */
    const struct member m[] = {
        INTEGER("bases", s->n_base),        INTEGER("scored", s->n_scored),
        INTEGER("features", s->n_feature),  INTEGER("sequences", s->n_sequence),
        INTEGER("rows", s->n_row),          INTEGER("resumed", s->n_resumed),
        INTEGER("window_bp", s->window_bp), INTEGER("short", s->is_short),
        END(s, seconds, "per_second", done)};

    return write_summary(path, m);
}
