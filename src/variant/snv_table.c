/* Writing a table of all single-base changes. Bases are scored in pieces. The
 * bounds of the pieces depend on the regions alone, and so do the bytes of the
 * output, however often a run was interrupted. The first pieces are short, so
 * that a first mark is written soon.
 * SPDX-License-Identifier: MIT */
#include "variant/snv_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/shard.h"
#include "dnabird/dnabird.h"
#include "variant/variant_out.h"
#include "variant/variant_resume.h"

enum {
    PIECE = 256, /* bases, a power of two */
    MARK_S = 2,
    ENOUGH = 2 * PIECE, /* bases after which the total is estimated */
    ENOUGH_S = 20,      /* or seconds */
    CHANGES = 3         /* of a base */
};

static const char bases[] = "ACGT";

struct where {        /* in the merged regions */
    int64_t from, to; /* bases of the shard */
    int64_t at;       /* the next base, and its region and position */
    int64_t region, pos;
};

struct piece {                           /* bases that are computed together */
    struct bird_allele_request *request; /* (PIECE, CHANGES) */
    struct bird_allele_result *result;   /* (PIECE, CHANGES) */
    char *alt;      /* (PIECE, CHANGES, 2) NUL-terminated */
    int64_t *first; /* (PIECE + 1) first request of each base */
};

struct table {
    /* options */
    const bird_mutate_options *o;
    struct bird_base_run *run;
    struct bird_shard shard;
    json_t *settings, *identity;
    char *settings_text;
    /* running */
    struct where where;
    struct piece piece;
    struct bird_sites sites; /* for results; only the context is set */
    struct bird_variant_out out;
    uint64_t bases_read; /* hash of the reference's bases around all so far */
    int64_t n_scored, n_row;
    time_t marked;
    double began_s;
    int64_t header_bytes;
    int told;
    bird_mutate_summary *sum;
};

/* --- what it depends on -------------------------------------------------- */

static int put(json_t *j, const char *key, json_t *value)
{
    return json_object_set_new_nocheck(j, key, value) ? bird_fail_memory(0) : 0;
}

/* The shifts of a change of one base. */
static json_t *list_shifts(const struct bird_effect_options *e)
{
    int64_t n = bird_effect_windows(e, 0);
    json_t *list = json_array();

    for (int64_t k = 0; k < n && list; k++)
        if (json_array_append_new(list, json_integer(e->shift[k]))) {
            json_decref(list);
            return NULL;
        }
    return list;
}

/* Shifts and tokens last: they may follow from the others, and the first setting
 * that differs is the one that is named. */
static int put_settings(json_t *j, const struct bird_variant_context *s)
{
    const struct bird_effect_options *e = &s->how;
    char contigs[65], share[32];
    int rc = bird_context_contigs(contigs, s);

    if (rc || (rc = put(j, "form", json_integer(BIRD_SNV_FORM))) ||
        (rc = put(j, "version", json_string_nocheck(bird_version()))) ||
        (rc = put(j, "model",
                  json_string_nocheck(bird_model_digest(s->model)))) ||
        (rc = put(j, "contigs", json_stringn_nocheck(contigs, 16))) ||
        (rc = put(j, "window", json_integer(e->layout.context_bp))) ||
        (rc = put(j, "span", json_integer(e->span_bp))) ||
        (rc = put(j, "strand",
                  json_string(e->plus && e->minus ? "both"
                              : e->plus           ? "+"
                                                  : "-"))))
        return rc;
    /* rounded to the 15 digits that the header has */
    snprintf(share, sizeof(share), "%.15g", e->max_unknown);
    if ((rc = put(j, "max-n", json_real(strtod(share, NULL)))) ||
        (rc = put(j, "precision",
                  json_string(bird_precision_name(s->settings.precision)))) ||
        (rc = put(j, "tokens", json_string(bird_tokens_name(e->tokens)))))
        return rc;
    rc = put(j, "list of shifts", list_shifts(e));
    return rc ? rc : bird_resume_settings(j, s->model);
}

int bird_snv_settings(json_t **out, const struct bird_variant_context *s)
{
    json_t *j = json_object();
    int rc = j ? put_settings(j, s) : bird_fail_memory(0);

    if (rc)
        json_decref(j);
    else
        *out = j;
    return rc;
}

/* Move to a base of the merged regions; region is n after the last. */
static void seek_base(struct table *t, int64_t base)
{
    const bird_regions *r = &t->run->regions;
    int64_t left = base;

    t->where.at = base;
    for (t->where.region = 0; t->where.region < r->n; t->where.region++) {
        const bird_region *x = &r->at[t->where.region];

        t->where.pos = x->start + left;
        if (t->where.pos < x->end)
            return;
        left -= x->end - x->start;
    }
}

/* The end of the piece that begins here: the next multiple of PIECE; at first
 * pieces of 1, 1, 2, 4, ... bases. */
static int64_t piece_end(const struct table *t)
{
    const bird_region *x = &t->run->regions.at[t->where.region];
    int64_t end = (t->where.pos / PIECE + 1) * PIECE,
            done = t->where.at - t->where.from;

    end = end < x->end ? end : x->end;
    end = end - t->where.pos < t->where.to - t->where.at
              ? end
              : t->where.pos + t->where.to - t->where.at;
    if (done < PIECE && end - t->where.pos > (done ? done : 1))
        end = t->where.pos + (done ? done : 1);
    return end;
}

static void step(struct table *t, int64_t end)
{
    t->where.at += end - t->where.pos;
    t->where.pos = end;
    if (end == t->run->regions.at[t->where.region].end &&
        ++t->where.region < t->run->regions.n)
        t->where.pos = t->run->regions.at[t->where.region].start;
}

/* --- a piece ------------------------------------------------------------- */

static int64_t contig_of(const struct table *t)
{
    return t->run->regions.at[t->where.region].index;
}

/* Read the bases from t->where.pos to `to`, and add to the hash what their windows
 * read. */
static int read_bases(struct table *t, const char **out, int64_t to)
{
    struct bird_variant_context *s = &t->run->context;
    int64_t reach = bird_effect_reach(s->effect), contig = contig_of(t);
    int64_t length = bird_genome_length(s->genome, contig);
    int64_t from = t->where.pos > reach ? t->where.pos - reach : 0;
    int64_t end = length - to > reach ? to + reach : length;
    int rc = bird_contig_cache_get(out, bird_effect_cache(s->effect), s->genome,
                                   contig, from, end);

    if (rc)
        return rc;
    t->bases_read = bird_mix_bytes(t->bases_read, *out, end - from);
    *out += t->where.pos - from;
    return 0;
}

/* Submit the changes of a base; *n grows by their number. */
static int submit_base(struct table *t, int64_t *n, char ref, int64_t pos)
{
    struct bird_change c = {
        .contig = contig_of(t), .start = pos, .end = pos + 1};
    int rc = 0;

    if (!strchr(bases, ref))
        return 0;
    for (const char *b = bases; *b && !rc; b++) {
        struct bird_allele_request *a = &t->piece.request[*n];

        if (*b == ref)
            continue;
        t->piece.alt[2 * *n] = *b;
        t->piece.alt[2 * (*n)++ + 1] = '\0';
        bird_text_clear(&c.alt);
        rc = bird_text_put(&c.alt, b, 1);
        if (!rc)
            rc = bird_effect_submit(t->run->context.effect, &a->request,
                                    &a->status, &c);
    }
    bird_change_free(&c);
    return rc;
}

static int report(const struct table *t, int64_t done)
{
    bird_progress p = {"scoring", "bases", done, t->where.to - t->where.from,
                       NULL,      NULL,    0};

    if (t->o->progress && t->o->progress(t->o->progress_context, &p))
        return bird_fail(BIRD_ECANCELED, "stopped");
    return 0;
}

/* Write the rows of a base, which has the requests from .. to. */
static int put_base(struct table *t, int64_t from, int64_t to, const char *ref,
                    int64_t pos)
{
    const char *alt[CHANGES];
    struct bird_vcf_record r = {
        .contig = bird_genome_name(t->run->context.genome, contig_of(t)),
        .pos = pos,
        .end = pos + 1,
        .id = ".",
        .ref = ref,
        .n_alt = to - from,
        .alt = alt};
    int scored = 0;

    for (int64_t k = from; k < to; k++) {
        bird_sites_result(&t->piece.result[k], &t->sites, &t->piece.request[k]);
        scored |= t->piece.request[k].status == BIRD_VARIANT_OK;
        alt[k - from] = t->piece.alt + 2 * k;
    }
    t->n_scored += scored;
    t->n_row += to - from;
    return from < to ? bird_variant_out_put(&t->out, &r, t->piece.result + from)
                     : 0;
}

static int score_piece(struct table *t, int64_t end)
{
    struct bird_effect *e = t->run->context.effect;
    struct bird_text piece = {0};
    int64_t n = 0, size = end - t->where.pos;
    const char *s;
    int rc = read_bases(t, &s, end);

    if (!rc)
        rc = bird_text_put(&piece, s, size);
    for (int64_t i = 0; i < size && !rc; i++) {
        t->piece.first[i] = n;
        rc = submit_base(t, &n, piece.s[i], t->where.pos + i);
        if (!rc)
            rc = report(t, t->where.at - t->where.from + i);
    }
    t->piece.first[size] = n;
    if (!rc)
        rc = bird_effect_flush(e);
    for (int64_t i = 0; i < size && !rc; i++) {
        const char ref[] = {piece.s[i], '\0'};

        rc = put_base(t, t->piece.first[i], t->piece.first[i + 1], ref,
                      t->where.pos + i);
    }
    bird_effect_evict(e);
    bird_text_free(&piece);
    return rc;
}

/* --- marks --------------------------------------------------------------- */

/* All that the bytes of the output depend on: settings, regions and columns. */
static int make_identity(struct table *t, int score)
{
    const bird_regions *r = &t->run->regions;
    struct bird_text regions = {0};
    char hex[65];
    json_t *j = json_deep_copy(t->settings);
    int rc = j ? bird_resume_model(j, &t->run->context, &t->run->selected)
               : bird_fail_memory(0);

    t->identity = j;
    for (int64_t i = 0; i < r->n && !rc; i++)
        rc = bird_text_printf(
            &regions, "%lld\t%lld\t%lld\n", (long long)r->at[i].index,
            (long long)r->at[i].start, (long long)r->at[i].end);
    bird_sha256(hex, regions.s ? regions.s : "", (size_t)regions.n);
    bird_text_free(&regions);
    if (rc || (rc = put(j, "set of regions", json_string(hex))) ||
        (rc = put(j, "part of the regions", json_integer(t->shard.i))) ||
        (rc = put(j, "number of parts", json_integer(t->shard.n))) ||
        (rc = put(j, "score", json_integer(score))) ||
        (rc = put(j, "choice of features",
                  bird_json_string(t->o->features ? t->o->features : ""))))
        return rc;
    return put(j, "choice of provenance", json_integer(t->o->no_version));
}

struct number {
    const char *key;
    int64_t *at;
};
enum { N_NUMBER = 3 };

static void list_numbers(struct number out[N_NUMBER], struct table *t)
{
    out[0] = (struct number){"bases", &t->where.at};
    out[1] = (struct number){"scored", &t->n_scored};
    out[2] = (struct number){"rows", &t->n_row};
}

static int make_state(json_t **out, struct table *t)
{
    struct number n[N_NUMBER];
    json_t *j = json_object();
    char sum[32];
    int rc = j ? 0 : bird_fail_memory(0);

    list_numbers(n, t);
    snprintf(sum, sizeof(sum), "%016llx", (unsigned long long)t->bases_read);
    for (int i = 0; i < N_NUMBER && !rc; i++)
        rc = put(j, n[i].key, json_integer(*n[i].at));
    if (!rc)
        rc = put(j, "read", json_string(sum));
    if (!rc)
        rc = put(j, "identity", json_incref(t->identity));
    if (rc)
        json_decref(j);
    else
        *out = j;
    return rc;
}

/* Read over the bases that were scored before: the reference must be the
 * same. */
static int pass_over(struct table *t, const char *wanted, int64_t to)
{
    char sum[32];
    const char *s;
    int rc = 0;

    while (t->where.at < to && !rc) {
        int64_t end = piece_end(t);

        rc = read_bases(t, &s, end);
        step(t, end);
    }
    snprintf(sum, sizeof(sum), "%016llx", (unsigned long long)t->bases_read);
    if (!rc && (t->where.at != to || !wanted || strcmp(sum, wanted) != 0))
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: its bases are not those from which %s.partial was "
                       "made: give that reference, or --force in place of "
                       "--resume to start over",
                       t->o->params.fasta, t->o->output);
    return rc;
}

static int take_state(struct table *t, int64_t *bytes, const json_t *state)
{
    const char *name = t->o->output;
    struct number n[N_NUMBER];
    int64_t from = t->where.at, to;
    int rc = bird_resume_check(json_object_get(state, "identity"), t->identity,
                               name);

    list_numbers(n, t);
    for (int i = 0; i < N_NUMBER && !rc; i++)
        rc = bird_json_int(n[i].at, state, n[i].key, -1, INT64_MAX, name);
    to = t->where.at;
    t->where.at = from;
    if (!rc)
        rc = bird_json_int(bytes, state, "bytes", -1, INT64_MAX, name);
    if (!rc && (*bytes < 1 || to < from || to > t->where.to))
        rc = bird_fail(BIRD_EFORMAT,
                       "%s.partial.json is not a checkpoint: remove it", name);
    t->sum->n_resumed = to - from;
    return rc ? rc
              : pass_over(t, json_string_value(json_object_get(state, "read")),
                          to);
}

static int find_mark(struct table *t, int64_t *bytes)
{
    json_t *state = NULL;
    int rc = t->o->resume ? bird_output_find_mark(&state, t->o->output) : 0;

    *bytes = 0;
    if (rc > 0) {
        rc = take_state(t, bytes, state);
        json_decref(state);
    } else if (!rc && t->o->resume) {
        rc = bird_context_note(&t->run->context.notice,
                               "%s: nothing to resume: started over",
                               t->o->output);
    }
    return rc;
}

static double now(void)
{
    struct timespec s;

    clock_gettime(CLOCK_MONOTONIC, &s);
    return (double)s.tv_sec + 1e-9 * (double)s.tv_nsec;
}

/* "40 s", "7.5 min", "31 h". */
static int put_time(struct bird_text *out, double seconds)
{
    return seconds < 90     ? bird_text_printf(out, "%.0f s", seconds)
           : seconds < 5400 ? bird_text_printf(out, "%.3g min", seconds / 60)
                            : bird_text_printf(out, "%.3g h", seconds / 3600);
}

/* Tell the expected size and time once enough bases are scored. */
static int tell(struct table *t, int64_t bytes)
{
    int64_t done = t->where.at - t->where.from,
            all = t->where.to - t->where.from;
    int64_t mine = done - t->sum->n_resumed;
    struct bird_text s = {0};
    double seconds = now() - t->began_s;
    double ratio = (double)all / (double)done;
    int rc;

    if (t->told || !t->o->tell || t->where.at == t->where.to ||
        (mine < ENOUGH && seconds < ENOUGH_S))
        return 0;
    t->told = 1;
    rc = bird_text_printf(&s, "table of %lld bases: up to %lld rows, about ",
                          (long long)all, (long long)all * CHANGES);
    if (!rc && bytes > 0)
        rc = bird_text_printf(&s, "%.3g MB, ",
                              1e-6 * ratio * (double)(bytes - t->header_bytes));
    if (!rc)
        rc = put_time(&s, seconds / (double)mine *
                              (double)(t->where.to - t->where.at));
    if (!rc)
        rc = bird_text_printf(&s, " to go, by its first %lld bases",
                              (long long)done);
    if (!rc)
        t->o->tell(t->o->tell_context, s.s);
    bird_text_free(&s);
    return rc;
}

/* End a piece, and a compressed block; write a mark every MARK_S seconds. */
static int mark(struct table *t)
{
    struct bird_output *out = t->out.track->output;
    json_t *state = NULL;
    time_t at = time(NULL);
    int rc = 0;

    if (bird_output_resumes(out) && at - t->marked >= MARK_S) {
        rc = make_state(&state, t);
        t->marked = at;
    }
    if (!rc)
        rc = bird_output_mark(out, state);
    json_decref(state);
    if (!rc)
        rc = tell(t, bird_output_bytes(out));
    return rc;
}

/* --- the run ------------------------------------------------------------- */

/* Does the table have this score over replicates? */
static int fits(const struct bird_selected_scores *s, int score)
{
    return bird_score_row(score)->of & bird_selected_scores_kind(s) &&
           (score != BIRD_SCORE_DISTANCE_SD ||
            bird_selected_scores_have_distance(s));
}

/* Select the columns: what `score` is made of, `score`, and all scores over
 * replicates. Motifs are scanned by those who look changes up. */
static void choose_scores(struct bird_selected_scores *s, int score)
{
    s->motif = s->scans_motifs = 0;
    s->n_score = 0;
    s->score[s->n_score++] =
        s->likelihood ? BIRD_SCORE_LL_REF : BIRD_SCORE_P_REF;
    s->score[s->n_score++] =
        s->likelihood ? BIRD_SCORE_LL_ALT : BIRD_SCORE_P_ALT;
    if (bird_score_is_distance(score) && score != BIRD_SCORE_DISTANCE)
        s->score[s->n_score++] = BIRD_SCORE_DISTANCE;
    s->score[s->n_score++] = score;
    for (int k = 0; k < BIRD_REPLICATE_SCORES && s->n_replicate; k++)
        if (bird_replicate_score(k) != score &&
            fits(s, bird_replicate_score(k)))
            s->score[s->n_score++] = bird_replicate_score(k);
}

static int open_table(struct table *t, int64_t bytes)
{
    struct bird_variant_context *s = &t->run->context;
    const bird_variant_options v = {.output = t->o->output,
                                    .index = t->o->index,
                                    .force = t->o->force,
                                    .no_version = t->o->no_version};
    struct bird_text reference = {0}, background = {0};
    char model[BIRD_MODEL_TITLE];
    struct bird_provenance p = {.model = model};
    int rc = bird_context_reference(&reference, s);

    bird_model_title(model, s->model);
    if (!rc)
        rc = bird_context_background(&background, s);
    p.reference = reference.s;
    p.background = background.s;
    t->settings_text =
        bird_json_dump(t->settings, JSON_COMPACT | JSON_REAL_PRECISION(15));
    if (!rc && !t->settings_text)
        rc = bird_fail_memory(0);
    t->out.format = t->run->format;
    t->out.settings = t->settings_text;
    t->out.headless = t->shard.i > 1;
    t->out.exact = 1;
    if (!rc)
        rc = bird_variant_out_open(&t->out, &v, &t->run->selected, &p, NULL,
                                   s->name, bytes);
    bird_text_free(&reference);
    bird_text_free(&background);
    return rc;
}

static int open_all(struct table *t, int score)
{
    int64_t all = t->run->all, bytes;
    int rc = bird_shard_parse(&t->shard, t->o->shard);

    if (rc ||
        (rc = bird_array_new(&t->piece.request, PIECE * CHANGES,
                             sizeof(*t->piece.request))) ||
        (rc = bird_array_new(&t->piece.result, PIECE * CHANGES,
                             sizeof(*t->piece.result))) ||
        (rc = bird_array_new(&t->piece.alt, PIECE * CHANGES * 2, 1)) ||
        (rc = bird_array_new(&t->piece.first, PIECE + 1,
                             sizeof(*t->piece.first))) ||
        (rc = bird_snv_settings(&t->settings, &t->run->context)) ||
        (rc = make_identity(t, score)))
        return rc;
    choose_scores(&t->run->selected, score);
    t->sites.context = &t->run->context;
    bird_shard_range(&t->where.from, &t->where.to, &t->shard, all);
    seek_base(t, t->where.from);
    if ((rc = find_mark(t, &bytes)) || (rc = open_table(t, bytes)))
        return rc;
    return 0;
}

static int score_all(struct table *t)
{
    struct bird_output *out = t->out.track->output;
    int rc = bird_output_mark(
        out, NULL); /* the header is a compressed block of its own */

    t->header_bytes = t->sum->n_resumed ? 0 : bird_output_bytes(out);
    t->began_s = now();
    while (!rc && t->where.at < t->where.to) {
        int64_t end = piece_end(t);

        if ((rc = score_piece(t, end)))
            break;
        step(t, end);
        if (!(rc = mark(t)))
            rc = report(t, t->where.at - t->where.from);
    }
    return rc;
}

/* Close the table. The index has one type for all shards, so it must reach the
 * ends of all regions. */
static int close_table(struct table *t)
{
    bird_track *track = t->out.track;
    const bird_regions *r = &t->run->regions;

    t->out.track = NULL;
    for (int64_t i = 0; i < r->n; i++)
        bird_track_reach(track, r->at[i].end);
    return bird_track_close(track);
}

static int note_short(struct table *t)
{
    const bird_regions *r = &t->run->regions;
    bird_genome *g = t->run->context.genome;

    for (int64_t i = 0; i < r->n; i++)
        t->sum->is_short |= bird_genome_length(g, r->at[i].index) <
                            t->run->context.settings.window_bp;
    return 0;
}

int bird_snv_table_run(struct bird_base_run *run, bird_mutate_summary *sum,
                       const bird_mutate_options *o, int score)
{
    struct table t = {.o = o, .run = run, .sum = sum};
    int rc = open_all(&t, score);

    if (!rc)
        rc = score_all(&t);
    if (!rc)
        rc = close_table(&t);
    if (!rc)
        rc = note_short(&t);
    sum->n_base = t.where.to - t.where.from;
    sum->n_scored = t.n_scored;
    sum->n_row = t.n_row;
    bird_variant_out_free(&t.out);
    bird_sites_free(&t.sites);
    json_decref(t.settings);
    json_decref(t.identity);
    free(t.settings_text);
    free(t.piece.request);
    free(t.piece.result);
    free(t.piece.alt);
    free(t.piece.first);
    return rc;
}
