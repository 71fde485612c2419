/* INFO fields of alleles. SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "dnabird/dnabird.h"
#include "variant/variant_write.h"

#define STATUS  "STATUS"
#define TOKENS  "TOKENS"
#define WAY     "WAY"
#define SHORT   "SHORT"
#define NO_ALT  "NO_ALT"
#define MAX     "MAX"
#define FEATURE "FEATURE"
#define MEAN    "MLE"
#define TOP     "TOP"

static const char *const score_field[BIRD_SCORES] = {
    "PREF", "PALT", "DIFF", "LOGIT", "E", "Z", "DEEPSEA"};

static const char *const score_about[BIRD_SCORES] = {
    "probability with the reference allele, mean of the strands",
    "probability with this allele, mean of the strands",
    "probability with this allele less that with the reference allele",
    ("difference of ln(p/(1-p)), alternative less reference, p clipped to "
     "[1e-7, 1-1e-7]"),
    "(1 + background variants with a larger absolute difference) / (n + 1)",
    "difference / root mean square of the background's differences",
    "absolute difference of probabilities times that of logits"};

/* Name of a field of a feature or class: with only one, nothing is added. */
static const char *field(char *out, size_t size, const char *base,
                         const char *of, int only)
{
    snprintf(out, size, "%s%s%s", base, only ? "" : "_", only ? "" : of);
    return out;
}

static int is_only(const struct bird_shown *s)
{
    return s->features.n == 1;
}

static int declare_scores(struct bird_variant_writer *w)
{
    const struct bird_shown *s = w->shown;
    int rc = 0;

    for (int64_t k = 0; k < s->n_feature && !rc; k++)
        for (int64_t j = 0; j < s->n_score && !rc; j++) {
            int64_t i = s->feature[k];
            char id[256], about[512];

            snprintf(about, sizeof(about), "%.200s: %s", s->features.at[i].name,
                     score_about[s->score[j]]);
            rc = bird_vcf_out_info(w->vcf,
                                   field(id, sizeof(id),
                                         score_field[s->score[j]], s->id[i],
                                         is_only(s)),
                                   BIRD_VCF_FLOAT, about);
        }
    return rc;
}

static int declare_summary(struct bird_variant_writer *w)
{
    const struct bird_shown *s = w->shown;
    char id[256], about[512];
    int rc = 0;

    if (is_only(s))
        return 0;
    for (int64_t c = -1; c < (s->n_class > 1 ? s->n_class : 0) && !rc; c++) {
        const char *of = c < 0 ? "" : s->class_id[c];
        const char *what = c < 0 ? "all features" : s->class_name[c];

        snprintf(about, sizeof(about),
                 "difference of probabilities of the feature where it is "
                 "largest in size, of %.100s",
                 what);
        rc = bird_vcf_out_info(w->vcf, field(id, sizeof(id), MAX, of, c < 0),
                               BIRD_VCF_FLOAT, about);
        snprintf(about, sizeof(about), "that feature, of %.100s", what);
        if (!rc)
            rc = bird_vcf_out_info(w->vcf,
                                   field(id, sizeof(id), FEATURE, of, c < 0),
                                   BIRD_VCF_STRING, about);
    }
    if (!rc && s->calibration)
        rc = bird_vcf_out_info(w->vcf, MEAN, BIRD_VCF_FLOAT,
                               "mean over all features of -log10 e-value");
    if (!rc && s->top > 0)
        rc = bird_vcf_out_info(
            w->vcf, TOP, BIRD_VCF_STRING,
            s->calibration
                ? "features with the largest differences in size, as "
                  "name:difference:e-value, | between them"
                : "features with the largest differences in size, as "
                  "name:difference, | between them");
    return rc;
}

/* A line for every feature that has a field or may be named. */
static int declare_features(struct bird_variant_writer *w)
{
    const struct bird_shown *s = w->shown;
    struct bird_text t = {0};
    int rc = 0;

    for (int64_t i = 0; i < s->features.n && !is_only(s) && !rc; i++) {
        const bird_feature *x = &s->features.at[i];

        bird_text_clear(&t);
        rc =
            bird_text_printf(&t, "<ID=%s,Number=%lld,Name=\"%s\",Class=\"%s\">",
                             s->id[i], (long long)i, x->name, x->class_name);
        if (!rc)
            rc = bird_vcf_out_line(w->vcf, "feature", t.s);
    }
    bird_text_free(&t);
    return rc;
}

static int put_line(struct bird_variant_writer *w, const char *key,
                    const char *text)
{
    return text ? bird_vcf_out_line(w->vcf, key, text) : 0;
}

int bird_variant_vcf_header(struct bird_variant_writer *w,
                            const struct bird_provenance *p, int put)
{
    struct bird_vcf_out *v = w->vcf;
    int rc = bird_vcf_out_info(
        v, STATUS, BIRD_VCF_STRING,
        "OK and SWAPPED alleles have scores; the others say why not");

    if (!rc)
        rc = bird_vcf_out_info(v, TOKENS, BIRD_VCF_INTEGER,
                               "tokens that the allele changes");
    if (!rc)
        rc = bird_vcf_out_info(
            v, WAY, BIRD_VCF_STRING,
            "how the allele was encoded: anchored on the reference's tokens, "
            "or free");
    if (!rc)
        rc =
            bird_vcf_out_once(v, SHORT,
                              "1: the sequence is shorter than the window, and "
                              "was scored as it is");
    if (!rc)
        rc = bird_vcf_out_flag(v, NO_ALT, "the record has no ALT to score");
    if (!rc)
        rc = declare_scores(w);
    if (!rc)
        rc = declare_summary(w);
    if (!rc)
        rc = declare_features(w);
    if (!rc && p) {
        rc = bird_vcf_out_line(v, "version", bird_version());
        if (!rc)
            rc = put_line(w, "command", p->command);
        if (!rc)
            rc = put_line(w, "model", p->model);
        if (!rc)
            rc = put_line(w, "reference", p->reference);
        if (!rc)
            rc = put_line(w, "background", p->background);
    }
    return rc ? rc : bird_vcf_out_header(v, put);
}

static int put_scores(struct bird_variant_writer *w, int64_t n,
                      const struct bird_outcome *o)
{
    const struct bird_shown *s = w->shown;
    int rc = 0;

    for (int64_t k = 0; k < s->n_feature && !rc; k++)
        for (int64_t j = 0; j < s->n_score && !rc; j++) {
            int64_t i = s->feature[k];
            char id[256];

            for (int64_t a = 0; a < n; a++)
                w->numbers[a] = bird_outcome_score(s, &o[a], s->score[j], i);
            rc = bird_vcf_out_floats(w->vcf,
                                     field(id, sizeof(id),
                                           score_field[s->score[j]], s->id[i],
                                           is_only(s)),
                                     w->numbers, n);
        }
    return rc;
}

/* The largest difference of each class, with its feature. */
static int put_largest(struct bird_variant_writer *w, int64_t n,
                       const struct bird_outcome *o)
{
    const struct bird_shown *s = w->shown;
    char id[256];
    int rc = 0;

    for (int64_t c = -1; c < (s->n_class > 1 ? s->n_class : 0) && !rc; c++) {
        const char *of = c < 0 ? "" : s->class_id[c];

        for (int64_t a = 0; a < n; a++) {
            int64_t i =
                o[a].p_ref ? bird_outcome_largest(s, &o[a], (int32_t)c) : -1;

            w->words[a] = i < 0 ? NULL : s->id[i];
            w->numbers[a] =
                i < 0 ? (double)NAN
                      : bird_outcome_score(s, &o[a], BIRD_SCORE_DIFF, i);
        }
        rc = bird_vcf_out_floats(w->vcf, field(id, sizeof(id), MAX, of, c < 0),
                                 w->numbers, n);
        if (!rc)
            rc = bird_vcf_out_words(
                w->vcf, field(id, sizeof(id), FEATURE, of, c < 0), w->words, n);
    }
    return rc;
}

static int put_top(struct bird_variant_writer *w, int64_t n,
                   const struct bird_outcome *o)
{
    int rc = 0;

    bird_text_clear(&w->word);
    for (int64_t a = 0; a < n && !rc; a++) {
        w->integers[a] = w->word.n; /* where its text begins */
        if (o[a].p_ref)
            rc = bird_variant_top(&w->word, w, &o[a]);
        if (!rc)
            rc = bird_text_put(&w->word, "", 1);
    }
    for (int64_t a = 0; a < n && !rc; a++)
        w->words[a] = o[a].p_ref ? w->word.s + w->integers[a] : NULL;
    return rc ? rc : bird_vcf_out_words(w->vcf, TOP, w->words, n);
}

static int put_summary(struct bird_variant_writer *w, int64_t n,
                       const struct bird_outcome *o)
{
    const struct bird_shown *s = w->shown;
    int rc;

    if (is_only(s))
        return 0;
    rc = put_largest(w, n, o);
    if (!rc && s->calibration) {
        for (int64_t a = 0; a < n; a++)
            w->numbers[a] = bird_outcome_mean(s, &o[a]);
        rc = bird_vcf_out_floats(w->vcf, MEAN, w->numbers, n);
    }
    return rc || s->top < 1 ? rc : put_top(w, n, o);
}

/* SHORT=1, of a record with an allele that was scored in less than a window. */
static int put_short(struct bird_variant_writer *w, int64_t n,
                     const struct bird_outcome *o)
{
    int64_t is_short = -1;

    for (int64_t a = 0; a < n; a++)
        if (o[a].p_ref && o[a].cut)
            is_short = 1;
    return bird_vcf_out_integers(w->vcf, SHORT, &is_short, 1);
}

int bird_variant_vcf_write(struct bird_variant_writer *w,
                           struct bird_vcf_record *r,
                           const struct bird_outcome *o)
{
    int64_t n = r->n_alt;
    int rc = bird_vcf_out_begin(w->vcf, r);

    if (rc)
        return rc;
    if (!n) {
        rc = bird_vcf_out_set(w->vcf, NO_ALT);
        return rc ? rc : bird_vcf_out_end(w->vcf);
    }
    for (int64_t a = 0; a < n; a++)
        w->words[a] = bird_variant_status_name((int)o[a].status);
    rc = bird_vcf_out_words(w->vcf, STATUS, w->words, n);
    for (int64_t a = 0; a < n; a++) {
        w->integers[a] = o[a].p_ref ? o[a].n_changed : -1;
        w->words[a] = !o[a].p_ref ? NULL : o[a].free ? "free" : "anchored";
    }
    if (!rc)
        rc = bird_vcf_out_integers(w->vcf, TOKENS, w->integers, n);
    if (!rc)
        rc = bird_vcf_out_words(w->vcf, WAY, w->words, n);
    if (!rc)
        rc = put_short(w, n, o);
    if (!rc)
        rc = put_scores(w, n, o);
    if (!rc)
        rc = put_summary(w, n, o);
    return rc ? rc : bird_vcf_out_end(w->vcf);
}
