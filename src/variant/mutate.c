/* Saturation mutagenesis. SPDX-License-Identifier: MIT */
#include "dnabird/variant.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "dnabird/dnabird.h"
#include "seq/intervals.h"
#include "track/page.h"
#include "track/writer.h"
#include "variant/context.h"
#include "variant/variant_score.h"

enum { BLOCK = 1024 };

static const char bases[] = "ACGT";

struct mutation {
    const bird_mutate_options *o;
    struct bird_variant_context context;
    struct bird_shown shown;
    bird_regions regions;
    const bird_region *at;
    int64_t n, n_feature;
    int is_short;   /* its contig is shorter than the window */
    char *sequence; /* (n) of the region */
    double *value;  /* (n_feature, 4, n); NAN: none */
    int64_t cap_sequence, cap_value;
    int64_t before, all;        /* bases of regions done, and of all */
    struct bird_request *asked; /* (BLOCK, 4) of A, C, G, T */
    struct bird_change change;
    const struct bird_format *format;
    bird_track *track;
    bird_mutate_summary sum;
};

void bird_mutate_options_default(bird_mutate_options *o)
{
    *o = (bird_mutate_options){.score = BIRD_SCORE_DIFF};
    o->params.max_unknown = 0.05;
    o->params.span_bp = -1;
}

static int check(struct mutation *m)
{
    const bird_mutate_options *o = m->o;
    int rc = bird_params_check(&o->params);

    if (!rc && !o->region)
        rc = bird_fail(BIRD_EINVAL, "no region: give one with -r");
    if (!rc && (o->score < BIRD_SCORE_DIFF || o->score >= BIRD_SCORES))
        rc = bird_fail(BIRD_EINVAL, "unknown score");
    if (!rc)
        rc = bird_format_choose(&m->format, BIRD_TRACK_MUTATE, o->format,
                                o->output);
    if (!rc && m->format->content == BIRD_CONTENT_PICTURE &&
        o->score == BIRD_SCORE_E)
        rc = bird_fail(BIRD_EINVAL, "an e-value has no sign: a heat map shows "
                                    "diff, logit or z");
    return rc;
}

/* A contig that is no whole window is scored as it is, and said to be. */
static int note_short(struct mutation *m)
{
    int64_t n = bird_genome_length(m->context.genome, m->at->index);
    int first = !m->sum.is_short;

    m->is_short = n < m->context.way.window_bp;
    m->sum.is_short |= m->is_short;
    if (!m->is_short || !first)
        return 0;
    return bird_context_note(
        &m->context.notice,
        "SHORT=1: %s has %lld bp, fewer than the window of "
        "%lld",
        bird_genome_name(m->context.genome, m->at->index), (long long)n,
        (long long)m->context.way.window_bp);
}

/* Is the region one that can be done? */
static int check_region(const struct mutation *m, const bird_region *r)
{
    int64_t n = r->end - r->start, w = bird_effect_room(m->context.effect);

    if (n < 1 || n > BIRD_MUTATE_MOST)
        return bird_fail(BIRD_EINVAL, "%s: %lld bp: give 1 to %lld",
                         m->o->region, (long long)n,
                         (long long)BIRD_MUTATE_MOST);
    if (!m->o->each && n > w)
        return bird_fail(BIRD_EINVAL,
                         "%s: %lld bp do not fit into one window of %lld%s: a "
                         "shorter region, or --centre base",
                         m->o->region, (long long)n, (long long)w,
                         w < m->context.way.window_bp ? " without its margins "
                                                        "and a bin"
                                                      : "");
    if (n > BIRD_MUTATE_CELLS / m->n_feature)
        return bird_fail(BIRD_EINVAL,
                         "%s: %lld bp of %lld features are too many for one "
                         "run: a shorter region, or fewer --features",
                         m->o->region, (long long)n, (long long)m->n_feature);
    return 0;
}

/* All of them, before the first is computed. A track has one value a base. */
static int read_regions(struct mutation *m)
{
    struct bird_intervals set = {0};
    int64_t end;
    int rc = bird_regions_read(&m->regions, m->o->region, NULL,
                               m->context.genome, BIRD_POINT_TO_END);

    for (int64_t i = 0; !rc && i < m->regions.n; i++)
        rc = check_region(m, m->regions.at + i);
    if (rc || m->format->content == BIRD_CONTENT_CELLS || m->regions.n < 2)
        return rc;
    if (m->format->content == BIRD_CONTENT_PICTURE)
        return bird_fail(BIRD_EINVAL, "%s: a heat map shows one region",
                         m->o->region);
    rc = bird_intervals_new(&set, &m->regions);
    for (int64_t i = 0; !rc && i < set.n; i++)
        if (bird_intervals_span(&end, &set, i, -1) > i + 1) {
            rc = bird_fail(
                BIRD_EINVAL,
                "%s: regions on '%s' overlap, and a track has one "
                "value a base: write a table (-O tsv), or give "
                "each base once",
                m->o->region,
                bird_genome_name(m->context.genome, set.at[i].contig));
        }
    bird_intervals_free(&set);
    bird_regions_sort(&m->regions); /* as who reads a track expects it */
    return rc;
}

/* The region, its bases, and the window it has to fit into. */
static int open_region(struct mutation *m, const bird_region *r)
{
    int64_t n;
    int rc;

    m->at = r;
    m->n = r->end - r->start;
    m->sum.n_base += m->n;
    if (!m->o->each)
        bird_effect_fix_around(m->context.effect, m->at->index, m->at->start,
                               m->at->end);
    n = m->n_feature * 4 * m->n;
    rc = bird_array_grow(&m->sequence, &m->cap_sequence, m->n, 1);
    if (!rc)
        rc = bird_array_grow(&m->value, &m->cap_value, n, sizeof(double));
    for (int64_t i = 0; !rc && i < n; i++)
        m->value[i] = (double)NAN;
    if (!rc)
        rc = note_short(m);
    return rc ? rc
              : bird_genome_fetch(m->context.genome, m->at->index, m->at->start,
                                  m->at->end, m->sequence);
}

static int open_all(struct mutation *m)
{
    bird_variant_options v = {.features = m->o->features, .long_rows = 1};
    int rc = bird_context_open(&m->context, &m->o->params);

    if (!rc && (m->o->score == BIRD_SCORE_E || m->o->score == BIRD_SCORE_Z) &&
        !m->context.calibrated)
        rc = bird_fail(BIRD_EINVAL,
                       "%s has no background for e and z: make one with "
                       "`dnabird variant background`",
                       m->context.model.folder.path);
    if (!rc)
        rc = bird_shown_new(
            &m->shown, &m->context.model.folder,
            bird_effect_features(m->context.effect), &v, BIRD_CONTENT_ALLELES,
            m->context.calibrated ? &m->context.calibration : NULL);
    if (rc)
        return rc;
    m->n_feature = m->sum.n_feature = m->shown.n_feature;
    if (m->n_feature > 1 && m->format->content != BIRD_CONTENT_CELLS)
        return bird_fail(BIRD_EINVAL,
                         "%lld features: %s shows one, choose it with "
                         "--features",
                         (long long)m->n_feature, m->format->name);
    return read_regions(m);
}

/* The three changes of base i: a answers for A, C, G, T, or place -1. */
static int ask_base(struct mutation *m, struct bird_request a[4], int64_t i)
{
    enum bird_variant_status status;
    int rc = 0;

    for (int k = 0; k < 4 && !rc; k++) {
        a[k].ref = -1;
        if (!strchr(bases, m->sequence[i]) || m->sequence[i] == bases[k])
            continue;
        m->change.contig = m->at->index;
        m->change.start = m->at->start + i;
        m->change.end = m->change.start + 1;
        bird_text_clear(&m->change.alt);
        rc = bird_text_put(&m->change.alt, bases + k, 1);
        if (!rc)
            rc = bird_effect_submit(m->context.effect, &a[k], &status,
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
        struct bird_outcome o = {.status = BIRD_VARIANT_OK};

        if (a[k].ref < 0)
            continue;
        scored = 1;
        o.cut = a[k].cut;
        o.p_ref = bird_effect_values(m->context.effect, a[k].ref);
        o.p_alt = bird_effect_values(m->context.effect, a[k].alt);
        for (int64_t f = 0; f < m->n_feature; f++)
            m->value[(f * 4 + k) * m->n + i] = bird_outcome_score(
                &m->shown, &o, m->o->score, m->shown.feature[f]);
    }
    m->sum.n_scored += scored;
}

static int score_all(struct mutation *m)
{
    bird_progress p = {"scoring", "bases", 0, m->all, NULL, NULL};
    int rc = 0;

    for (int64_t i = 0; i < m->n && !rc; i += BLOCK) {
        int64_t end = i + BLOCK < m->n ? i + BLOCK : m->n;

        for (int64_t j = i; j < end && !rc; j++)
            rc = ask_base(m, m->asked + 4 * (j - i), j);
        if (!rc)
            rc = bird_effect_flush(m->context.effect);
        for (int64_t j = i; j < end && !rc; j++)
            keep_base(m, m->asked + 4 * (j - i), j);
        bird_effect_evict(m->context.effect);
        p.done = m->before + end;
        if (!rc && m->o->progress && m->o->progress(m->o->progress_context, &p))
            rc = bird_fail(BIRD_ECANCELED, "stopped");
    }
    m->before += m->n;
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

static int open_track(struct mutation *m)
{
    bird_track_options o = {.path = m->o->output,
                            .no_version = m->o->no_version,
                            .command = m->o->command};
    struct bird_track_extra x = {.significant = 1};
    struct bird_text model = {0}, reference = {0};
    int rc = bird_text_printf(&model, "%s %s", m->context.name,
                              m->context.model.folder.digest);

    if (m->format->content == BIRD_CONTENT_CELLS) {
        x.column = columns;
        x.n_column = N_COLUMN;
    }
    if (!rc)
        rc = bird_context_reference(&reference, &m->context);
    o.model = model.s;
    o.reference = reference.s;
    if (!rc)
        rc = bird_track_begin(&m->track, m->format, &o, &x);
    bird_text_free(&model);
    bird_text_free(&reference);
    return rc;
}

/* Base i of the region as a row. */
static bird_track_row row_of(const struct mutation *m, int64_t i)
{
    return (bird_track_row){
        .contig = bird_genome_name(m->context.genome, m->at->index),
        .record = m->at->index,
        .start = m->at->start + i,
        .end = m->at->start + i + 1,
        .strand = '.'};
}

static int put_matrix(struct mutation *m)
{
    int rc = 0;

    for (int64_t i = 0; i < m->n && !rc; i++)
        for (int64_t f = 0; f < m->n_feature && !rc; f++) {
            const char ref[] = {m->sequence[i], '\0'};
            struct bird_cell cell[N_COLUMN] = {
                {.text = ref},
                {.text = m->shown.features.at[m->shown.feature[f]].name}};
            bird_track_row row = row_of(m, i);

            for (int k = 0; k < 4; k++)
                cell[2 + k].real = m->value[(f * 4 + k) * m->n + i];
            cell[N_COLUMN - 1].integer = m->is_short;
            rc = bird_track_put_cells(m->track, &row, cell);
        }
    return rc;
}

/* Does v say more than best? The smaller e-value does. */
static int is_larger(const struct mutation *m, double v, double best)
{
    if (isnan(v) || isnan(best))
        return !isnan(v);
    return m->o->score == BIRD_SCORE_E ? v < best : fabs(v) > fabs(best);
}

/* Of the three changes of a base the largest. */
static int put_largest(struct mutation *m)
{
    struct bird_text note = {0};
    int rc = 0;

    if (m->is_short)
        rc =
            bird_text_printf(&note, "# SHORT=1: %s\n",
                             bird_genome_name(m->context.genome, m->at->index));
    if (!rc && m->is_short)
        rc = bird_track_put_text(m->track, note.s, note.n);
    bird_text_free(&note);
    for (int64_t i = 0; i < m->n && !rc; i++) {
        bird_track_row row = row_of(m, i);

        row.value = (double)NAN;
        for (int k = 0; k < 4; k++) {
            double v = m->value[k * m->n + i];

            if (is_larger(m, v, row.value))
                row.value = v;
        }
        if (!isnan(row.value))
            rc = bird_track_put(m->track, &row);
    }
    return rc;
}

static int put_picture(struct mutation *m)
{
    static const char *const rows[] = {"A", "C", "G", "T"};
    const char *contig = bird_genome_name(m->context.genome, m->at->index);
    struct bird_markup picture = {0}, style = {0};
    struct bird_text text = {0};
    char title[256], x[256];
    struct bird_heat h = {.title = title,
                          .x_label = x,
                          .y_label = "becomes",
                          .value_name = bird_variant_score_name(m->o->score),
                          .value = m->value,
                          .rows = 4,
                          .columns = m->n,
                          .row_name = rows,
                          .x0 = (double)m->at->start + 1,
                          .bases = m->sequence};
    const char *body;
    int rc;

    snprintf(title, sizeof(title), "%s: every base of %s:%lld-%lld%s",
             m->shown.features.at[m->shown.feature[0]].name, contig,
             (long long)m->at->start + 1, (long long)m->at->end,
             m->is_short ? " (SHORT=1)" : "");
    snprintf(x, sizeof(x), "position on %s (from 1)", contig);
    bird_svg_heat(&picture, &h);
    bird_svg_style(&style);
    rc = picture.rc ? picture.rc : style.rc;
    /* a picture by itself brings its own style, behind its opening tag */
    body = rc ? NULL : strchr(picture.text.s, '>') + 1;
    if (!rc)
        rc = bird_text_printf(
            &text,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n%.*s\n"
            "<style>%s</style>%s",
            (int)(body - picture.text.s), picture.text.s, style.text.s, body);
    if (!rc)
        rc = bird_track_put_text(m->track, text.s, text.n);
    bird_text_free(&text);
    bird_text_free(&picture.text);
    bird_text_free(&style.text);
    return rc;
}

/* Regions in the order given. */
static int score_regions(struct mutation *m)
{
    int rc = bird_array_new(&m->asked, 4 * BLOCK, sizeof(*m->asked));

    for (int64_t i = 0; i < m->regions.n; i++)
        m->all += m->regions.at[i].end - m->regions.at[i].start;
    if (!rc)
        rc = open_track(m);
    for (int64_t i = 0; !rc && i < m->regions.n; i++) {
        rc = open_region(m, m->regions.at + i);
        if (!rc)
            rc = score_all(m);
        if (!rc)
            rc = m->format->content == BIRD_CONTENT_PICTURE    ? put_picture(m)
                 : m->format->content == BIRD_CONTENT_SEGMENTS ? put_largest(m)
                                                               : put_matrix(m);
    }
    return rc;
}

static int close_track(struct mutation *m)
{
    bird_track *t = m->track;

    m->track = NULL;
    return bird_track_close(t);
}

/* e and z of changes that do not lie where those of the background do. */
static int note_centre(struct mutation *m)
{
    if (m->o->each ||
        (m->o->score != BIRD_SCORE_E && m->o->score != BIRD_SCORE_Z))
        return 0;
    return bird_context_note(
        &m->context.notice,
        "e and z come from changes in the middle of their "
        "windows, and the bases of this region lie anywhere "
        "in one: --centre base gives each the window of the "
        "background");
}

int bird_mutate_run(bird_mutate_summary *out, const bird_mutate_options *o)
{
    struct mutation m = {.o = o};
    bird_session_counts t;
    int rc = check(&m);

    if (rc)
        return rc;
    if ((rc = open_all(&m)) || (rc = note_centre(&m)) ||
        (rc = score_regions(&m)) || (rc = close_track(&m)))
        goto done;
    bird_effect_count(m.context.effect, &t);
    m.sum.n_sequence = t.n_evaluated;
    m.sum.window_bp = m.context.way.window_bp;
    bird_context_tell(&m.context, m.sum.model, m.sum.digest, m.sum.build,
                      m.sum.notice);
    *out = m.sum;
done:
    bird_context_close(&m.context);
    bird_shown_free(&m.shown);
    bird_regions_free(&m.regions);
    bird_change_free(&m.change);
    bird_track_free(m.track);
    free(m.asked);
    free(m.sequence);
    free(m.value);
    return rc;
}
