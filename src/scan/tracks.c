/* Rows of a scan to tracks: the format decides what it is given.
 *
 * Rows of bins are written at once. Calls join neighbouring bins at or above a
 * threshold (track/calls.h), segments join bases of equal value; both come out
 * some rows later, so the contig's name is kept until its last record is
 * written. SPDX-License-Identifier: MIT */
#include "scan/tracks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/text.h"
#include "scan/top_calls.h"
#include "seq/genes.h"
#include "track/calls.h"
#include "track/files.h"

struct writer {
    struct bird_scan_tracks o;
    struct bird_scan *scan;
    bird_track **track; /* (n_track) segments of features: one each; else one */
    int64_t n_track, n_row;
    /* the current contig */
    struct bird_text contig;
    int64_t record;
    int begun;
    struct bird_scored *scored; /* (n_column) of the current row */
    struct bird_column *column; /* (2 + n_column) of cells: name, status, ... */
    struct bird_cell *cell;     /* of the same */
    struct bird_calls *calls;   /* of calls */
    struct bird_top_calls *top; /* calls that are written at the end; or NULL */
    struct bird_genes *genes;   /* of calls; or NULL */
    struct bird_stitch **stitch; /* (n_track) of segments */
    int64_t clipped;             /* cursor of the regions of segments */
};

/* Columns of the nearest gene. */
static const struct bird_column of_genes[] = {
    {.name = "gene"}, {.name = "tss_distance", .type = BIRD_CELL_SIGNED}};

static int put_track(struct writer *w, int64_t i, const bird_track_row *row)
{
    if (!bird_scan_owns(w->scan, row->record, row->start))
        return 0;
    w->n_row++;
    return bird_track_put(w->track[i], row);
}

/* --- rows of bins -------------------------------------------------------- */

/* A row for each strand. */
static int put_strands(struct writer *w, const struct bird_scan_row *bin)
{
    int rc = 0;

    for (int64_t k = 0; !rc && k < w->o.n_column; k++) {
        const struct bird_scored *x = &w->scored[k];
        bird_track_row row = {.contig = w->contig.s,
                              .record = w->record,
                              .start = bin->start,
                              .end = bin->end,
                              .strand = w->o.column[k].strand,
                              .value =
                                  bin->value ? x->probability : (double)NAN,
                              .raw = bin->value ? x->raw : 0,
                              .status = bin->status};

        rc = put_track(w, 0, &row);
    }
    return rc;
}

/* One row with a cell for each feature. */
static int put_cells(struct writer *w, const struct bird_scan_row *bin)
{
    const bird_track_row at = {
        .contig = w->contig.s, .start = bin->start, .end = bin->end};

    if (!bird_scan_owns(w->scan, w->record, bin->start))
        return 0;
    w->cell[0].text = bin->regions && *bin->regions ? bin->regions : NULL;
    w->cell[1].text = bin->status ? bin->status : "ok";
    for (int64_t k = 0; k < w->o.n_column; k++)
        w->cell[2 + k].real =
            bin->value ? w->scored[k].probability : (double)NAN;
    w->n_row++;
    return bird_track_put_cells(w->track[0], &at, w->cell);
}

static int new_cells(struct writer *w)
{
    int64_t n = w->o.n_column;
    int rc = bird_array_new(&w->column, n + 2, sizeof(*w->column));

    if (!rc)
        rc = bird_array_new(&w->cell, n + 2, sizeof(*w->cell));
    if (rc)
        return rc;
    w->column[0].name = "name";
    w->column[1].name = "status";
    for (int64_t k = 0; k < n; k++)
        w->column[2 + k] = (struct bird_column){.name = w->o.column[k].name,
                                                .type = BIRD_CELL_REAL};
    return 0;
}

/* --- calls --------------------------------------------------------------- */

/* A call, with its nearest gene if genes were given. */
static int put_call(struct writer *w, const bird_track_row *row)
{
    struct bird_nearest_gene gene;
    struct bird_cell cell[2];

    if (!w->genes)
        return put_track(w, 0, row);
    bird_genes_nearest(&gene, w->genes, row->contig, row->summit,
                       row->summit + 1);
    cell[0] = (struct bird_cell){.text = gene.name};
    cell[1] =
        (struct bird_cell){.integer = gene.name ? gene.distance : INT64_MIN};
    if (!bird_scan_owns(w->scan, row->record, row->start))
        return 0;
    w->n_row++;
    return bird_track_put_with(w->track[0], row, cell);
}

static int drain_calls(struct writer *w)
{
    struct bird_call c;
    int rc = 0;

    while (!rc && bird_calls_next(w->calls, &c)) {
        const struct bird_scan_column *column = &w->o.column[c.track];
        bird_track_row row = {.contig = w->contig.s,
                              .record = c.contig,
                              .start = c.start,
                              .end = c.end,
                              .strand = column->strand,
                              .value = c.probability,
                              .raw = c.raw,
                              .summit = c.summit,
                              .n_window = c.n_window,
                              .name = column->name};

        rc = w->top ? bird_top_calls_put(w->top, &row) : put_call(w, &row);
    }
    return rc;
}

/* Write the calls that were kept to the end. */
static int put_top(struct writer *w)
{
    const bird_track_row *row;
    int rc = 0;

    if (!w->top)
        return 0;
    bird_top_calls_sort(w->top, w->o.by_probability);
    for (int64_t i = 0; !rc && (row = bird_top_calls_at(w->top, i)); i++)
        rc = put_call(w, row);
    return rc;
}

static int put_calls(struct writer *w)
{
    int rc = 0;

    for (int64_t k = 0; !rc && k < w->o.n_column; k++)
        rc = bird_calls_put(w->calls, &w->scored[k]);
    return rc ? rc : drain_calls(w);
}

static int new_calls(struct writer *w, const struct bird_layout *l)
{
    int64_t n = w->o.n_column;
    double *threshold, *level;
    int rc = bird_array_new(&threshold, 2 * n, sizeof(*threshold));

    if (rc)
        return rc;
    level = threshold + n;
    for (int64_t k = 0; k < n; k++) {
        threshold[k] = w->o.column[k].threshold;
        level[k] = w->o.column[k].level;
    }
    rc = bird_calls_new(&w->calls, threshold, n, 0);
    if (!rc) {
        bird_calls_level(w->calls, level);
        bird_calls_merge(w->calls, w->o.merge_bp);
    }
    free(threshold);
    if (!rc && (w->o.top || w->o.by_probability))
        rc = bird_top_calls_new(&w->top, w->o.top);
    if (!rc && w->o.genes)
        rc = bird_genes_read(&w->genes, w->o.genes);
    /* a call ends more than merge_bp behind its last window */
    if (!rc && w->o.site_bp && w->o.site_bp <= w->o.merge_bp)
        rc = bird_calls_near(w->calls, w->o.site_bp, l->stride_bp);
    else if (!rc && l->on_grid && l->stride_bp < l->bin_bp)
        rc = bird_calls_overlap(w->calls, l->bin_bp, l->stride_bp);
    return rc;
}

/* --- segments ------------------------------------------------------------ */

/* The part of a segment that is written: of strands, what lies in the regions,
 * since around these not all windows over a base were scored. */
static int clip_segment(struct writer *w, const struct bird_segment *g,
                        int64_t *start, int64_t *end)
{
    *end = g->end;
    return w->o.features
               ? *start < g->end
               : bird_source_clip(bird_scan_source(w->scan), &w->clipped,
                                  g->contig, start, end, g->end);
}

static int drain_segments(struct writer *w, int64_t i)
{
    struct bird_segment g;
    int rc = 0;

    while (!rc && bird_stitch_next(w->stitch[i], &g)) {
        int64_t at = g.start, end;

        for (; !rc && clip_segment(w, &g, &at, &end); at = end) {
            bird_track_row row = {.contig = w->contig.s,
                                  .record = g.contig,
                                  .start = at,
                                  .end = end,
                                  .strand = '.',
                                  .value = g.value};

            rc = put_track(w, i, &row);
        }
    }
    return rc;
}

static int put_segments(struct writer *w)
{
    int rc = 0;

    for (int64_t k = 0; !rc && k < w->o.n_column; k++) {
        int64_t i = w->o.features ? k : 0;
        struct bird_scored x = w->scored[k];

        x.track = w->o.features ? 0 : x.track;
        rc = bird_stitch_put(w->stitch[i], &x);
        if (!rc)
            rc = drain_segments(w, i);
    }
    return rc;
}

static int new_segments(struct writer *w)
{
    int rc = bird_array_new(&w->stitch, w->n_track, sizeof(*w->stitch));

    for (int64_t i = 0; !rc && i < w->n_track; i++)
        rc = bird_stitch_new(&w->stitch[i]);
    return rc;
}

/* --- the rows of the scan ------------------------------------------------ */

/* Write what waits of the current contig. */
static int finish_contig(struct writer *w)
{
    int rc = 0;

    if (w->calls) {
        rc = bird_calls_finish(w->calls);
        return rc ? rc : drain_calls(w);
    }
    for (int64_t i = 0; !rc && w->stitch && i < w->n_track; i++) {
        rc = bird_stitch_finish(w->stitch[i]);
        if (!rc)
            rc = drain_segments(w, i);
    }
    return rc;
}

static int begin_contig(struct writer *w, const struct bird_scan_row *row)
{
    int rc = w->begun ? finish_contig(w) : 0;

    if (rc)
        return rc;
    w->record = row->contig;
    w->begun = 1;
    bird_text_clear(&w->contig);
    return bird_text_printf(&w->contig, "%s", row->name);
}

/* The probabilities of a row. */
static void score(struct writer *w, const struct bird_scan_row *row)
{
    for (int64_t k = 0; k < w->o.n_column; k++) {
        const struct bird_scan_column *column = &w->o.column[k];
        double raw = (double)row->value[column->value];
        double p = bird_probability_of(w->o.map, column->label, raw);

        w->scored[k] = (struct bird_scored){
            .contig = row->contig,
            .start = row->start,
            .end = row->end,
            .track = (int32_t)k,
            .probability = w->o.features ? (double)(float)p : p,
            .raw = raw};
    }
}

static int put(void *context, const struct bird_scan_row *row)
{
    struct writer *w = context;
    int rc = 0;

    if (!w->begun || row->contig != w->record)
        rc = begin_contig(w, row);
    if (rc)
        return rc;
    if (row->value)
        score(w, row);
    if (w->cell)
        return put_cells(w, row);
    if (!w->calls && !w->stitch)
        return put_strands(w, row);
    if (!row->value)
        return 0;
    return w->calls ? put_calls(w) : put_segments(w);
}

static int extends(void *context, const struct bird_scan_row *row,
                   int64_t before)
{
    const struct writer *w = context;

    if (w->calls)
        return bird_calls_reach(w->calls, row->contig, before, row->start);
    for (int64_t i = 0; w->stitch && i < w->n_track; i++)
        if (bird_stitch_reaches(w->stitch[i], row->contig, before, row->start))
            return 1;
    return 0;
}

/* Columns that are added to those of the format. */
static int64_t count_columns(const struct writer *w)
{
    return w->column ? w->o.n_column + 2 : w->genes ? 2 : 0;
}

/* --- files --------------------------------------------------------------- */

static int open_track(struct writer *w, int64_t i, const char *path,
                      const char *model, const char *shard)
{
    bird_track_options o = w->o.track;
    const struct bird_track_extra x = {
        .genome = w->o.format->needs_contigs ? bird_scan_source(w->scan)->genome
                                             : NULL,
        .column = w->genes ? of_genes : w->column,
        .n_column = count_columns(w),
        .any_order = w->o.by_probability,
        .headless = bird_scan_headless(shard)};

    o.path = path;
    o.model = model;
    return bird_track_begin(&w->track[i], w->o.format, &o, &x);
}

static int name_files(char ***out, const struct writer *w)
{
    const char **name;
    int rc = bird_array_new(&name, w->n_track, sizeof(*name));

    for (int64_t i = 0; !rc && i < w->n_track; i++)
        name[i] = w->o.column[i].name;
    if (!rc)
        rc = bird_track_paths(out, w->o.format, w->o.track.path, w->o.gz, name,
                              w->n_track);
    free((void *)name);
    return rc;
}

/* A file for each feature. */
static int open_files(struct writer *w, const char *shard)
{
    struct bird_text label = {0};
    char **path = NULL;
    int rc = name_files(&path, w);

    for (int64_t i = 0; !rc && i < w->n_track; i++) {
        bird_text_clear(&label);
        rc = bird_text_printf(&label, "%s, feature %s", w->o.track.model,
                              w->o.column[i].name);
        if (!rc)
            rc = open_track(w, i, path[i], label.s, shard);
    }
    bird_track_paths_free(path, w->n_track);
    bird_text_free(&label);
    return rc;
}

static int open_tracks(struct writer *w, const struct bird_layout *l,
                       const char *shard)
{
    enum bird_content content = w->o.format->content;
    int each = content == BIRD_CONTENT_SEGMENTS && w->o.features, rc;

    w->n_track = each ? w->o.n_column : 1;
    rc = bird_array_new(&w->track, w->n_track, sizeof(*w->track));
    if (!rc)
        rc = bird_array_new(&w->scored, w->o.n_column, sizeof(*w->scored));
    if (!rc && content == BIRD_CONTENT_CELLS)
        rc = new_cells(w);
    if (!rc && content == BIRD_CONTENT_CALLS)
        rc = new_calls(w, l);
    if (!rc && content == BIRD_CONTENT_SEGMENTS)
        rc = new_segments(w);
    if (rc)
        return rc;
    return each ? open_files(w, shard)
                : open_track(w, 0, w->o.track.path, w->o.track.model, shard);
}

static int close_tracks(struct writer *w)
{
    int rc = finish_contig(w);

    if (!rc)
        rc = put_top(w);
    for (int64_t i = 0; !rc && i < w->n_track; i++) {
        bird_track *track = w->track[i];

        w->track[i] = NULL;
        rc = bird_track_close(track);
    }
    return rc;
}

static void clean_up(struct writer *w)
{
    for (int64_t i = 0; i < w->n_track; i++) {
        if (w->track)
            bird_track_free(w->track[i]);
        if (w->stitch)
            bird_stitch_free(w->stitch[i]);
    }
    bird_calls_free(w->calls);
    bird_top_calls_free(w->top);
    bird_genes_free(w->genes);
    bird_scan_close(w->scan);
    bird_text_free(&w->contig);
    free((void *)w->stitch);
    free((void *)w->track);
    free(w->scored);
    free(w->column);
    free(w->cell);
}

int bird_scan_check_format(const struct bird_format *f, const char *fasta,
                           const char *shard)
{
    int rc = bird_format_check_shard(f, shard);

    if (!rc && f->needs_contigs && !strcmp(fasta, "-"))
        rc = bird_fail(BIRD_EINVAL,
                       "%s needs the lengths of all contigs first: name a "
                       "FASTA file",
                       f->name);
    return rc;
}

int bird_scan_write(struct bird_scan_counts *counts,
                    struct bird_scan_written *written,
                    const struct bird_scan_input *input,
                    const struct bird_scan_plan *plan,
                    const struct bird_scan_tracks *tracks)
{
    struct writer w = {.o = *tracks};
    struct bird_scan_plan p = *plan;
    int rc;

    p.put = put;
    p.extends = extends;
    p.context = &w;
    p.genome = tracks->format->needs_contigs;
    p.names = tracks->format->content == BIRD_CONTENT_CELLS;
    rc = bird_scan_begin(&w.scan, input, &p);
    if (!rc)
        rc = open_tracks(&w, &plan->layout, input->shard);
    if (!rc)
        rc = bird_scan_run(w.scan);
    if (!rc)
        rc = close_tracks(&w);
    if (!rc) {
        *written =
            (struct bird_scan_written){.n_row = w.n_row, .n_file = w.n_track};
        if (w.genes)
            bird_genes_notice(written->notice, sizeof(written->notice),
                              w.genes);
        bird_scan_count(w.scan, counts);
    }
    clean_up(&w);
    return rc;
}
