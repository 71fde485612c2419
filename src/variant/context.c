/* Model, reference and effects together. SPDX-License-Identifier: MIT */
#include "variant/context.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "scan/source.h"
#include "session/calibration_file.h"

int bird_context_note(struct bird_text *t, const char *fmt, ...)
{
    char sentence[1024];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(sentence, sizeof(sentence), fmt, ap);
    va_end(ap);
    return bird_text_printf(t, "%s%s", t->n ? "; " : "", sentence);
}

int bird_params_check(const bird_variant_params *w)
{
    if (!w->fasta)
        return bird_fail(BIRD_EINVAL, "no reference: give one with -f");
    if (w->window_bp < 0)
        return bird_fail(BIRD_EINVAL, "the window is negative");
    if (!(w->max_unknown >= 0 && w->max_unknown <= 1))
        return bird_fail(BIRD_EINVAL,
                         "largest share of N %g: it lies between 0 and 1",
                         w->max_unknown);
    if (w->span_bp < -1)
        return bird_fail(BIRD_EINVAL, "the span is negative");
    return 0;
}

int bird_context_calibration(char **out, const struct bird_variant_context *s)
{
    return bird_path_join(out, s->model.folder.path, BIRD_CALIBRATION_NAME);
}

static int read_calibration(struct bird_variant_context *s)
{
    const char *differs;
    char *path = NULL;
    int rc = bird_context_calibration(&path, s);

    if (!rc)
        rc = bird_calibration_read(&s->calibration, path,
                                   bird_effect_features(s->effect));
    if (rc > 0) {
        differs = bird_calibration_differs(&s->calibration, &s->way);
        s->calibrated = !differs;
        rc = differs
                 ? bird_context_note(&s->notice,
                                     "%s is %s: no e-values and z, make it "
                                     "again with `dnabird variant background`",
                                     path, differs)
                 : 0;
    }
    free(path);
    return rc;
}

/* Lengths of all contigs against those of the model's build. */
static int check_build(struct bird_variant_context *s)
{
    char text[512] = "";

    for (int64_t i = 0; i < bird_genome_count(s->genome); i++)
        bird_build_check(text, sizeof(text), s->model.folder.meta,
                         bird_genome_name(s->genome, i),
                         bird_genome_length(s->genome, i));
    return *text ? bird_context_note(&s->build, "%s", text) : 0;
}

enum { SPAN_BP = 500 };

/* How models that answer in bins are read, which tokenize ALT by itself. */
static int choose_span(struct bird_effect_options *e,
                       const struct bird_folder *f,
                       const bird_variant_params *w)
{
    if (!f->config.head->n_bin)
        return w->span_bp > 0
                   ? bird_fail(BIRD_EINVAL,
                               "%s has one answer a window: --span is for "
                               "models that answer in bins",
                               f->path)
                   : 0;
    e->span_bp = w->span_bp < 0 ? SPAN_BP : w->span_bp;
    e->anchored = 0;
    return 0;
}

/* A window other than the model's own is said. */
static int note_window(struct bird_variant_context *s, int64_t window_bp)
{
    const struct bird_scan_width own = {"--window", window_bp,
                                        s->model.folder.window_bp};
    char sentence[256] = "";

    return bird_scan_differs(sentence, sizeof(sentence), &own, 1)
               ? bird_context_note(&s->notice, "%s", sentence)
               : 0;
}

int bird_context_open(struct bird_variant_context *s,
                      const bird_variant_params *w)
{
    struct bird_effect_options e = {.shift_bp = w->shift_bp,
                                    .max_unknown = w->max_unknown,
                                    .plus = w->strand != BIRD_STRAND_MINUS,
                                    .minus = w->strand != BIRD_STRAND_PLUS,
                                    .anchored = !w->free_tokens};
    const char *notice;
    bird_model_run run;
    int rc;

    bird_model_run_default(&run);
    run.precision = w->precision;
    if ((rc = bird_model_load(&s->model, w->model, "chromatin", &run)))
        return rc;
    bird_path_base(s->name, sizeof(s->name), s->model.folder.path);
    e.window_bp = w->window_bp ? w->window_bp : s->model.folder.window_bp;
    if (e.window_bp < 1)
        return bird_folder_fail_window(&s->model.folder, "--window BP");
    if ((rc = choose_span(&e, &s->model.folder, w)) ||
        (rc = note_window(s, e.window_bp)) ||
        (rc = bird_genome_open(&s->genome, w->fasta)))
        return rc;
    s->way = (struct bird_calibration_way){.window_bp = e.window_bp,
                                           .plus = e.plus,
                                           .minus = e.minus,
                                           .anchored = e.anchored,
                                           .span_bp = e.span_bp,
                                           .precision = w->precision};
    memcpy(s->way.digest, s->model.folder.digest, sizeof(s->way.digest));
    notice = bird_genome_notice(s->genome);
    if (notice && (rc = bird_context_note(&s->notice, "%s", notice)))
        return rc;
    s->how = e;
    if ((rc = check_build(s)) ||
        (rc = bird_effect_new(&s->effect, &s->model, s->genome, &e)))
        return rc;
    return read_calibration(s);
}

/* As much of the text as there is room for. */
static void copy_text(char *out, size_t size, const char *text)
{
    size_t n = text ? strlen(text) : 0;

    n = n < size ? n : size - 1;
    if (n)
        memcpy(out, text, n);
    out[n] = '\0';
}

void bird_context_tell(const struct bird_variant_context *s, char model[80],
                       char digest[65], char build[512], char notice[1024])
{
    copy_text(model, 80, s->name);
    copy_text(digest, 65, s->model.folder.digest);
    copy_text(build, 512, s->build.s);
    copy_text(notice, 1024, s->notice.s);
}

void bird_context_close(struct bird_variant_context *s)
{
    bird_effect_free(s->effect);
    bird_genome_free(s->genome);
    bird_calibration_free(&s->calibration);
    bird_model_drop(&s->model);
    bird_text_free(&s->notice);
    bird_text_free(&s->build);
    *s = (struct bird_variant_context){0};
}

int bird_context_reference(struct bird_text *out,
                           const struct bird_variant_context *s)
{
    struct bird_text t = {0};
    char hex[65];
    int rc = 0;

    for (int64_t i = 0; i < bird_genome_count(s->genome) && !rc; i++)
        rc = bird_text_printf(&t, "%s\t%lld\n", bird_genome_name(s->genome, i),
                              (long long)bird_genome_length(s->genome, i));
    if (!rc) {
        bird_sha256(hex, t.s ? t.s : "", (size_t)t.n);
        rc = bird_text_printf(out, "%s, contigs %.16s",
                              bird_genome_path(s->genome), hex);
    }
    bird_text_free(&t);
    return rc;
}

int bird_context_background(struct bird_text *out,
                            const struct bird_variant_context *s)
{
    if (!s->calibrated)
        return 0;
    return bird_text_printf(out, "%lld variants: %s",
                            (long long)s->calibration.n, s->calibration.about);
}
