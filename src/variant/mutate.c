/* dnabird mutate: in-silico saturation mutagenesis of regions.
 * SPDX-License-Identifier: MIT */
#include "dnabird/variant.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/shard.h"
#include "variant/base_run.h"
#include "variant/motif_marks.h"
#include "variant/snv_table.h"

enum { BLOCK = 1024 };

static const char bases[] = "ACGT";

struct mutation {
    const bird_mutate_options *o;
    struct bird_base_run run;
    double *value; /* (n_feature, 4, n); NAN: none */
    int64_t cap_value;
    int64_t before;               /* bases of regions done */
    struct bird_request *request; /* (BLOCK, 4) of A, C, G, T */
    struct bird_change change;
    int score; /* the user's, or the model's main score */
    struct bird_motif_marks marks;
    bird_mutate_summary sum;
};

void bird_mutate_options_default(bird_mutate_options *o)
{
    *o = (bird_mutate_options){
        .score = -1, .each = 1, .motifs = "jaspar", .motif_p = 1e-5};
    o->params.max_unknown = 0.05;
    o->params.span_bp = -1;
}

static int is_e_value(int score)
{
    return score == BIRD_SCORE_E || score == BIRD_SCORE_DISTANCE_E;
}

static int has_motifs(const bird_mutate_options *o)
{
    return o->motifs && strcmp(o->motifs, "none") != 0;
}

static int is_table(const struct mutation *m)
{
    return m->run.format->content == BIRD_CONTENT_ALLELES;
}

/* Several regions without a format become a table, not a matrix. */
static int choose_format(struct mutation *m)
{
    const bird_mutate_options *o = m->o;
    struct bird_shard shard;
    int rc = bird_format_choose(&m->run.format, BIRD_TRACK_MUTATE, o->format,
                                o->output);

    if (!rc && o->regions && !o->format &&
        m->run.format->content == BIRD_CONTENT_CELLS)
        m->run.format = bird_format_of(BIRD_TRACK_MUTATE, BIRD_CONTENT_ALLELES);
    if (!rc && !is_table(m) && (o->resume || o->force || o->shard))
        rc = bird_fail(BIRD_EINVAL,
                       "%s: only a table can be resumed or "
                       "written in parts",
                       m->run.format->name);
    if (!rc)
        rc = bird_output_check_resume(o->output, o->resume, o->force);
    if (!rc)
        rc = bird_shard_parse(&shard, o->shard);
    return rc ? rc : bird_format_check(m->run.format, o->output, o->index);
}

static int check(struct mutation *m)
{
    const bird_mutate_options *o = m->o;
    int rc = bird_params_check(&o->params);

    if (!rc && !o->region && !o->regions)
        rc = bird_fail(BIRD_EINVAL,
                       "no region: give one with -r, or several with -R");
    if (!rc && o->motifs &&
        !(o->motif_p > 0 && o->motif_p <= BIRD_MOTIF_MOST_P))
        rc = bird_fail(BIRD_EINVAL,
                       "a p-value of motifs is above 0 and at most %g",
                       BIRD_MOTIF_MOST_P);
    m->score = o->score;
    if (!rc &&
        (o->score < -1 || o->score >= BIRD_SCORES ||
         o->score == BIRD_SCORE_P_REF || o->score == BIRD_SCORE_P_ALT ||
         o->score == BIRD_SCORE_LL_REF || o->score == BIRD_SCORE_LL_ALT ||
         o->score == BIRD_SCORE_COMBINED || o->score == BIRD_SCORE_EFFECT))
        rc = bird_fail(BIRD_EINVAL, "unknown score");
    if (!rc)
        rc = choose_format(m);
    /* the usual motifs may be named for any format, since they are the
       default */
    if (!rc && m->run.format->content != BIRD_CONTENT_PICTURE &&
        has_motifs(o) && strcmp(o->motifs, "jaspar") != 0)
        rc = bird_fail(BIRD_EINVAL,
                       "--motifs %s: only a picture shows motifs: add -O svg, "
                       "or leave out --motifs",
                       o->motifs);
    if (!rc && !o->each && (o->regions || is_table(m)))
        rc = bird_fail(BIRD_EINVAL,
                       "--centre region: with -R and in a table every base "
                       "has a window of its own");
    m->run.each = o->each;
    if (!rc)
        m->run.merge = o->regions || is_table(m);
    if (!rc && m->run.format->content == BIRD_CONTENT_PICTURE &&
        is_e_value(o->score))
        rc = bird_fail(BIRD_EINVAL, "an e-value has no sign: a heat map shows "
                                    "a score that has one, such as diff");
    return rc;
}

/* Read the bases of a region, and put its window around it unless every base
 * has one. */
static int open_region(struct mutation *m, int64_t i)
{
    struct bird_base_run *r = &m->run;
    int64_t n;
    int rc = bird_base_run_region(r, i);

    m->sum.n_base += r->now.n;
    if (!rc && !r->each)
        bird_effect_set_region(r->context.effect, r->now.at->start,
                               r->now.at->end);
    n = r->n_feature * 4 * r->now.n;
    if (!rc)
        rc = bird_array_grow(&m->value, &m->cap_value, n, sizeof(double));
    for (i = 0; !rc && i < n; i++)
        m->value[i] = (double)NAN;
    return rc;
}

static int open_all(struct mutation *m)
{
    int rc = bird_base_run_open(&m->run, &m->o->params);

    if (!rc && m->score >= 0 && bird_score_row(m->score)->null &&
        !m->run.context.calibrated)
        rc = bird_fail(BIRD_EINVAL,
                       "%s has no background for e and z in windows of %lld "
                       "bp: make one with `dnabird variant background`%s",
                       bird_model_path(m->run.context.model),
                       (long long)m->run.context.how.layout.context_bp,
                       m->run.each ? "" : ", or try --centre base");
    if (!rc && m->run.format->content == BIRD_CONTENT_PICTURE &&
        has_motifs(m->o))
        rc = bird_motif_marks_open(&m->marks, m->o->motifs);
    if (rc)
        return rc;
    m->score = m->score < 0 ? bird_main_score(&m->run.selected) : m->score;
    rc = bird_selected_scores_check(&m->run.selected, m->score, "--scores");
    bird_effect_set_distance(m->run.context.effect,
                             bird_score_is_distance(m->score));
    m->sum.n_feature = m->run.n_feature;
    return rc;
}

/* Submit the three changes of base i: a (4) for A, C, G, T; ref is -1 where
 * there is no request. */
static int submit_base(struct mutation *m, struct bird_request a[4], int64_t i)
{
    enum bird_variant_status status;
    int rc = 0;

    for (int k = 0; k < 4 && !rc; k++) {
        a[k].ref = -1;
        if (!strchr(bases, m->run.now.sequence[i]) ||
            m->run.now.sequence[i] == bases[k])
            continue;
        m->change.contig = m->run.now.at->index;
        m->change.start = m->run.now.at->start + i;
        m->change.end = m->change.start + 1;
        bird_text_clear(&m->change.alt);
        rc = bird_text_put(&m->change.alt, bases + k, 1);
        if (!rc)
            rc = bird_effect_submit(m->run.context.effect, &a[k], &status,
                                    &m->change);
        if (!rc && status != BIRD_VARIANT_OK)
            a[k].ref = -1;
    }
    return rc;
}

static void keep_base(struct mutation *m, const struct bird_request a[4],
                      int64_t i)
{
    int scored = 0;

    for (int k = 0; k < 4; k++) {
        struct bird_allele_result o = {.status = BIRD_VARIANT_OK};

        if (a[k].ref < 0)
            continue;
        scored = 1;
        bird_allele_result_fill(&o, m->run.context.effect, &a[k]);
        for (int64_t f = 0; f < m->run.n_feature; f++)
            m->value[(f * 4 + k) * m->run.now.n + i] = bird_allele_score(
                &m->run.selected, &o, m->score, m->run.selected.feature[f]);
    }
    m->sum.n_scored += scored;
}

static int score_all(struct mutation *m)
{
    bird_progress p = {"scoring", "bases", 0, m->run.all, NULL, NULL, 0};
    int64_t block = BLOCK / (1 + bird_effect_replicates(m->run.context.effect));
    int rc = 0;

    for (int64_t i = 0; i < m->run.now.n && !rc; i += block) {
        int64_t end = i + block < m->run.now.n ? i + block : m->run.now.n;

        for (int64_t j = i; j < end && !rc; j++)
            rc = submit_base(m, m->request + 4 * (j - i), j);
        if (!rc)
            rc = bird_effect_flush(m->run.context.effect);
        for (int64_t j = i; j < end && !rc; j++)
            keep_base(m, m->request + 4 * (j - i), j);
        bird_effect_evict(m->run.context.effect);
        p.done = m->before + end;
        if (!rc && m->o->progress && m->o->progress(m->o->progress_context, &p))
            rc = bird_fail(BIRD_ECANCELED, "stopped");
    }
    m->before += m->run.now.n;
    return rc;
}

static const struct bird_column columns[] = {
    {.name = "ref"},
    {.name = "feature"},
    {.name = "A", .type = BIRD_CELL_REAL},
    {.name = "C", .type = BIRD_CELL_REAL},
    {.name = "G", .type = BIRD_CELL_REAL},
    {.name = "T", .type = BIRD_CELL_REAL},
    {.name = "SHORT", .type = BIRD_CELL_INTEGER},
};
enum { N_COLUMN = sizeof(columns) / sizeof(*columns) };

static int put_matrix(struct mutation *m)
{
    int rc = 0;

    for (int64_t i = 0; i < m->run.now.n && !rc; i++)
        for (int64_t f = 0; f < m->run.n_feature && !rc; f++) {
            const char ref[] = {m->run.now.sequence[i], '\0'};
            struct bird_cell cell[N_COLUMN] = {
                {.text = ref},
                {.text = m->run.selected.features.at[m->run.selected.feature[f]]
                             .name}};
            bird_track_row row = bird_base_run_row(&m->run, i, 1);

            for (int k = 0; k < 4; k++)
                cell[2 + k].real = m->value[(f * 4 + k) * m->run.now.n + i];
            cell[N_COLUMN - 1].integer = m->run.now.is_short;
            rc = bird_track_put_cells(m->run.track, &row, cell);
        }
    return rc;
}

/* Is v larger in size than best? For e-values: smaller. */
static int is_larger(const struct mutation *m, double v, double best)
{
    if (isnan(v) || isnan(best))
        return !isnan(v);
    return is_e_value(m->score) ? v < best : fabs(v) > fabs(best);
}

/* The largest of the three scores of a base, or their mean; NAN: none. */
static double base_value(const struct mutation *m, int64_t feature, int64_t i)
{
    double largest = (double)NAN, sum = 0;
    int n = 0;

    for (int k = 0; k < 4; k++) {
        double v = m->value[(feature * 4 + k) * m->run.now.n + i];

        if (isnan(v))
            continue;
        sum += v;
        n++;
        if (is_larger(m, v, largest))
            largest = v;
    }
    return m->o->mean && n ? sum / n : largest;
}

static int put_tracks(struct mutation *m)
{
    int rc = bird_base_run_note(&m->run);

    for (int64_t f = 0; f < m->run.n_track && !rc; f++)
        for (int64_t i = 0; i < m->run.now.n && !rc; i++) {
            bird_track_row row = bird_base_run_row(&m->run, i, 1);

            row.value = base_value(m, f, i);
            if (!isnan(row.value))
                rc = bird_track_put(m->run.each_track[f], &row);
        }
    return rc;
}

static int put_picture(struct mutation *m)
{
    static const char *const rows[] = {"A", "C", "G", "T"};
    const char *contig =
        bird_genome_name(m->run.context.genome, m->run.now.at->index);
    struct bird_markup picture = {0};
    char title[256], x[512], p[BIRD_NUMBER_SIZE];
    struct bird_heat h = {.title = title,
                          .x_label = x,
                          .y_label = "becomes",
                          .value_name = bird_variant_score_name(m->score),
                          .value = m->value,
                          .rows = 4,
                          .columns = m->run.now.n,
                          .row_name = rows,
                          .x0 = (double)m->run.now.at->start + 1,
                          .bases = m->run.now.sequence};
    int rc = 0;

    if (has_motifs(m->o))
        rc = bird_motif_marks_find(&m->marks, m->run.context.genome,
                                   m->run.now.at->index, m->run.now.at->start,
                                   m->run.now.at->end, m->value, m->o->motif_p);
    if (rc)
        return rc;
    h.span = m->marks.span;
    h.n_span = m->marks.n;
    snprintf(title, sizeof(title), "%s: every base of %s:%lld-%lld%s",
             m->run.selected.features.at[m->run.selected.feature[0]].name,
             contig, (long long)m->run.now.at->start + 1,
             (long long)m->run.now.at->end,
             m->run.now.is_short ? " (SHORT=1)" : "");
    bird_number(p, m->o->motif_p, 2);
    snprintf(x, sizeof(x), "position on %s (from 1)%s%s%s%s", contig,
             h.n_span ? "; motifs of " : "",
             h.n_span ? m->marks.motifs.name : "",
             h.n_span ? " with p at most " : "", h.n_span ? p : "");
    bird_svg_heat(&picture, &h);
    return bird_base_run_picture(&m->run, &picture);
}

/* Score and write the regions in the order given. */
static int score_regions(struct mutation *m)
{
    int rc = bird_array_new(&m->request, 4 * BLOCK, sizeof(*m->request));

    if (!rc)
        rc = bird_base_run_track(&m->run, columns, N_COLUMN);
    if (!rc)
        bird_context_begin(&m->run.context, &m->o->params);
    for (int64_t i = 0; !rc && i < m->run.regions.n; i++) {
        rc = open_region(m, i);
        if (!rc)
            rc = score_all(m);
        if (!rc)
            rc = m->run.format->content == BIRD_CONTENT_PICTURE ? put_picture(m)
                 : m->run.format->content == BIRD_CONTENT_SEGMENTS
                     ? put_tracks(m)
                     : put_matrix(m);
    }
    return rc;
}

/* Write the whole output. */
static int write_all(struct mutation *m)
{
    int rc;

    if (is_table(m))
        return bird_snv_table_run(&m->run, &m->sum, m->o, m->score);
    rc = score_regions(m);
    m->sum.is_short = m->run.any_short;
    return rc ? rc : bird_base_run_close(&m->run);
}

/* Note that e and z come from changes in the middle of their windows. */
static int note_centre(struct mutation *m)
{
    if (m->run.each || !bird_score_row(m->score)->null)
        return 0;
    return bird_context_note(
        &m->run.context.notice,
        "e and z come from changes in the middle of their "
        "windows, and the bases of this region lie anywhere "
        "in one: --centre base gives each the window of the "
        "background");
}

int bird_mutate_run(bird_mutate_summary *out, const bird_mutate_options *o)
{
    struct mutation m = {.o = o,
                         .run = {.region = o->region,
                                 .bed = o->regions,
                                 .features = o->features,
                                 .whole = ", or --centre base",
                                 .several = o->format != NULL,
                                 .most = {BIRD_MUTATE_MOST, BIRD_MUTATE_CELLS},
                                 .track_options = {.path = o->output,
                                                   .index = o->index,
                                                   .no_version = o->no_version,
                                                   .command = o->command}}};
    bird_session_counts t;
    int rc = check(&m);

    if (rc)
        return rc;
    if ((rc = open_all(&m)) || (rc = note_centre(&m)) || (rc = write_all(&m)))
        goto done;
    bird_effect_count(m.run.context.effect, &t);
    m.sum.n_sequence = t.n_evaluated;
    m.sum.window_bp = m.run.context.settings.window_bp;
    bird_context_summarize(&m.run.context, m.sum.model, m.sum.digest,
                           m.sum.build, m.sum.notice);
    *out = m.sum;
done:
    bird_base_run_free(&m.run);
    bird_change_free(&m.change);
    bird_motif_marks_free(&m.marks);
    free(m.request);
    free(m.value);
    return rc;
}
