/* Regions base by base. SPDX-License-Identifier: MIT */
#include "variant/base_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "track/files.h"

/* Check that a region has an allowed length and fits into a window. */
static int check_region(const struct bird_base_run *r, const bird_region *x)
{
    int64_t n = x->end - x->start,
            w = bird_effect_max_region(r->context.effect);
    char name[256];

    snprintf(name, sizeof(name), "%.200s:%lld-%lld",
             bird_genome_name(r->context.genome, x->index),
             (long long)x->start + 1, (long long)x->end);
    if (n < 1 || n > r->most.bases)
        return bird_fail(BIRD_EINVAL,
                         "%s: a region of %lld bp: give one of 1 to %lld bp",
                         name, (long long)n, (long long)r->most.bases);
    if (!r->each && n > w)
        return bird_fail(
            BIRD_EINVAL,
            "%s: %lld bp do not fit into one window of %lld%s%s: "
            "give a shorter region%s",
            name, (long long)n, (long long)w,
            r->context.how.layout.on_grid ? " without its margins and a bin"
                                          : "",
            r->context.how.n_shift > 1 ? ", less the --shifts" : "", r->whole);
    if (n > r->most.cells / r->n_feature)
        return bird_fail(BIRD_EINVAL,
                         "%s: %lld bp of %lld features are too many for one "
                         "run: give a shorter region, or fewer --features",
                         name, (long long)n, (long long)r->n_feature);
    return 0;
}

/* Bases times features that are scored at once: 32 MiB of scores. */
enum { PIECE_CELLS = 1 << 20 };

static int put_piece(bird_regions *out, const bird_region *x, int64_t start,
                     int64_t end)
{
    bird_region piece = {.contig = strdup(x->contig),
                         .start = start,
                         .end = end,
                         .strand = '.',
                         .line = x->line,
                         .index = x->index};
    int rc = piece.contig ? bird_array_grow(&out->at, &out->cap, out->n + 1,
                                            sizeof(*out->at))
                          : bird_fail_memory(0);

    if (rc)
        free(piece.contig);
    else
        out->at[out->n++] = piece;
    return rc;
}

/* Merge overlapping regions, and cut them into pieces that are scored at
 * once. */
static int merge_regions(struct bird_base_run *r)
{
    int64_t most = r->n_feature < PIECE_CELLS ? PIECE_CELLS / r->n_feature : 1;
    bird_regions cut = {0};
    int rc = 0;

    bird_regions_merge(&r->regions);
    if (r->format->content == BIRD_CONTENT_ALLELES)
        return 0; /* tables are cut into pieces by snv_table.c */
    for (int64_t i = 0; i < r->regions.n && !rc; i++) {
        const bird_region *x = &r->regions.at[i];

        for (int64_t at = x->start; at < x->end && !rc; at += most)
            rc =
                put_piece(&cut, x, at, x->end - at < most ? x->end : at + most);
    }
    bird_regions_free(rc ? &cut : &r->regions);
    if (!rc)
        r->regions = cut;
    return rc;
}

/* Read and check all regions before the first one is scored. */
static int read_regions(struct bird_base_run *r)
{
    struct bird_intervals set = {0};
    const char *name = r->region ? r->region : r->bed;
    int64_t end;
    int rc = bird_regions_read(&r->regions, r->region, r->bed,
                               r->context.genome, BIRD_POINT_TO_END);

    if (!rc && r->merge)
        rc = merge_regions(r);
    for (int64_t i = 0; !rc && i < r->regions.n; i++) {
        const bird_region *x = r->regions.at + i;

        rc = r->merge ? 0 : check_region(r, x);
        if (rc && x->line > 0 && r->regions.source)
            rc = bird_fail_in(rc, "%s: line %lld", r->regions.source,
                              (long long)x->line);
        r->all += x->end - x->start;
    }
    /* a picture of nothing would be an empty file, which is not SVG */
    if (!rc && r->format->content == BIRD_CONTENT_PICTURE && !r->regions.n)
        return bird_fail(BIRD_EINVAL,
                         "%s: no region in it, and a picture shows one", name);
    if (rc || r->format->content == BIRD_CONTENT_CELLS || r->regions.n < 2 ||
        (r->merge && r->format->content != BIRD_CONTENT_PICTURE))
        return rc;
    if (r->format->content == BIRD_CONTENT_PICTURE)
        return bird_fail(BIRD_EINVAL, "%s: a picture shows one region", name);
    rc = bird_intervals_new(&set, &r->regions);
    for (int64_t i = 0; !rc && i < set.n; i++)
        if (bird_intervals_span(&end, &set, i, -1) > i + 1) {
            rc = bird_fail(
                BIRD_EINVAL,
                "%s: regions on '%s' overlap, and a track has one "
                "value a base: write a table (-O tsv), or give "
                "each base once",
                name, bird_genome_name(r->context.genome, set.at[i].contig));
        }
    bird_intervals_free(&set);
    bird_regions_sort(
        &r->regions); /* readers of tracks expect sorted regions */
    return rc;
}

/* Is there one file for each feature? */
static int is_tracks(const struct bird_base_run *r)
{
    return r->several && r->format->content == BIRD_CONTENT_SEGMENTS;
}

int bird_base_run_open(struct bird_base_run *r,
                       const bird_variant_params *params)
{
    bird_variant_options v = {.features = r->features, .long_rows = 1};
    int rc;

    r->context.own_window = !r->each; /* a region lies in one window */
    r->context.bases_alone = 1;
    rc = bird_context_open(&r->context, params);
    if (!rc)
        rc = bird_selected_scores_new(
            &r->selected, r->context.model,
            bird_effect_features(r->context.effect), &v, BIRD_CONTENT_ALLELES,
            r->context.calibrated ? &r->context.calibration : NULL,
            bird_effect_replicates(r->context.effect));
    if (rc)
        return rc;
    r->n_feature = r->selected.n_feature;
    if (r->n_feature > 1 &&
        (r->choose ||
         (r->format->content != BIRD_CONTENT_CELLS &&
          r->format->content != BIRD_CONTENT_ALLELES && !is_tracks(r))))
        return bird_fail(BIRD_EINVAL,
                         "%lld features: %s shows one, choose it with "
                         "--features%s ('dnabird variant -m MODEL --list' "
                         "prints them)",
                         (long long)r->n_feature,
                         r->choose ? "this command" : r->format->name,
                         r->format->content == BIRD_CONTENT_SEGMENTS &&
                                 !r->choose
                             ? ", or give -O and a folder with -o"
                             : "");
    return read_regions(r);
}

void bird_base_run_free(struct bird_base_run *r)
{
    bird_context_close(&r->context);
    bird_selected_scores_free(&r->selected);
    bird_regions_free(&r->regions);
    for (int64_t i = 0; i < r->n_track; i++)
        bird_track_free(r->each_track[i]);
    free((void *)r->each_track);
    free(r->now.sequence);
}

/* The name of the i-th selected feature. */
static const char *feature_name(const struct bird_base_run *r, int64_t i)
{
    return r->selected.features.at[r->selected.feature[i]].name;
}

/* Begin the track of feature i. Its provenance names the feature if there are
 * several. */
static int open_track(struct bird_base_run *r, int64_t i, const char *path,
                      const struct bird_track_extra *x)
{
    bird_track_options o = r->track_options;
    struct bird_text model = {0}, reference = {0};
    char title[BIRD_MODEL_TITLE];
    int rc;

    bird_model_title(title, r->context.model);
    rc = bird_text_printf(&model, "%s", title);
    if (!rc && r->n_track > 1)
        rc = bird_text_printf(&model, ", feature %s", feature_name(r, i));
    if (!rc)
        rc = bird_context_reference(&reference, &r->context);
    o.path = path;
    o.model = model.s;
    o.reference = reference.s;
    if (!rc)
        rc = bird_track_begin(&r->each_track[i], r->format, &o, x);
    bird_text_free(&model);
    bird_text_free(&reference);
    return rc;
}

int bird_base_run_track(struct bird_base_run *r,
                        const struct bird_column *column, int64_t n_column)
{
    struct bird_track_extra x = {.significant = 1, .genome = r->context.genome};
    int64_t n = is_tracks(r) ? r->n_feature : 1;
    const char **name;
    char **path = NULL;
    int rc = bird_array_new(&name, n, sizeof(*name));

    if (r->format->content == BIRD_CONTENT_CELLS) {
        x.column = column;
        x.n_column = n_column;
    }
    for (int64_t i = 0; !rc && i < n; i++)
        name[i] = feature_name(r, i);
    if (!rc)
        rc = bird_array_new((void *)&r->each_track, n, sizeof(bird_track *));
    if (!rc)
        rc = bird_track_paths(&path, r->format, r->track_options.path, 0, name,
                              n);
    r->n_track = rc ? 0 : n;
    for (int64_t i = 0; !rc && i < n; i++)
        rc = open_track(r, i, path[i], &x);
    r->track = rc ? NULL : r->each_track[0];
    bird_track_paths_free(path, n);
    free((void *)name);
    return rc;
}

int bird_base_run_close(struct bird_base_run *r)
{
    int rc = 0;

    for (int64_t i = 0; !rc && i < r->n_track; i++) {
        bird_track *t = r->each_track[i];

        r->each_track[i] = NULL;
        rc = bird_track_close(t);
    }
    r->track = NULL;
    return rc;
}

/* Note once that a contig is shorter than the window. */
static int note_short(struct bird_base_run *r)
{
    int64_t n = bird_genome_length(r->context.genome, r->now.at->index);
    int first = !r->any_short;

    r->now.is_short = n < r->context.settings.window_bp;
    r->any_short |= r->now.is_short;
    if (!r->now.is_short || !first)
        return 0;
    return bird_context_note(
        &r->context.notice,
        "SHORT=1: %s has %lld bp, fewer than the window of "
        "%lld",
        bird_genome_name(r->context.genome, r->now.at->index), (long long)n,
        (long long)r->context.settings.window_bp);
}

int bird_base_run_region(struct bird_base_run *r, int64_t i)
{
    int rc;

    r->now.at = r->regions.at + i;
    r->now.n = r->now.at->end - r->now.at->start;
    rc = bird_array_grow(&r->now.sequence, &r->now.cap_sequence, r->now.n, 1);
    if (!rc)
        rc = note_short(r);
    return rc ? rc
              : bird_genome_fetch(r->context.genome, r->now.at->index,
                                  r->now.at->start, r->now.at->end,
                                  r->now.sequence);
}

bird_track_row bird_base_run_row(const struct bird_base_run *r, int64_t i,
                                 int64_t n)
{
    return (bird_track_row){
        .contig = bird_genome_name(r->context.genome, r->now.at->index),
        .record = r->now.at->index,
        .start = r->now.at->start + i,
        .end = r->now.at->start + i + n,
        .strand = '.'};
}

int bird_base_run_note(struct bird_base_run *r)
{
    struct bird_text note = {0};
    int rc;

    /* a binary format has no comment lines */
    if (!r->now.is_short || r->format->library)
        return 0;
    rc =
        bird_text_printf(&note, "# SHORT=1: %s\n",
                         bird_genome_name(r->context.genome, r->now.at->index));
    for (int64_t i = 0; !rc && i < r->n_track; i++)
        rc = bird_track_put_text(r->each_track[i], note.s, note.n);
    bird_text_free(&note);
    return rc;
}

int bird_base_run_picture(struct bird_base_run *r, struct bird_markup *picture)
{
    struct bird_markup style = {0};
    struct bird_text text = {0};
    const char *body;
    int rc;

    bird_svg_style(&style);
    rc = picture->rc ? picture->rc : style.rc;
    /* a picture in a file of its own has its style after the opening tag */
    body = rc ? NULL : strchr(picture->text.s, '>') + 1;
    if (!rc)
        rc = bird_text_printf(
            &text,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n%.*s\n"
            "<style>%s</style>%s",
            (int)(body - picture->text.s), picture->text.s, style.text.s, body);
    if (!rc)
        rc = bird_track_put_text(r->track, text.s, text.n);
    bird_text_free(&text);
    bird_text_free(&picture->text);
    bird_text_free(&style.text);
    return rc;
}
