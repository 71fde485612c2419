/* Marks from which a run on variants can be resumed.
 * SPDX-License-Identifier: MIT */
#include "variant/variant_resume.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/order.h"
#include "dnabird/dnabird.h"

void bird_order_free(struct bird_order *o)
{
    json_decref(o->met);
    free(o->contig);
    *o = (struct bird_order){0};
}

int bird_order_put(struct bird_order *o, const struct bird_vcf_record *r)
{
    int64_t end = bird_larger(r->end, r->pos + (int64_t)strlen(r->ref));
    const char *key;
    json_t *name;
    int bad;

    if (end > o->largest)
        o->largest = end;
    if (o->contig && !strcmp(o->contig, r->contig)) {
        if (r->pos < o->pos && !o->unsorted)
            o->unsorted = r->number;
        o->pos = r->pos;
        return 0;
    }
    if ((!o->met && !(o->met = json_object())) ||
        !(name = bird_json_string(r->contig)))
        return bird_fail_memory(0);
    key = json_string_value(name);
    if (json_object_get(o->met, key) && !o->unsorted)
        o->unsorted = r->number;
    bad = json_object_set_new(o->met, key, json_true());
    json_decref(name);
    if (bad)
        return bird_fail_memory(0);
    free(o->contig);
    o->contig = strdup(r->contig);
    o->pos = r->pos;
    return o->contig ? 0 : bird_fail_memory(strlen(r->contig));
}

static int put(json_t *o, const char *key, const char *text)
{
    return json_object_set_new(o, key, bird_json_string(text ? text : ""))
               ? bird_fail_memory(0)
               : 0;
}

static int put_number(json_t *o, const char *key, double v)
{
    return json_object_set_new(o, key, json_real(v)) ? bird_fail_memory(0) : 0;
}

/* A file that the output depends on, as its SHA-256; a stream, which is read
 * once, as its name; NULL: none. */
static int put_file(json_t *o, const char *key, const char *path)
{
    char hex[65] = "";
    int rc =
        path && !bird_file_is_stream(path) ? bird_file_sha256(hex, path) : 0;

    return rc ? rc : put(o, key, path ? (*hex ? hex : path) : "");
}

/* The background file of a model; NULL: no model. */
static int put_background(json_t *out, const char *key,
                          const struct bird_variant_context *context)
{
    char *path = NULL;
    int rc = context && context->calibrated
                 ? bird_context_calibration(&path, context)
                 : 0;

    if (!rc)
        rc = put_file(out, key, path);
    free(path);
    return rc;
}

static const char ref_policy[] = "check of REF";

int bird_resume_settings(json_t *out, const bird_model *m)
{
    static const char *const other[] = {
        "provenance", "provenance_data", "measured",  "checksums", "note",
        "run",        "genome",          "thresholds"};
    const json_t *meta = m ? bird_model_meta(m) : NULL;
    json_t *j = meta ? json_copy((json_t *)(uintptr_t)meta) : json_object();
    char hex[65], *text = NULL;

    for (size_t i = 0; j && i < sizeof(other) / sizeof(*other); i++)
        json_object_del(j, other[i]);
    if (j)
        text = bird_json_dump(j, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(j);
    if (!text)
        return bird_fail_memory(0);
    bird_sha256(hex, text, strlen(text));
    free(text);
    return put(out, "dnabird.json", hex);
}

int bird_resume_model(json_t *out, const struct bird_variant_context *context,
                      const struct bird_selected_scores *selected)
{
    char hex[65];
    int rc = put_background(out, "background", context);

    if (!rc)
        rc = bird_resume_settings(out, context->model);
    if (rc)
        return rc;
    /* @FILE may have changed */
    bird_sha256(hex, selected->n_feature ? (void *)selected->feature : "",
                (size_t)selected->n_feature * sizeof(*selected->feature));
    return put(out, "set of features", hex);
}

/* The second, masked-language model; NULL: none. */
static int put_second(json_t *out, const struct bird_variant_context *second)
{
    int rc = put(out, "zero-shot model",
                 second ? bird_model_digest(second->model) : NULL);

    return rc ? rc : put_background(out, "zero-shot background", second);
}

/* The motifs whose changes are scored: the file's digest, or "jaspar". */
static int put_motifs(json_t *out, const bird_variant_options *o)
{
    if (o->motifs && strcmp(o->motifs, "jaspar") != 0 &&
        strcmp(o->motifs, "none") != 0)
        return put_file(out, "file of motifs", o->motifs);
    return put(out, "file of motifs", o->motifs);
}

/* The header of the input; its records are hashed while they are read. */
static int put_input(json_t *out, const struct bird_vcf *v)
{
    struct bird_text t = {0};
    char hex[65];
    int rc = bird_vcf_header_text(&t, v);

    if (!rc) {
        bird_sha256(hex, t.s, (size_t)t.n);
        rc = put(out, "header of the input", hex);
    }
    bird_text_free(&t);
    return rc;
}

int bird_resume_identity(json_t **out, const bird_variant_options *o,
                         const char *format,
                         const struct bird_variant_context *context,
                         const struct bird_variant_context *second,
                         const struct bird_selected_scores *selected,
                         const struct bird_vcf *v)
{
    struct bird_text reference = {0};
    json_t *j = json_object();
    int rc =
        j ? bird_context_reference(&reference, context) : bird_fail_memory(0);

    if (rc || (rc = put(j, "version", bird_version())) ||
        (rc = put(j, "model",
                  context->model ? bird_model_digest(context->model) : NULL)) ||
        (rc = put(j, "reference", reference.s)) || (rc = put_input(j, v)) ||
        (rc = put_file(j, "contig map", o->contig_map)) ||
        (rc = put_file(j, "genes", o->genes)) ||
        (rc = put_file(j, "regions file", o->regions)) ||
        (rc = put(j, "region", o->region)) ||
        (rc = put(j, "part of the records", o->shard)) ||
        (rc = put_number(j, "use of an index", bird_vcf_is_limited(v))) ||
        (rc = put(j, "list of features", o->features)) ||
        (rc = put(j, "list of scores", o->scores)) ||
        (rc = put(j, "prefix", o->prefix)) ||
        (rc = put(j, "label of columns", o->label)) ||
        (rc = put(j, "format", format)) ||
        (rc = put_number(j, "window", (double)context->settings.window_bp)) ||
        (rc = put_number(j, "shift", (double)context->how.shift[0])) ||
        (rc = put_number(j, "span", (double)context->how.span_bp)) ||
        (rc = put_number(j, "largest share of N", o->params.max_unknown)) ||
        (rc = put_number(j, "strand", o->params.strand)) ||
        (rc = put(j, "list of shifts", context->settings.shifts)) ||
        (rc = put_number(j, "tokenization of ALT", context->settings.tokens)) ||
        (rc = put_number(j, "precision", o->params.precision)) ||
        (rc = put_number(j, ref_policy, o->check_ref)) ||
        (rc = put_number(j, "number of features", (double)o->top)) ||
        (rc = put_number(j, "choice of genotypes", o->drop_genotypes)) ||
        (rc = put_number(j, "layout of rows", o->long_rows)) ||
        (rc = put_number(j, "choice of provenance", o->no_version)) ||
        /* last, since they follow from options above, which a message should
           name first */
        (rc = put_motifs(j, o)) || (rc = put_second(j, second)) ||
        (rc = bird_resume_model(j, context, selected)) ||
        (rc = put(j, "command", o->command)))
        json_decref(j);
    else
        *out = j;
    bird_text_free(&reference);
    return rc;
}

struct number {
    const char *key;
    int64_t *at;
};

/* Numbers of a summary and of the order that a mark has. */
enum { N_NUMBER = 12 };

/* Hashes have 64 bits, integers in JSON 63 and a sign: write them as text. */
static int put_sum(json_t *j, const char *key, uint64_t sum)
{
    char text[32];

    snprintf(text, sizeof(text), "%016llx", (unsigned long long)sum);
    return json_object_set_new(j, key, json_string(text));
}

static uint64_t take_sum(const json_t *j, const char *key)
{
    const char *text = json_string_value(json_object_get(j, key));

    return text ? strtoull(text, NULL, 16) : 0;
}

static void list_numbers(struct number out[N_NUMBER], bird_variant_summary *s,
                         struct bird_order *o)
{
    const struct number n[N_NUMBER] = {{"records", &s->n_record},
                                       {"outside", &s->n_outside},
                                       {"alleles", &s->n_allele},
                                       {"free", &s->n_free},
                                       {"from table", &s->n_table},
                                       {"moved", &s->n_moved},
                                       {"cut", &s->n_cut},
                                       {"pos", &o->pos},
                                       {"largest", &o->largest},
                                       {"unsorted", &o->unsorted},
                                       {"block records", &o->block_n},
                                       {"block bytes", &o->block_bytes}};

    memcpy(out, n, sizeof(n));
}

int bird_resume_state(json_t **out, json_t *identity,
                      const bird_variant_summary *sum,
                      const struct bird_order *order)
{
    bird_variant_summary s = *sum;
    struct bird_order o = *order;
    struct number n[N_NUMBER];
    json_t *j = json_object(), *status = json_array();
    int bad = !j || !status;

    list_numbers(n, &s, &o);
    for (int i = 0; i < N_NUMBER && !bad; i++)
        bad = json_object_set_new(j, n[i].key, json_integer(*n[i].at));
    for (int i = 0; i < BIRD_VARIANT_STATUSES && !bad; i++)
        bad = json_array_append_new(status, json_integer(s.status[i]));
    bad = bad || json_object_set(j, "status", status) ||
          json_object_set(j, "identity", identity) ||
          put_sum(j, "read", o.read) || put_sum(j, "bases", o.bases) ||
          json_object_set_new(j, "contig",
                              bird_json_string(o.contig ? o.contig : ""));
    if (!bad && o.met)
        bad = json_object_set(j, "contigs", o.met);
    json_decref(status);
    if (bad) {
        json_decref(j);
        return bird_fail_memory(0);
    }
    *out = j;
    return 0;
}

int bird_resume_check(const json_t *was, const json_t *is, const char *output)
{
    /* a run that was to end at a REF that differs had met none: go on by any
       policy, whose option is part of the command */
    const json_t *policy = json_object_get(was, ref_policy);
    int any_policy = json_is_number(policy) &&
                     (int)json_number_value(policy) == BIRD_REF_ERROR;
    const char *key;
    json_t *v;

    json_object_foreach((json_t *)(uintptr_t)is, key, v)
    {
        if (any_policy && (!strcmp(key, ref_policy) || !strcmp(key, "command")))
            continue;
        if (!json_equal(v, json_object_get(was, key)))
            return bird_fail(BIRD_EINVAL,
                             "%s.partial comes from a run with another %s: "
                             "give the same, or --force in place of "
                             "--resume to start over",
                             output, key);
    }
    return 0;
}

int bird_resume_take(bird_variant_summary *sum, struct bird_order *order,
                     int64_t *bytes, json_t *state, const json_t *identity,
                     const char *output)
{
    const json_t *status = json_object_get(state, "status"), *met;
    const char *contig = json_string_value(json_object_get(state, "contig"));
    struct number n[N_NUMBER];
    int rc =
        bird_resume_check(json_object_get(state, "identity"), identity, output);

    if (rc)
        return rc;
    list_numbers(n, sum, order);
    *bytes = 0;
    for (int i = 0; i < N_NUMBER && !rc; i++)
        rc = bird_json_int(n[i].at, state, n[i].key, -1, INT64_MAX, output);
    if (!rc)
        rc = bird_json_int(bytes, state, "bytes", 1, INT64_MAX, output);
    if (rc)
        return rc;
    if (!*bytes || !contig || json_array_size(status) != BIRD_VARIANT_STATUSES)
        return bird_fail(BIRD_EFORMAT,
                         "%s.partial.json is not a checkpoint: remove it",
                         output);
    for (int i = 0; i < BIRD_VARIANT_STATUSES; i++)
        sum->status[i] = json_integer_value(json_array_get(status, (size_t)i));
    met = json_object_get(state, "contigs");
    if (met && !(order->met = json_deep_copy(met)))
        return bird_fail_memory(0);
    if (*contig && !(order->contig = strdup(contig)))
        return bird_fail_memory(0);
    order->read = take_sum(state, "read");
    order->bases = take_sum(state, "bases");
    sum->n_resumed = sum->n_record;
    sum->n_resumed_allele = sum->n_allele;
    return 0;
}
