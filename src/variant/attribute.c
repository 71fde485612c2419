/* dnabird attribute: the window of a region becomes tokens of both strands,
 * attribution.h computes a value for each token, and tokens become bases or
 * words of the region again.
 *
 * Both strands are one batch, since the answer is the mean of their
 * probabilities. Where words are single bases, the values of a base on both
 * strands are added; longer words differ between the strands and stay separate.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/order.h"
#include "dnabird/dnabird.h"
#include "dnabird/variant.h"
#include "head/head.h"
#include "model/stem.h"
#include "session/pack.h"
#include "session/session.h"
#include "token/vocab.h"
#include "variant/attribution.h"
#include "variant/base_run.h"

static const char bases[] = "ACGT";
enum {
    BASES = 4,
    WIDE = BASES + 1 /* values of a word: for A, C, G, T, and its own */
};

/* A word of the region, or a base with the values of A, C, G, T in its
 * place. */
struct word {
    int64_t start, n; /* in the region; n bases */
    char strand;      /* '.': both */
    const char *text;
    double value[WIDE]; /* NAN: none */
};

struct attribution {
    const bird_attribute_options *o;
    struct bird_base_run run;
    struct bird_attribution *pass;
    uint8_t *varies;     /* (vocabulary) 1: a word of A, C, G and T alone */
    int single;          /* 1: these words are the four bases */
    int32_t base[BASES]; /* their ids */
    struct bird_pack pack;
    struct bird_anchor anchor;
    struct bird_rows rows;
    char *reverse;
    int64_t *first_base; /* (T) of each token, in its strand's bases */
    double *value;       /* (T, values) */
    struct word *word;   /* (n_word) of the region */
    int64_t cap_reverse, cap_first_base, cap_value, n_word, cap_word;
    int64_t n_computed;          /* regions with values */
    struct bird_text without[2]; /* the first region without values that has
                                    too many N [1], or for another reason [0] */
    int64_t n_without[2];        /* such regions */
    bird_attribute_summary sum;
};

enum { STEPS = 32 };

/* Midpoints; 0: the gradient. */
static int64_t steps_of(const bird_attribute_options *o)
{
    return o->method != BIRD_ATTRIBUTE_INTEGRATED ? 0
           : o->steps < 0                         ? STEPS
                                                  : o->steps;
}

void bird_attribute_options_default(bird_attribute_options *o)
{
    *o = (bird_attribute_options){.method = BIRD_ATTRIBUTE_GRADIENT,
                                  .steps = -1};
    o->params.max_unknown = 0.05;
    o->params.span_bp = -1;
}

static int check(struct attribution *a)
{
    const bird_attribute_options *o = a->o;
    int rc = bird_params_check(&o->params);

    if (!rc && !o->region && !o->regions)
        rc = bird_fail(BIRD_EINVAL, "no region: give one with -r or -R");
    if (!rc && (o->method < 0 || o->method >= BIRD_ATTRIBUTE_METHODS))
        rc = bird_fail(BIRD_EINVAL, "unknown method");
    if (!rc && o->steps != -1 && o->method == BIRD_ATTRIBUTE_GRADIENT)
        rc = bird_fail(BIRD_EINVAL, "steps are for integrated gradients: "
                                    "--method integrated");
    if (!rc && o->steps != -1 &&
        (o->steps < 1 || o->steps > BIRD_ATTRIBUTE_STEPS))
        rc = bird_fail(BIRD_EINVAL, "%lld steps: give 1 to %d",
                       (long long)o->steps, BIRD_ATTRIBUTE_STEPS);
    if (!rc && (o->params.tokens != BIRD_TOKENS_AUTO ||
                (o->params.shifts && strcmp(o->params.shifts, "auto") != 0)))
        rc = bird_fail(BIRD_EINVAL, "attributions are of one window of the "
                                    "sequence as it is: no shifts, no tokens");
    if (!rc && o->params.precision != BIRD_FLOAT32)
        rc = bird_fail(BIRD_EINVAL, "attributions are computed in float32");
    if (!rc)
        rc = bird_format_choose(&a->run.format, BIRD_TRACK_ATTRIBUTE, o->format,
                                o->output);
    return rc ? rc : bird_format_check(a->run.format, o->output, o->index);
}

/* --- words ---------------------------------------------------------------- */

/* The bases of a word; NULL if it has other characters than A, C, G and T. */
static const char *bases_of(const bird_tokenizer *t, int32_t id)
{
    const char *s = bird_tokenizer_token(t, id);
    size_t n = t->prefix ? strlen(t->prefix) : 0;

    if (!s)
        return NULL;
    s += n && !strncmp(s, t->prefix, n) ? n : 0;
    return *s && !s[strspn(s, bases)] ? s : NULL;
}

static int read_words(struct attribution *a)
{
    const bird_model *m = a->run.context.model;
    int64_t n = bird_tokenizer_count(bird_model_tokenizer(m));
    int rc = bird_array_new(&a->varies, bird_model_config(m)->vocab_size, 1);

    a->single = 1;
    memset(a->base, -1, sizeof(a->base));
    for (int32_t id = 0; !rc && id < n; id++) {
        const char *s = bases_of(bird_model_tokenizer(m), id);

        if (!s)
            continue;
        a->varies[id] = 1;
        if (s[1])
            a->single = 0;
        else
            a->base[strchr(bases, *s) - bases] = id;
    }
    for (int k = 0; k < BASES; k++)
        a->single = a->single && a->base[k] >= 0;
    return rc;
}

/* Tracks and pictures need one value for each base. */
static int check_words(const struct attribution *a)
{
    const struct bird_effect_options *how = &a->run.context.how;
    const bird_tokenizer *t = bird_model_tokenizer(a->run.context.model);

    if (a->single || a->run.format->content == BIRD_CONTENT_CELLS)
        return 0;
    if (t->kmer > t->stride && t->stride)
        return bird_fail(BIRD_EINVAL,
                         "%s: its words overlap, but %s needs one value for "
                         "each base: write a table (-O tsv)",
                         bird_model_path(a->run.context.model),
                         a->run.format->name);
    if (how->plus && how->minus)
        return bird_fail(BIRD_EINVAL,
                         "%s: its words have several bases and differ between "
                         "the strands: choose one with --strand, or write a "
                         "table (-O tsv)",
                         bird_model_path(a->run.context.model));
    return 0;
}

static int open_all(struct attribution *a)
{
    bird_variant_params params = a->o->params;
    const bird_model *m;
    char *found = NULL;
    int rc = params.model ? 0 : bird_default_model(&found, NULL);

    if (rc)
        return rc;
    if (found) /* the model of alleles has no probabilities */
        params.model = found;
    params.shifts = "0"; /* one window is attributed */
    params.tokens = BIRD_TOKENS_FREE;
    a->run.context.fresh = 1; /* attributions have no background */
    rc = bird_base_run_open(&a->run, &params);
    free(found);
    if (rc)
        return rc;
    m = a->run.context.model;
    if (!bird_head_scores(bird_model_config(m)))
        rc = bird_fail(BIRD_EUNSUPPORTED,
                       "%s does not score sequences: its answers are of tokens "
                       "(%s), and there is nothing to attribute",
                       bird_model_path(m), bird_model_config(m)->head->name);
    if (!rc)
        rc = bird_model_check_scores(m);
    if (!rc)
        rc = read_words(a);
    if (!rc)
        rc = check_words(a);
    if (rc)
        return rc;
    a->pack.c = bird_model_config(m);
    a->anchor.t = bird_model_tokenizer(m);
    a->anchor.max_tokens = bird_stem_tokens(
        bird_model_config(m), bird_model_config(m)->max_positions);
    return bird_attribution_new(&a->pass, bird_model_config(m),
                                bird_model_weights(m), a->varies);
}

/* --- a window ------------------------------------------------------------- */

/* Add the tokens of one strand to the pack, and their first bases. */
static int add_strand(struct attribution *a, const char *s, int64_t n)
{
    const bird_model *m = a->run.context.model;
    int bins = a->run.context.how.layout.on_grid, trimmed;
    int64_t first = a->pack.n_tok, from = 0, before = 0;
    const bird_encoding *e = bins ? &a->pack.encoding : &a->anchor.ref;
    int rc;

    if (bins) {
        rc = bird_pack_add_bins(&a->pack, bird_model_tokenizer(m),
                                &(struct bird_binned){s, n, 0});
    } else {
        rc = bird_anchor_ref(&a->anchor, &a->rows, &trimmed, s, n);
        if (!rc)
            rc = bird_pack_add_ids(&a->pack, a->rows.ids, NULL, a->rows.n);
        from = a->anchor.from;
        before = bird_model_tokenizer(m)->n_before;
    }
    if (!rc)
        rc = bird_array_grow(&a->first_base, &a->cap_first_base, a->pack.n_tok,
                             sizeof(*a->first_base));
    for (int64_t i = first; !rc && i < a->pack.n_tok; i++) {
        int64_t k = i - first - before + from;

        a->first_base[i] = k >= from && k < e->n ? e->start[k] : -1;
    }
    return rc;
}

static int add_strands(struct attribution *a,
                       const struct bird_region_window *w)
{
    const struct bird_effect_options *how = &a->run.context.how;
    int64_t n = w->end - w->start;
    int rc = bird_array_grow(&a->reverse, &a->cap_reverse, n, 1);

    bird_pack_clear(&a->pack);
    if (!rc && how->plus)
        rc = add_strand(a, w->bases, n);
    if (!rc && how->minus) {
        bird_reverse_complement(a->reverse, w->bases, n);
        rc = add_strand(a, a->reverse, n);
    }
    return rc;
}

/* Which logits the answer is made of. On the other strand bins count from the
 * end, and the label is its partner. */
static struct bird_answer_spec answer_of(const struct attribution *a,
                                         const struct bird_region_window *w)
{
    const bird_model *m = a->run.context.model;
    const struct bird_effect_options *how = &a->run.context.how;
    int64_t label = a->run.selected.feature[0];
    int64_t first = bird_head_columns(bird_model_config(m)) -
                    bird_model_labels(bird_model_config(m));
    struct bird_answer_spec s = {
        .n_row = w->bins.end - w->bins.first,
        .choice = bird_config_is_choice(bird_model_config(m))};

    if (how->plus)
        s.seq[s.n_seq++] =
            (struct bird_answer_rows){w->bins.first, 1, first + label};
    if (how->minus) {
        int64_t n =
            how->layout.on_grid ? a->pack.bin[s.n_seq + 1] : s.n_seq + 1;

        s.seq[s.n_seq++] = (struct bird_answer_rows){
            n - 1 - w->bins.first, -1,
            first + (bird_model_strand_pair(m)
                         ? bird_model_strand_pair(m)[label]
                         : label)};
    }
    return s;
}

static int new_word(struct attribution *a, struct word **out)
{
    int rc = bird_array_grow(&a->word, &a->cap_word, a->n_word + 1,
                             sizeof(*a->word));

    if (rc)
        return rc;
    *out = &a->word[a->n_word++];
    **out = (struct word){.n = 1, .strand = '.'};
    for (int k = 0; k < WIDE; k++)
        (*out)->value[k] = (double)NAN;
    return 0;
}

/* Every base of the region, without values yet. */
static int new_bases(struct attribution *a)
{
    const struct bird_effect_options *how = &a->run.context.how;
    struct word *w;
    int rc = 0;

    a->n_word = 0;
    for (int64_t i = 0; a->single && i < a->run.now.n && !rc; i++) {
        rc = new_word(a, &w);
        if (!rc) {
            w->start = i;
            w->text = a->run.now.sequence + i;
            w->strand = how->plus && how->minus ? '.' : how->plus ? '+' : '-';
        }
    }
    return rc;
}

static void add_value(double *sum, double x)
{
    *sum = isnan(*sum) ? x : *sum + x;
}

/* Keep the values of token i, which has n bases from `at` of the contig on. */
static int keep_token(struct attribution *a, int64_t i, int64_t at, int64_t n,
                      int minus)
{
    const double *v = a->value + i * (a->single ? WIDE : 1);
    const char *text =
        bases_of(bird_model_tokenizer(a->run.context.model), a->pack.ids[i]);
    struct word *w;
    int rc;

    at -= a->run.now.at->start;
    if (at < 0 || at >= a->run.now.n)
        return 0;
    if (!a->single) {
        rc = new_word(a, &w);
        if (rc)
            return rc;
        w->start = at;
        w->n = n;
        w->strand = minus ? '-' : '+';
        w->text = text;
        w->value[BASES] = v[0];
        return 0;
    }
    w = &a->word[at];
    for (int k = 0; k < BASES; k++)
        add_value(&w->value[k], v[minus ? BASES - 1 - k : k]);
    add_value(&w->value[BASES], v[BASES]);
    return 0;
}

/* Keep the values of all tokens in the region. */
static int keep_values(struct attribution *a,
                       const struct bird_region_window *w)
{
    int rc = 0;

    for (int64_t s = 0; s < a->pack.n_seq && !rc; s++) {
        int minus = s == 1 || !a->run.context.how.plus;

        for (int64_t i = a->pack.token[s]; i < a->pack.token[s + 1] && !rc;
             i++) {
            int32_t id = a->pack.ids[i];
            int64_t n, at = a->first_base[i];

            if (at < 0 || !a->varies[id])
                continue;
            n = (int64_t)strlen(
                bases_of(bird_model_tokenizer(a->run.context.model), id));
            at = minus ? w->end - at - n : w->start + at;
            rc = keep_token(a, i, at, n, minus);
        }
    }
    return rc;
}

static int compare_words(const void *x, const void *y)
{
    const struct word *a = x, *b = y;

    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->strand > b->strand) - (a->strand < b->strand);
}

/* Add the results of a region to the summary: means over regions. */
static void count_run(struct attribution *a,
                      const struct bird_attribution_run *r)
{
    double all = r->at - r->at_baseline;
    double error = fabs(r->sum - all) / fabs(all);

    a->n_computed++; /* means are taken at the end */
    a->sum.n_forward += r->n_forward;
    a->sum.n_backward += r->n_backward;
    a->sum.at += r->at;
    a->sum.sum += r->sum;
    if (!r->n_step)
        return;
    a->sum.at_baseline += r->at_baseline;
    if (error > a->sum.completeness)
        a->sum.completeness = error;
}

static int compute(struct attribution *a, const struct bird_region_window *w)
{
    struct bird_answer_spec f;
    struct bird_batch b;
    struct bird_attribution_run r = {.b = &b,
                                     .f = &f,
                                     .n_step = steps_of(a->o),
                                     .word = a->base,
                                     .n_word = a->single ? BASES : 0};
    int rc = add_strands(a, w);

    if (!rc)
        rc = bird_array_grow(&a->value, &a->cap_value, a->pack.n_tok * WIDE,
                             sizeof(*a->value));
    if (rc)
        return rc;
    b = bird_pack_batch(&a->pack);
    f = answer_of(a, w);
    r.value = a->value;
    rc = bird_attribution_compute(a->pass, &r);
    if (!rc)
        rc = keep_values(a, w);
    if (!rc)
        count_run(a, &r);
    return rc;
}

/* Count the bases of the region in words with a value, on the first strand. */
static void count_scored(struct attribution *a)
{
    int minus = !a->run.context.how.plus;

    for (int64_t i = 0; i < a->n_word; i++) {
        const struct word *w = &a->word[i];
        int64_t left = a->run.now.n - w->start;

        if (!isnan(w->value[BASES]) && (w->strand == '-' ? minus : 1))
            a->sum.n_scored += w->n < left ? w->n : left;
    }
}

/* Count a region without values; the first one of a reason is named. */
static int leave_out(struct attribution *a, enum bird_variant_status status)
{
    int k = status == BIRD_VARIANT_MANY_N;

    if (a->n_without[k]++)
        return 0;
    return bird_text_printf(
        &a->without[k], "%s:%lld-%lld: %s",
        bird_genome_name(a->run.context.genome, a->run.now.at->index),
        (long long)a->run.now.at->start + 1, (long long)a->run.now.at->end,
        k ? "too many N in the window, no values"
          : "the region lies in the margin of its window, no values");
}

/* Note the regions without values: all of them would be too many. */
static int note_without(struct attribution *a)
{
    int rc = 0;

    for (int k = 0; k < 2 && !rc; k++)
        if (a->n_without[k] == 1)
            rc = bird_context_note(&a->run.context.notice, "%s",
                                   a->without[k].s);
        else if (a->n_without[k])
            rc = bird_context_note(&a->run.context.notice,
                                   "%s (%lld regions in all)", a->without[k].s,
                                   (long long)a->n_without[k]);
    return rc;
}

static int score_region(struct attribution *a, int64_t i)
{
    struct bird_region_window w;
    enum bird_variant_status status;
    int rc = bird_base_run_region(&a->run, i);

    if (!rc)
        rc = new_bases(a);
    if (!rc)
        rc = bird_effect_region(a->run.context.effect, &w, &status,
                                a->run.now.at->index, a->run.now.at->start,
                                a->run.now.at->end);
    if (!rc && status == BIRD_VARIANT_OK)
        rc = compute(a, &w);
    else if (!rc)
        rc = leave_out(a, status);
    if (a->n_word > 1)
        qsort(a->word, (size_t)a->n_word, sizeof(*a->word), compare_words);
    a->sum.n_base += a->run.now.n;
    count_scored(a);
    return rc;
}

/* --- output --------------------------------------------------------------- */

static const struct bird_column columns[] = {
    {.name = "ref"},
    {.name = "strand"},
    {.name = "feature"},
    {.name = "attribution", .type = BIRD_CELL_REAL},
    {.name = "A", .type = BIRD_CELL_REAL},
    {.name = "C", .type = BIRD_CELL_REAL},
    {.name = "G", .type = BIRD_CELL_REAL},
    {.name = "T", .type = BIRD_CELL_REAL},
    {.name = "SHORT", .type = BIRD_CELL_INTEGER},
};
enum { N_COLUMN = sizeof(columns) / sizeof(*columns) };

static int put_table(struct attribution *a)
{
    const struct bird_selected_scores *s = &a->run.selected;
    int rc = 0;

    for (int64_t i = 0; i < a->n_word && !rc; i++) {
        const struct word *w = &a->word[i];
        bird_track_row row = bird_base_run_row(&a->run, w->start, w->n);
        const char base[] = {*w->text, '\0'}, strand[] = {w->strand, '\0'};
        struct bird_cell cell[N_COLUMN] = {
            {.text = a->single ? base : w->text},
            {.text = strand},
            {.text = s->features.at[s->feature[0]].name},
            {.real = w->value[BASES]}};

        for (int k = 0; k < BASES; k++)
            cell[4 + k].real = w->value[k];
        cell[N_COLUMN - 1].integer = a->run.now.is_short;
        rc = bird_track_put_cells(a->run.track, &row, cell);
    }
    return rc;
}

/* A track ends where the region ends: the next region may have other words. */
static int put_track(struct attribution *a)
{
    int rc = bird_base_run_note(&a->run);

    for (int64_t i = 0; i < a->n_word && !rc; i++) {
        const struct word *w = &a->word[i];
        bird_track_row row = bird_base_run_row(
            &a->run, w->start, bird_smaller(w->n, a->run.now.n - w->start));

        row.value = w->value[BASES];
        if (!isnan(row.value))
            rc = bird_track_put(a->run.track, &row);
    }
    return rc;
}

static int put_picture(struct attribution *a)
{
    const struct bird_selected_scores *s = &a->run.selected;
    const char *contig =
        bird_genome_name(a->run.context.genome, a->run.now.at->index);
    struct bird_markup picture = {0};
    struct bird_logo_word *word;
    char title[256], x[256];
    struct bird_logo l = {.title = title,
                          .x_label = x,
                          .y_label = "attribution (log odds)",
                          .n_word = a->n_word,
                          .columns = a->run.now.n,
                          .x0 = (double)a->run.now.at->start + 1};
    int rc = bird_array_new(&word, a->n_word, sizeof(*word));

    if (rc)
        return rc;
    for (int64_t i = 0; i < a->n_word; i++) {
        const struct word *w = &a->word[i];

        word[i] =
            (struct bird_logo_word){w->start, w->n, w->text, w->value[BASES]};
        if (w->start + w->n > l.columns)
            l.columns = w->start + w->n;
    }
    l.word = word;
    snprintf(title, sizeof(title), "%s: %s of %s:%lld-%lld%s",
             s->features.at[s->feature[0]].name,
             a->o->method == BIRD_ATTRIBUTE_INTEGRATED ? "integrated gradients"
                                                       : "gradients",
             contig, (long long)a->run.now.at->start + 1,
             (long long)a->run.now.at->end,
             a->run.now.is_short ? " (SHORT=1)" : "");
    snprintf(x, sizeof(x), "position on %s (from 1)", contig);
    bird_svg_logo(&picture, &l);
    free(word);
    return bird_base_run_picture(&a->run, &picture);
}

/* Score the regions in the order given. */
static int score_regions(struct attribution *a)
{
    bird_progress p = {"attributing", "bases", 0, a->run.all, NULL, NULL, 0};
    int rc = bird_base_run_track(&a->run, columns, N_COLUMN);

    for (int64_t i = 0; !rc && i < a->run.regions.n; i++) {
        enum bird_content what = a->run.format->content;

        rc = score_region(a, i);
        if (!rc)
            rc = what == BIRD_CONTENT_PICTURE    ? put_picture(a)
                 : what == BIRD_CONTENT_SEGMENTS ? put_track(a)
                                                 : put_table(a);
        p.done += a->run.now.n;
        if (!rc && a->o->progress && a->o->progress(a->o->progress_context, &p))
            rc = bird_fail(BIRD_ECANCELED, "stopped");
    }
    return rc ? rc : bird_base_run_close(&a->run);
}

/* Means over the regions with values; without any they are NAN. */
static void take_means(struct attribution *a)
{
    double n = (double)a->n_computed;

    a->sum.steps = steps_of(a->o);
    a->sum.at /= n;
    a->sum.sum /= n;
    a->sum.at_baseline /= n;
    if (!a->n_computed || !a->sum.steps)
        a->sum.at_baseline = a->sum.completeness = (double)NAN;
}

int bird_attribute_run(bird_attribute_summary *out,
                       const bird_attribute_options *o)
{
    struct attribution a = {
        .o = o,
        .run = {.region = o->region,
                .bed = o->regions,
                .features = o->features,
                .whole = "",
                .choose = 1,
                .most = {BIRD_ATTRIBUTE_MOST, BIRD_ATTRIBUTE_MOST},
                .track_options = {.path = o->output,
                                  .index = o->index,
                                  .no_version = o->no_version,
                                  .command = o->command}}};
    int rc = check(&a);

    if (rc)
        return rc;
    if ((rc = open_all(&a)) || (rc = score_regions(&a)) ||
        (rc = note_without(&a)))
        goto done;
    a.sum.n_region = a.run.regions.n;
    take_means(&a);
    a.sum.window_bp = a.run.context.settings.window_bp;
    a.sum.is_short = a.run.any_short;
    bird_context_summarize(&a.run.context, a.sum.model, a.sum.digest,
                           a.sum.build, a.sum.notice);
    *out = a.sum;
done:
    bird_attribution_free(a.pass);
    bird_base_run_free(&a.run);
    bird_pack_free(&a.pack);
    bird_anchor_free(&a.anchor);
    bird_rows_free(&a.rows);
    bird_text_free(&a.without[0]);
    bird_text_free(&a.without[1]);
    free(a.varies);
    free(a.reverse);
    free(a.first_base);
    free(a.value);
    free(a.word);
    return rc;
}
