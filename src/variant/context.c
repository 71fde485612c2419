/* Model, reference and effects together. SPDX-License-Identifier: MIT */
#include "variant/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "dnabird/tiles.h"
#include "model/stem.h"
#include "scan/source.h"
#include "session/calibration_file.h"
#include "token/vocab.h"

int bird_context_note(struct bird_text *t, const char *fmt, ...)
{
    char sentence[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(sentence, sizeof(sentence), fmt, ap);
    va_end(ap);
    return bird_text_printf(t, "%s%s", t->n ? "; " : "", sentence);
}

/* --- the noise bar ------------------------------------------------------- */

static const char usual_list[] = "0,7,14";

/* Five windows have a moved flank at every place in a first pool of five bases
 * (docs/math/variant-scores.md). */
static const char usual_of_bins[] = "0,7,14/5d";

static const char *usual(const struct bird_effect_options *e)
{
    return e->layout.on_grid ? usual_of_bins : usual_list;
}

static int is_auto(const char *shifts)
{
    return !shifts || !strcmp(shifts, "auto");
}

/* Different whole numbers between commas; behind a slash those for changes of
 * length alone, or how many windows these have, spaced by their length (5d). After
 * an error *e is unchanged. */
static int parse_shifts(struct bird_effect_options *e, const char *text)
{
    int64_t shift[BIRD_SHIFTS] = {0}, n = 0, n_same = 0, n_spaced = 0;
    const char *s = text;
    char *end;

    for (;; s = end + 1) {
        long long v = strtoll(s, &end, 10);

        if (n_same && n == n_same && end != s && !strcmp(end, "d") && v > 1 &&
            v <= BIRD_SHIFTS) {
            n_spaced = v;
            break;
        }
        if (end == s || (*end && *end != ',' && (*end != '/' || n_same)) ||
            v > INT32_MAX || v < INT32_MIN || n == BIRD_SHIFTS)
            return bird_fail(BIRD_EINVAL,
                             "--shifts %s: give 1 to %d whole numbers between "
                             "commas, as %s; those behind a slash are for "
                             "insertions and deletions alone, or 5d: five "
                             "windows, spaced by the length of the change",
                             text, BIRD_SHIFTS, usual_list);
        for (int64_t k = 0; k < n; k++)
            if (shift[k] == v)
                return bird_fail(BIRD_EINVAL,
                                 "--shifts %s: %lld is given twice", text, v);
        shift[n++] = v;
        if (*end == '/')
            n_same = n;
        if (!*end)
            break;
    }
    memcpy(e->shift, shift, (size_t)n * sizeof(*shift));
    e->n_shift = n_spaced > n ? n_spaced : n;
    e->n_shift_same = n_same;
    e->n_spaced = n_spaced;
    return 0;
}

/* A window that is shifted past the change does not contain it. Windows are
 * spaced by the length of a change where that moves a flank against rows or
 * bins. */
static int check_reach(const struct bird_effect_options *e, const char *text)
{
    if (e->n_spaced > e->period_bp)
        return bird_fail(BIRD_EINVAL,
                         "--shifts %s: windows are spaced by the length of the "
                         "change (%lldd) where a model has rows (%lld) or bins "
                         "of as many bases: list their starts",
                         text, (long long)e->n_spaced, (long long)e->period_bp);
    for (int64_t k = 0; k < e->n_shift; k++)
        if (llabs(e->shift[k]) >= e->layout.context_bp / 2)
            return bird_fail(BIRD_EINVAL,
                             "--shifts %s%s: %lld moves a window of %lld bp "
                             "past the change: give shifts below half of the "
                             "window, or --shifts 0",
                             text, text == usual(e) ? " (the default)" : "",
                             (long long)e->shift[k],
                             (long long)e->layout.context_bp);
    return 0;
}

/* The only window moves by so many bases. */
static int move_window(struct bird_effect_options *e, int64_t bp)
{
    char text[32];

    snprintf(text, sizeof(text), "%lld", (long long)bp);
    e->shift[0] = bp;
    return check_reach(e, text);
}

static int check_shifts(const bird_variant_params *w)
{
    struct bird_effect_options e = {.n_shift = 1};
    int rc = is_auto(w->shifts) ? 0 : parse_shifts(&e, w->shifts);

    if (!rc && !is_auto(w->shifts) && w->shift_bp &&
        (e.n_shift > 1 || e.shift[0]))
        rc = bird_fail(BIRD_EINVAL, "shift_bp moves the only window and shifts "
                                    "lists several: give one of them");
    return rc;
}

/* The shifts as the file of a background has them; "0" for any single shift. */
static void name_shifts(struct bird_calibration_settings *to,
                        const struct bird_effect_options *e)
{
    size_t n = 0, size = sizeof(to->shifts);
    int64_t n_list = e->n_spaced ? e->n_shift_same : e->n_shift;

    snprintf(to->shifts, size, "0");
    for (int64_t k = 0; k < n_list && e->n_shift > 1 && n < size; k++)
        n += (size_t)snprintf(to->shifts + n, size - n, "%s%lld",
                              !k                     ? ""
                              : k == e->n_shift_same ? "/"
                                                     : ",",
                              (long long)e->shift[k]);
    if (e->n_spaced && n < size)
        snprintf(to->shifts + n, size - n, "/%lldd", (long long)e->n_spaced);
}

/* Does the vocabulary have tokens of several bases? */
static int has_long_tokens(const bird_tokenizer *t)
{
    for (int64_t i = 0; i < t->vocab.n; i++) {
        const char *s = bird_vocab_text(&t->vocab, i);

        if (s && s[0] && s[1] && strspn(s, "ACGTacgt") == strlen(s))
            return 1;
    }
    return t->kmer > 1;
}

/* Does the first base of a window decide how its bases are grouped, in tokens
 * or in the pooling of a stem? */
static int depends_on_start(const bird_model *m)
{
    return bird_stem_pool(bird_model_config(m)) > 1 ||
           has_long_tokens(bird_model_tokenizer(m));
}

int bird_params_check(const bird_variant_params *w)
{
    if (!w->fasta)
        return bird_fail(BIRD_EINVAL, "no reference: give one with -f");
    if (w->window_bp < 0 || w->window_bp > BIRD_WINDOW_MAX)
        return bird_fail(BIRD_EINVAL, "--window must be 0 to %lld, got %lld",
                         (long long)BIRD_WINDOW_MAX, (long long)w->window_bp);
    if (w->shift_bp < -BIRD_WINDOW_MAX || w->shift_bp > BIRD_WINDOW_MAX)
        return bird_fail(BIRD_EINVAL,
                         "shift_bp %lld moves the window past the change",
                         (long long)w->shift_bp);
    if (!(w->max_unknown >= 0 && w->max_unknown <= 1))
        return bird_fail(BIRD_EINVAL, "--max-n %g: give a share of 0 to 1",
                         w->max_unknown);
    if (w->span_bp < -1 || w->span_bp > BIRD_WINDOW_MAX)
        return bird_fail(BIRD_EINVAL, "--span must be 0 to %lld, got %lld",
                         (long long)BIRD_WINDOW_MAX, (long long)w->span_bp);
    return check_shifts(w);
}

int bird_context_calibration(char **out, const struct bird_variant_context *s)
{
    return bird_path_join(out, bird_model_path(s->model),
                          BIRD_CALIBRATION_NAME);
}

static int read_calibration(struct bird_variant_context *s)
{
    const char *differs;
    char *path = NULL;
    int rc = bird_context_calibration(&path, s);

    if (!rc)
        rc = bird_calibration_read(&s->calibration, path,
                                   bird_effect_n_statistic(s->effect));
    if (rc > 0 && bird_model_check_stamp(s->model))
        rc = BIRD_EIO;
    if (rc > 0) {
        differs = bird_calibration_differs(&s->calibration, &s->settings);
        if (!differs && s->calibration.n_class != BIRD_CHANGE_CLASSES)
            differs = "of other classes of changes";
        s->calibrated = !differs;
        /* a region's window may be wider than those that alleles need */
        if (s->own_window &&
            s->calibration.settings.window_bp != s->settings.window_bp)
            differs = NULL;
        rc = differs
                 ? bird_context_note(&s->notice,
                                     "%s is %s: no e-values and z; make it "
                                     "again with `dnabird variant background` "
                                     "and the same options",
                                     path, differs)
                 : 0;
    }
    free(path);
    return rc;
}

/* Compare the lengths of all contigs with the genome build of the model. */
static int check_build(struct bird_variant_context *s)
{
    char text[512] = "";

    for (int64_t i = 0; i < bird_genome_count(s->genome); i++)
        bird_build_check(text, sizeof(text), bird_model_meta(s->model),
                         bird_genome_name(s->genome, i),
                         bird_genome_length(s->genome, i));
    return *text ? bird_context_note(&s->build, "%s", text) : 0;
}

enum { SPAN_BP = 500 };

static int choose_span(struct bird_effect_options *e, const bird_model *m,
                       const bird_variant_params *w)
{
    if (e->layout.on_grid)
        e->span_bp = w->span_bp < 0 ? SPAN_BP : w->span_bp;
    else if (w->span_bp > 0)
        return bird_fail(
            BIRD_EINVAL, "%s %s: --span is for models that predict bins",
            bird_model_path(m),
            bird_effect_is_likelihood(m) ? "is a masked-language model"
                                         : "has one answer a window");
    return 0;
}

/* Add a notice if the window is not the model's own. */
static int note_window(struct bird_variant_context *s, int64_t window_bp)
{
    const struct bird_scan_width own = {"--window", window_bp,
                                        bird_model_window(s->model)};
    char sentence[256] = "";

    return bird_scan_differs(sentence, sizeof(sentence), &own, 1)
               ? bird_context_note(&s->notice, "%s", sentence)
               : 0;
}

/* Read the settings of the model's background, which stand for those that the user
 * left open; *any is 0 without a background. */
static int background_settings(struct bird_calibration_settings *out, int *any,
                               const struct bird_variant_context *s)
{
    char *path = NULL;
    int rc = s->fresh && !s->renews ? 0 : bird_context_calibration(&path, s);

    if (!rc && path)
        rc = bird_calibration_read_settings(out, path);
    /* a new background may replace a damaged one */
    if (rc == BIRD_EFORMAT && s->renews)
        rc = 0;
    free(path);
    *any = rc > 0;
    return rc < 0 ? rc : 0;
}

/* Take shifts and tokens that the user left open from the model's background,
 * if it was made with the same settings otherwise. Returns 1 if it was. */
static int follow_background(struct bird_variant_context *s,
                             const struct bird_calibration_settings *background,
                             int any_shifts)
{
    struct bird_calibration there = {.settings = *background};
    struct bird_calibration_settings wanted = s->settings;

    if (any_shifts)
        memcpy(wanted.shifts, there.settings.shifts, sizeof(wanted.shifts));
    if (wanted.tokens == BIRD_TOKENS_AUTO)
        wanted.tokens = there.settings.tokens;
    wanted.precision = there.settings.precision; /* of e and z alone */
    if (s->own_window) /* of a region, which may be wider */
        wanted.window_bp = there.settings.window_bp;
    if (bird_calibration_differs(&there, &wanted) ||
        (any_shifts && parse_shifts(&s->how, wanted.shifts)))
        return 0;
    s->how.tokens = wanted.tokens;
    return 1;
}

/* Model evaluations of n windows for a change of bases, or one of length. On a
 * grid the moved window of a spaced one is the next one, unless that begins in
 * another bin. */
static long long cost(const struct bird_variant_context *s, int64_t n,
                      enum bird_variant_tokens tokens, int is_length)
{
    int64_t n_strand = s->how.plus + s->how.minus;
    int both = tokens == BIRD_TOKENS_BOTH;

    if (s->how.layout.on_grid && is_length)
        return n_strand * (s->how.n_spaced ? 2 * n + 1 + both : n * (3 + both));
    return n_strand * n * (both && (is_length || s->anchored) ? 4 : 2);
}

/* Describe the cost of the noise bar, or why there is none. */
static int describe_cost(struct bird_variant_context *s,
                         const bird_variant_params *w, int followed)
{
    const struct bird_effect_options *e = &s->how;
    enum bird_variant_tokens single =
        s->anchored ? BIRD_TOKENS_ANCHORED : BIRD_TOKENS_FREE;
    long long of_base = cost(s, bird_effect_windows(e, 0), e->tokens, 0);
    long long of_base_alone = cost(s, 1, single, 0);
    long long of_length_alone = cost(s, 1, single, 1);
    char of_length[64] = "", alone[64];
    int is_bar = e->n_shift > 1, rc = 0;

    snprintf(alone, sizeof(alone), "%lld", of_base_alone);
    if (!s->bases_alone) {
        snprintf(of_length, sizeof(of_length),
                 ", %s%lld for an insertion or deletion",
                 e->n_spaced && e->layout.on_grid ? "about " : "",
                 cost(s, bird_effect_windows(e, 1), e->tokens, 1));
        if (of_base > of_base_alone)
            snprintf(alone, sizeof(alone), "%lld and %lld", of_base_alone,
                     of_length_alone);
        else
            snprintf(alone, sizeof(alone), "%lld for an insertion or deletion",
                     of_length_alone);
    }
    if (!is_bar && is_auto(w->shifts) && !w->shift_bp)
        rc = bird_context_note(
            &s->cost, "no noise bar: %s",
            followed && depends_on_start(s->model)
                ? "the model's background was made with one window for each "
                  "change (make the background again with --shifts 0,7,14, or "
                  "give these without e and z)"
                : "the model reads single bases, whose tokens do not depend on "
                  "the start of the window (--shifts 0,7,14 gives a noise "
                  "bar)");
    if (!rc && cost(s, bird_effect_windows(e, !s->bases_alone), e->tokens,
                    !s->bases_alone) > cost(s, 1, single, !s->bases_alone))
        rc = bird_context_note(
            &s->cost,
            "each score is the mean over %s (%s%s%s--tokens %s): up to %lld "
            "model evaluations for a substitution%s; %s--tokens %s is faster "
            "and less certain: %s",
            is_bar ? "windows at several starts"
                   : "the tokens of REF and those of ALT",
            is_bar ? "--shifts " : "", is_bar ? s->settings.shifts : "",
            is_bar ? " " : "", bird_tokens_name(e->tokens), of_base, of_length,
            is_bar ? "--shifts 0 " : "", bird_tokens_name(single), alone);
    return rc;
}

void bird_context_begin(const struct bird_variant_context *s,
                        const bird_variant_params *w)
{
    if (w->tell && s->cost.n)
        w->tell(w->tell_context, s->cost.s);
}

/* Shifts and tokens: those of the user, else of the background, else those that
 * suit the model's tokens. */
static int choose_shifts(struct bird_variant_context *s,
                         const struct bird_calibration_settings *background,
                         const bird_variant_params *w)
{
    struct bird_effect_options *e = &s->how;
    int any_shifts = is_auto(w->shifts) && !w->shift_bp, followed = 0, rc = 0;

    e->shift[0] = w->shift_bp;
    e->n_shift = 1;
    e->period_bp = e->layout.on_grid
                       ? e->layout.bin_bp
                       : bird_stem_pool(bird_model_config(s->model));
    if (!is_auto(w->shifts) && !(rc = parse_shifts(e, w->shifts)))
        rc = check_reach(e, w->shifts);
    if (!rc && e->n_shift == 1 && w->shift_bp)
        rc = move_window(e, w->shift_bp);
    name_shifts(&s->settings, e);
    s->settings.tokens = e->tokens;
    if (rc)
        return rc;
    if (background && (any_shifts || e->tokens == BIRD_TOKENS_AUTO))
        followed = follow_background(s, background, any_shifts);
    if (!followed && any_shifts && depends_on_start(s->model) &&
        ((rc = parse_shifts(e, usual(e))) || (rc = check_reach(e, usual(e)))))
        return rc;
    if (e->tokens == BIRD_TOKENS_AUTO)
        e->tokens = BIRD_TOKENS_BOTH;
    s->anchored = bird_effect_is_anchored(s->model, e);
    s->settings.tokens = e->tokens;
    name_shifts(&s->settings, e);
    return describe_cost(s, w, followed);
}

static int open_model(struct bird_variant_context *s,
                      const bird_variant_params *w)
{
    bird_model_run run;
    char *found = NULL;
    int rc = w->model ? 0 : bird_default_model(&found, BIRD_MODEL_OF_ALLELES);

    bird_model_run_default(&run);
    run.precision = w->precision;
    if (!rc)
        rc = bird_model_open(&s->model, w->model ? w->model : found, &run);
    free(found);
    return rc;
}

/* The window: the user's, else that of the model's background, which was made with
 * the windows that alleles need, else the model's. */
static int64_t choose_window(const struct bird_variant_context *s,
                             const struct bird_calibration_settings *background,
                             const bird_variant_params *w)
{
    if (w->window_bp)
        return w->window_bp;
    if (background && !s->own_window &&
        !strcmp(background->digest, bird_model_digest(s->model)))
        return background->window_bp;
    return bird_effect_window_bp(s->model);
}

int bird_context_open(struct bird_variant_context *s,
                      const bird_variant_params *w)
{
    struct bird_layout_request layout = {.option = "--window"};
    struct bird_effect_options *e = &s->how;
    struct bird_calibration_settings there = {.window_bp = 0};
    const struct bird_calibration_settings *background;
    const char *notice;
    int any, rc;

    if (w->strand > BIRD_STRAND_MINUS || w->tokens > BIRD_TOKENS_FREE)
        return bird_fail(BIRD_EINVAL, "strand %d or tokens %d is not known",
                         (int)w->strand, (int)w->tokens);
    *e = (struct bird_effect_options){.max_unknown = w->max_unknown,
                                      .plus = w->strand != BIRD_STRAND_MINUS,
                                      .minus = w->strand != BIRD_STRAND_PLUS,
                                      .tokens = w->tokens};
    if ((rc = open_model(s, w)))
        return rc;
    bird_path_base(s->name, sizeof(s->name), bird_model_path(s->model));
    if ((rc = background_settings(&there, &any, s)))
        return rc;
    background = any ? &there : NULL;
    layout.context_bp = choose_window(s, background, w);
    if ((rc = bird_layout_of(&e->layout, s->model, &layout)) ||
        (rc = choose_span(e, s->model, w)) ||
        (rc = w->window_bp ? note_window(s, e->layout.context_bp) : 0) ||
        (rc = s->genome ? 0 : bird_genome_open(&s->genome, w->fasta)))
        return rc;
    s->settings =
        (struct bird_calibration_settings){.window_bp = e->layout.context_bp,
                                           .plus = e->plus,
                                           .minus = e->minus,
                                           .span_bp = e->span_bp,
                                           .precision = w->precision};
    memcpy(s->settings.digest, bird_model_digest(s->model),
           sizeof(s->settings.digest));
    notice = bird_genome_notice(s->genome);
    if (notice && (rc = bird_context_note(&s->notice, "%s", notice)))
        return rc;
    if ((rc = check_build(s)) || (rc = choose_shifts(s, background, w)) ||
        (rc = bird_effect_new(&s->effect, s->model, s->genome, e)))
        return rc;
    return s->fresh ? 0 : read_calibration(s);
}

int bird_context_open_reference(struct bird_variant_context *s,
                                const bird_variant_params *w)
{
    const char *notice;
    int rc = bird_genome_open(&s->genome, w->fasta);

    if (rc)
        return rc;
    notice = bird_genome_notice(s->genome);
    if (notice && (rc = bird_context_note(&s->notice, "%s", notice)))
        return rc;
    return bird_effect_new_empty(&s->effect, s->genome);
}

int bird_context_open_on(struct bird_variant_context *s,
                         const bird_variant_params *w, bird_genome *genome)
{
    s->genome = genome;
    return bird_context_open(s, w);
}

/* As much of the text as fits. */
static void copy_text(char *out, size_t size, const char *text)
{
    size_t n = text ? strlen(text) : 0;

    n = n < size ? n : size - 1;
    if (n)
        memcpy(out, text, n);
    out[n] = '\0';
}

void bird_context_summarize(const struct bird_variant_context *s,
                            char model[80], char digest[65], char build[512],
                            char notice[1024])
{
    copy_text(model, 80, s->name);
    copy_text(digest, 65, s->model ? bird_model_digest(s->model) : NULL);
    copy_text(build, 512, s->build.s);
    copy_text(notice, 1024, s->notice.s);
}

void bird_context_close(struct bird_variant_context *s)
{
    bird_effect_free(s->effect);
    bird_genome_free(s->genome);
    bird_calibration_free(&s->calibration);
    bird_model_close(s->model);
    bird_text_free(&s->notice);
    bird_text_free(&s->build);
    bird_text_free(&s->cost);
    *s = (struct bird_variant_context){0};
}

int bird_context_contigs(char hex[65], const struct bird_variant_context *s)
{
    struct bird_text t = {0};
    int rc = 0;

    for (int64_t i = 0; i < bird_genome_count(s->genome) && !rc; i++)
        rc = bird_text_printf(&t, "%s\t%lld\n", bird_genome_name(s->genome, i),
                              (long long)bird_genome_length(s->genome, i));
    if (!rc)
        bird_sha256(hex, t.s ? t.s : "", (size_t)t.n);
    bird_text_free(&t);
    return rc;
}

int bird_context_reference(struct bird_text *out,
                           const struct bird_variant_context *s)
{
    char hex[65];
    int rc = bird_context_contigs(hex, s);

    return rc ? rc
              : bird_text_printf(out, "%s, contigs %.16s",
                                 bird_genome_path(s->genome), hex);
}

int bird_context_background(struct bird_text *out,
                            const struct bird_variant_context *s)
{
    if (!s->calibrated)
        return 0;
    return bird_text_printf(out, "%lld variants: %s",
                            (long long)s->calibration.n, s->calibration.about);
}
