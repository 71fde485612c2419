/* Rows of the benchmark on variants. SPDX-License-Identifier: MIT */
#include "dnabird/bench_variant.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "bench/bench.h"
#include "dnabird/dnabird.h"
#include "variant/variant_site.h"

enum { BLOCK = 512 }; /* records, as in a run */

static const struct {
    const char *name;
    int slow;
} ways[BIRD_BENCH_WAYS] = {{"nothing", 0},
                           {"sharing", BIRD_SAVING_SHARED},
                           {"short last layer", BIRD_SAVING_LAST_LAYER},
                           {"packs", BIRD_SAVING_PACKS},
                           {"all three", BIRD_SAVING_SHARED |
                                             BIRD_SAVING_LAST_LAYER |
                                             BIRD_SAVING_PACKS}};

struct bench {
    const bird_bench_variant_options *o;
    struct bird_scene scene;
    struct bird_intervals regions;
    struct bird_sites sites;
    struct bird_allele_result *answer;
    int64_t n, cap; /* answers of the block */
    float *diff;    /* (n_diff) of every allele's features, in order */
    int64_t n_diff, cap_diff, n_scored;
    float *before; /* (n_before) those of the first row */
    int64_t n_before;
};

void bird_bench_variant_options_default(bird_bench_variant_options *o)
{
    *o = (bird_bench_variant_options){.way = {.max_unknown = 0.05}};
    bird_bench_options_default(&o->bench);
    o->bench.repeats = 3;
}

static int settle(struct bench *m)
{
    int64_t f = bird_effect_features(m->scene.effect);
    int rc = bird_effect_flush(m->scene.effect);

    if (!rc)
        rc = bird_array_grow(&m->diff, &m->cap_diff, m->n_diff + m->n * f,
                             sizeof(*m->diff));
    for (int64_t i = 0; i < m->n && !rc; i++) {
        struct bird_outcome x;

        bird_sites_outcome(&x, &m->sites, &m->answer[i]);
        m->n_scored += x.p_ref != NULL;
        for (int64_t k = 0; x.p_ref && k < f; k++)
            m->diff[m->n_diff++] = x.p_alt[k] - x.p_ref[k];
    }
    m->n = 0;
    bird_effect_evict(m->scene.effect);
    return rc;
}

static int ask_all(struct bench *m, struct bird_vcf *v,
                   struct bird_vcf_record *r)
{
    int64_t n = 0;
    int got = 0, inside, rc = 0;

    while (!rc && (got = bird_vcf_next(v, r)) > 0) {
        if ((inside = bird_sites_inside(&m->sites, r)) <= 0) {
            rc = inside;
            continue;
        }
        rc = bird_array_grow(&m->answer, &m->cap, m->n + r->n_alt + 1,
                             sizeof(*m->answer));
        if (!rc)
            rc = bird_sites_ask(&m->sites, m->answer + m->n, r);
        m->n += r->n_alt;
        if (!rc && ++n % BLOCK == 0)
            rc = settle(m);
    }
    if (!rc)
        rc = got;
    return rc ? rc : settle(m);
}

static int run(void *context)
{
    struct bench *m = context;
    struct bird_vcf *v = NULL;
    struct bird_vcf_record r = {0};
    struct bird_text why = {0};
    int rc = bird_scene_renew(&m->scene);

    m->n = m->n_diff = m->n_scored = 0;
    if (!rc)
        rc = bird_vcf_open(&v, m->o->variants);
    if (!rc && m->sites.in)
        rc = bird_vcf_limit(v, &why, m->sites.in, m->sites.map);
    if (rc >= 0)
        rc = ask_all(m, v, &r);
    bird_text_free(&why);
    bird_vcf_record_free(&r);
    bird_vcf_free(v);
    return rc;
}

static int read_regions(struct bench *m)
{
    bird_regions list = {0};
    int rc = bird_regions_read(&list, m->o->region, NULL, m->scene.genome,
                               BIRD_POINT_BASE);

    if (!rc)
        rc = bird_intervals_new(&m->regions, &list);
    bird_regions_free(&list);
    return rc;
}

static int open_all(struct bench *m, struct bird_contig_map **map)
{
    const bird_bench_variant_options *o = m->o;
    int rc = bird_way_check(&o->way);

    if (rc || (rc = bird_scene_open(&m->scene, &o->way)) ||
        (rc = bird_contig_map_new(map, m->scene.genome, NULL)))
        return rc;
    if (o->region && (rc = read_regions(m)))
        return rc;
    m->sites = (struct bird_sites){.scene = &m->scene,
                                   .map = *map,
                                   .policy = BIRD_REF_SKIP,
                                   .file = o->variants,
                                   .in = o->region ? &m->regions : NULL};
    return 0;
}

/* The largest distance of two runs' numbers. */
static double distance(const struct bench *m)
{
    double most = 0;

    for (int64_t i = 0; i < m->n_before && i < m->n_diff; i++) {
        double d = fabs((double)m->diff[i] - (double)m->before[i]);

        most = d > most ? d : most;
    }
    return most;
}

static int keep_first(struct bench *m)
{
    int rc;

    if (!m->n_scored)
        return bird_fail(BIRD_EINVAL, "%s: no allele has a score%s%s",
                         m->o->variants, m->o->region ? " in " : "",
                         m->o->region ? m->o->region : "");
    rc = bird_array_new(&m->before, m->n_diff, sizeof(*m->before));
    if (rc)
        return rc;
    memcpy(m->before, m->diff, (size_t)m->n_diff * sizeof(*m->before));
    m->n_before = m->n_diff;
    return 0;
}

static int measure(bird_bench_variant_row *out, struct bench *m, int i,
                   double first_s)
{
    struct bird_bench_body body = {.context = m, .run = run};
    bird_session_counts t;
    bird_bench_row row = {.tokens = 1, .sequences = 1};
    int rc;

    m->scene.how.slow = ways[i].slow;
    rc = bird_bench_measure(&row, &body, NULL, &m->o->bench);
    if (!rc && !i)
        rc = keep_first(m);
    if (rc)
        return rc;
    bird_effect_count(m->scene.effect, &t);
    *out = (bird_bench_variant_row){.name = ways[i].name,
                                    .threads = bird_threads(),
                                    .n_allele = m->n_scored,
                                    .n_sequence = t.n_sequence,
                                    .repeats = row.repeats,
                                    .best_s = row.best_s,
                                    .median_s = row.median_s,
                                    .peak_mib = row.peak_mib,
                                    .largest = distance(m)};
    out->per_s = (double)out->n_allele / out->best_s;
    out->slower = out->best_s / (i ? first_s : out->best_s);
    memcpy(out->model, m->scene.name, sizeof(out->model));
    return 0;
}

int bird_bench_variant(bird_bench_variant_row *out,
                       const bird_bench_variant_options *o)
{
    struct bench m = {.o = o};
    struct bird_contig_map *map = NULL;
    bird_bench_variant_row row[BIRD_BENCH_WAYS] = {0};
    int rc = o->variants ? bird_bench_check(&o->bench)
                         : bird_fail(BIRD_EINVAL, "no VCF");

    if (!rc)
        rc = open_all(&m, &map);
    for (int i = 0; i < BIRD_BENCH_WAYS && !rc; i++)
        rc = measure(&row[i], &m, i, row[0].best_s);
    if (!rc)
        memcpy(out, row, sizeof(row));
    bird_sites_free(&m.sites);
    bird_contig_map_free(map);
    bird_intervals_free(&m.regions);
    bird_scene_close(&m.scene);
    free(m.answer);
    free(m.diff);
    free(m.before);
    return rc;
}

int bird_bench_variant_json(char **out, const bird_bench_variant_row *row,
                            int64_t n)
{
    json_t *all = json_array();

    for (int64_t i = 0; i < n; i++)
        json_array_append_new(
            all,
            json_pack("{s:s, s:s, s:i, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, "
                      "s:f}",
                      "left_out", row[i].name, "model", row[i].model, "threads",
                      row[i].threads, "alleles", (json_int_t)row[i].n_allele,
                      "sequences", (json_int_t)row[i].n_sequence, "repeats",
                      (json_int_t)row[i].repeats, "best_s", row[i].best_s,
                      "median_s", row[i].median_s, "alleles_per_s",
                      row[i].per_s, "slower", row[i].slower, "largest",
                      row[i].largest, "peak_mib", row[i].peak_mib));
    *out = json_dumps(all, JSON_INDENT(2));
    json_decref(all);
    return *out ? 0 : bird_fail_memory(0);
}
