/* Which scores and features of alleles are written.
 * SPDX-License-Identifier: MIT */
#include "variant/variant_score.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "folder/feature.h"
#include "head/head.h"
#include "session/layout.h"
#include "session/model.h"
#include "variant/variant_motif.h"

enum {
    LABELS = BIRD_SCORE_OF_LABELS,
    MASKED = BIRD_SCORE_OF_MASKED,
    ANSWERS = LABELS | BIRD_SCORE_OF_VALUES,
    ANY = ANSWERS | MASKED
};

static const struct bird_score_row rows[BIRD_SCORES] = {
    [BIRD_SCORE_P_REF] =
        {"p_ref", "PREF",
         "probability or measured value with the reference allele, mean of "
         "the strands",
         .of = ANSWERS, .whole = 1, .single = 1},
    [BIRD_SCORE_P_ALT] =
        {"p_alt", "PALT",
         "probability or measured value with this allele, mean of the "
         "strands",
         .of = ANSWERS, .whole = 1, .single = 1},
    [BIRD_SCORE_DIFF] =
        {"diff", "DIFF",
         "probability or measured value with this allele less that with the "
         "reference allele",
         .of = ANSWERS},
    [BIRD_SCORE_LOGIT] =
        {"logit", "LOGIT",
         "difference of ln(p/(1-p)), alternative less reference, p clipped to "
         "[1e-7, 1-1e-7]",
         .of = LABELS, .single = 1},
    [BIRD_SCORE_E] = {"e", "E",
                      "(1 + background changes with a larger difference for "
                      "their class and predicted value) / (n + 1)",
                      .of = ANY, .null = 1},
    [BIRD_SCORE_Z] =
        {"z", "Z",
         "normal deviate whose size has probability e, with the sign of the "
         "difference",
         .of = ANY, .null = 1, .single = 1},
    [BIRD_SCORE_DEEPSEA] =
        {"deepsea_effect", "DEEPSEA",
         "absolute difference of probabilities times that of logits",
         .of = LABELS, .rare = 1, .single = 1},
    [BIRD_SCORE_LL_REF] =
        {"ll_ref", "LLREF",
         "log-likelihood (nats) of the hidden tokens with the reference "
         "allele, mean of the strands; per base of an insertion or deletion",
         .of = MASKED, .whole = 1},
    [BIRD_SCORE_LL_ALT] =
        {"ll_alt", "LLALT",
         "log-likelihood (nats) of the hidden tokens with this allele, mean of "
         "the strands; per base of an insertion or deletion",
         .of = MASKED, .whole = 1},
    [BIRD_SCORE_LLR] = {"llr", "LLR",
                        "log-likelihood ratio (nats), this allele's less the "
                        "reference allele's",
                        .of = MASKED},
    [BIRD_SCORE_DISTANCE] =
        {"distance", "DIST",
         "L2 distance of the mean hidden states of the windows with either "
         "allele, mean of the strands",
         .of = MASKED, .rare = 1, .whole = 1},
    [BIRD_SCORE_DISTANCE_E] =
        {"distance_e", "DISTE",
         "(1 + background variants with a larger distance) / (n + 1)",
         .of = MASKED, .null = 1, .rare = 1},
    [BIRD_SCORE_DISTANCE_Z] =
        {"distance_z", "DISTZ",
         "normal deviate whose size has probability distance_e", .of = MASKED,
         .null = 1, .rare = 1},
    [BIRD_SCORE_SD] = {"sd", "SD",
                       "noise bar: standard deviation of the difference, or of "
                       "llr, over windows and strands",
                       .of = ANY, .bar = 1},
    [BIRD_SCORE_AGREEMENT] = {"agreement", "AGREE",
                              "noise bar: share of the windows and strands "
                              "whose difference, or llr, has the sign of the "
                              "mean",
                              .of = ANY, .bar = 1},
    [BIRD_SCORE_LOGIT_SD] = {"logit_sd", "LOGITSD",
                             "noise bar: standard deviation of logit over "
                             "windows and strands",
                             .of = LABELS, .rare = 1, .bar = 1, .single = 1},
    [BIRD_SCORE_DISTANCE_SD] = {"distance_sd", "DISTSD",
                                "noise bar: standard deviation of distance "
                                "over windows and strands",
                                .of = MASKED, .rare = 1, .bar = 1},
    [BIRD_SCORE_COMBINED] =
        {"combined", "COMBINED",
         "mean of 1 - e of the difference, and of the masked-language model's "
         "log-likelihood ratio and distance",
         .of = ANSWERS, .null = 1, .second = 1},
    [BIRD_SCORE_EFFECT] =
        {"effect", "EFFECT",
         "difference plus the change of motif matches, weighted as the model "
         "says (motif_weight)",
         .of = BIRD_SCORE_OF_VALUES, .motif = 1},
};

const struct bird_score_row *bird_score_row(int score)
{
    return &rows[score];
}

const char *bird_variant_score_name(int score)
{
    return score >= 0 && score < BIRD_SCORES ? rows[score].name : NULL;
}

int bird_score_find(const char *word, size_t n)
{
    for (int i = 0; i < BIRD_SCORES; i++)
        if (strlen(rows[i].name) == n && !memcmp(rows[i].name, word, n))
            return i;
    return -1;
}

void bird_selected_scores_free(struct bird_selected_scores *s)
{
    for (int64_t i = 0; s->id && i < s->features.n; i++)
        free(s->id[i]);
    for (int64_t i = 0; s->class_id && i < s->n_class; i++)
        free(s->class_id[i]);
    bird_features_free(&s->features);
    free(s->id);
    free(s->class_id);
    free(s->class_name);
    free(s->class_of);
    free(s->feature);
    free(s->summed);
    *s = (struct bird_selected_scores){0};
}

/* Replace characters that would break a line of a header or table by '_'. */
static void clean(char *s)
{
    for (; *s; s++)
        if (bird_is_control(*s) || *s == '"' || *s == '\\')
            *s = '_';
}

/* Append a feature with texts that fit into tables and headers. */
static int put_clean(bird_features *out, const bird_feature *x)
{
    bird_feature y = *x;
    char *name = strdup(x->name), *class_name = strdup(x->class_name);
    int rc = name && class_name ? 0 : bird_fail_memory(0);

    if (!rc) {
        clean(name);
        clean(class_name);
        y.name = name;
        y.class_name = class_name;
        rc = bird_features_put(out, &y);
    }
    free(name);
    free(class_name);
    return rc;
}

/* Which features summaries are over: the labels of `chromatin`, since a model
 * may have labels for other commands or for training alone; all if there are
 * none. */
static int read_summed(struct bird_selected_scores *s, const bird_model *m,
                       const bird_features *all, int64_t n)
{
    int64_t *column = NULL;
    int rc = bird_array_new(&column, all->n, sizeof(*column));

    if (!rc)
        rc = bird_array_new(&s->summed, n, 1);
    if (!rc && n == all->n)
        s->n_summed = bird_model_features_command(column, all, m, "chromatin");
    for (int64_t i = 0; !rc && i < s->n_summed; i++)
        s->summed[column[i]] = 1;
    if (!rc && !s->n_summed) {
        memset(s->summed, 1, (size_t)n);
        s->n_summed = n;
    }
    for (int64_t i = s->measured ? bird_head_targets(bird_model_config(m)) : n;
         !rc && i < n; i++) { /* standard deviations */
        s->n_summed -= s->summed[i];
        s->summed[i] = 0;
    }
    free(column);
    return rc;
}

/* Read the features; a model with two classes has one, the second class. */
static int read_features(struct bird_selected_scores *s, const bird_model *m,
                         int64_t n)
{
    bird_features all = {0};
    int rc = bird_model_features(&all, m);

    if (rc)
        return rc;
    if (n == 1) {
        bird_feature x = {.index = -1, .class_name = ""};
        char name[80];

        if (all.n)
            x = all.at[all.n - 1];
        bird_path_base(name, sizeof(name), bird_model_path(m));
        if (s->likelihood || !bird_model_label_names(m) || !x.name ||
            !strncmp(x.name, "LABEL_", 6) || isdigit((unsigned char)x.name[0]))
            x.name = name;
        rc = put_clean(&s->features, &x);
    }
    for (int64_t i = 0; !rc && n != 1 && i < all.n; i++)
        rc = put_clean(&s->features, &all.at[i]);
    if (!rc)
        rc = read_summed(s, m, &all, n);
    bird_features_free(&all);
    return rc;
}

/* Append a name; a strand at its end becomes _plus or _minus. */
static int put_name(struct bird_text *t, const char *name)
{
    size_t n = strlen(name);
    char last = n > 1 ? name[n - 1] : 0;

    if (last != '+' && last != '-')
        return bird_text_put(t, name, (int64_t)n);
    return bird_text_printf(t, "%.*s%s", (int)n - 1, name,
                            last == '+' ? "_plus" : "_minus");
}

/* Would MAX_NAME of a class be one of the fields of all features
 * (variant_out.c)? */
static int is_of_all(const char *name)
{
    static const int score[] = {BIRD_SCORE_SD, BIRD_SCORE_AGREEMENT,
                                BIRD_SCORE_COMBINED, BIRD_SCORE_EFFECT};

    for (size_t i = 0; i < sizeof(score) / sizeof(*score); i++)
        if (!strcmp(rows[score[i]].id, name))
            return 1;
    return 0;
}

/* A name as VCF's fields allow it (A-Z, a-z, 0-9, '_' and '.'), different from
 * the n names before it. */
static int plain_name(char **out, char *const *before, int64_t n,
                      const char *name, int is_class)
{
    struct bird_text t = {0};
    int rc = 0, taken = 1;

    for (int k = 1; taken && !rc; k++) {
        bird_text_clear(&t);
        rc = put_name(&t, name);
        if (!rc && k > 1)
            rc = bird_text_printf(&t, "_%d", k);
        for (int64_t i = 0; !rc && i < t.n; i++)
            if (!isalnum((unsigned char)t.s[i]) && t.s[i] != '.')
                t.s[i] = '_';
        taken = !rc && is_class && is_of_all(t.s);
        for (int64_t i = 0; !rc && !taken && i < n; i++)
            taken = !strcmp(before[i], t.s);
    }
    if (rc)
        bird_text_free(&t);
    else
        *out = t.s;
    return rc;
}

static int make_names(struct bird_selected_scores *s)
{
    int rc = bird_array_new(&s->id, s->features.n, sizeof(*s->id));

    for (int64_t i = 0; i < s->features.n && !rc; i++)
        rc = plain_name(&s->id[i], s->id, i, s->features.at[i].name, 0);
    if (!rc)
        rc = bird_array_new(&s->class_of, s->features.n, sizeof(*s->class_of));
    if (!rc)
        rc = bird_features_classes(&s->class_name, &s->n_class, s->class_of,
                                   &s->features);
    if (!rc)
        rc = bird_array_new(&s->class_id, s->n_class, sizeof(*s->class_id));
    for (int64_t i = 0; i < s->n_class && !rc; i++)
        rc = plain_name(&s->class_id[i], s->class_id, i, s->class_name[i], 1);
    return rc;
}

static int choose_features(struct bird_selected_scores *s, const char *text,
                           enum bird_content content, int long_rows)
{
    /* a single feature is always written; tables of all features have those
       that summaries are over */
    int all = s->features.n == 1 || (s->measured && s->n_summed == 1) ||
              content == BIRD_CONTENT_SCORES ||
              (content == BIRD_CONTENT_ALLELES && long_rows);
    uint8_t *mark;
    int rc;

    if (!text && !all)
        return 0;
    if ((rc = bird_array_new(&mark, s->features.n, 1)))
        return rc;
    rc = bird_array_new(&s->feature, s->features.n, sizeof(*s->feature));
    if (!rc && text && *text)
        rc = bird_features_select(mark, &s->features, text);
    else if (!rc)
        memcpy(mark, s->summed, (size_t)s->features.n);
    for (int64_t i = 0; i < s->features.n && !rc; i++)
        if (mark[i])
            s->feature[s->n_feature++] = i;
    free(mark);
    return rc;
}

int bird_selected_scores_kind(const struct bird_selected_scores *s)
{
    return s->likelihood ? MASKED : s->measured ? BIRD_SCORE_OF_VALUES : LABELS;
}

int bird_selected_scores_check(const struct bird_selected_scores *s, int score,
                               const char *option)
{
    if (!(rows[score].of & bird_selected_scores_kind(s)))
        return bird_fail(BIRD_EINVAL,
                         "%s: %s is a score of %s, which this "
                         "model is not",
                         option, rows[score].name,
                         rows[score].of == MASKED ? "masked-language models"
                         : rows[score].of == BIRD_SCORE_OF_VALUES
                             ? "models of measured values"
                             : "models of labels");
    if (rows[score].null && !s->calibration)
        return bird_fail(BIRD_EINVAL,
                         "%s: %s needs a background of the same model, window, "
                         "strands, shifts and tokens: leave these options "
                         "out, or make one with `dnabird variant background`",
                         option, rows[score].name);
    if (rows[score].bar && !s->n_replicate)
        return bird_fail(BIRD_EINVAL,
                         "%s: %s needs several windows for each allele: give "
                         "--shifts 0,7,14",
                         option, rows[score].name);
    if (rows[score].second && !s->second)
        return bird_fail(BIRD_EINVAL,
                         "%s: %s needs a masked-language model, too: give "
                         "`dnabird variant` one with --zero-shot",
                         option, rows[score].name);
    if (rows[score].motif && !s->motif_weight)
        return bird_fail(BIRD_EINVAL,
                         "%s: %s needs a weight of motifs, which the model "
                         "lacks: add motif_weight to its dnabird.json",
                         option, rows[score].name);
    return 0;
}

static int add_score(struct bird_selected_scores *s, const char *name, size_t n)
{
    struct bird_text list = {0};
    int rc = 0, found = bird_score_find(name, n);

    if (bird_motif_is_name(name, n)) {
        s->motif = s->scans_motifs = 1;
        return 0;
    }
    if (found >= 0) {
        if ((rc = bird_selected_scores_check(s, found, "--scores")))
            return rc;
        for (int64_t k = 0; k < s->n_score; k++)
            if (s->score[k] == found)
                return 0;
        s->score[s->n_score++] = found;
        s->scans_motifs |= rows[found].motif;
        return 0;
    }
    for (int i = 0; i < BIRD_SCORES && !rc; i++)
        if (rows[i].of & bird_selected_scores_kind(s))
            rc = bird_text_printf(&list, "%s%s", i && list.n ? ", " : "",
                                  rows[i].name);
    if (!rc)
        rc = bird_text_printf(&list, ", motif");
    if (!rc)
        rc = bird_fail(BIRD_EINVAL, "--scores: '%.*s' is not one of %s", (int)n,
                       name, list.s);
    bird_text_free(&list);
    return rc;
}

static int choose_scores(struct bird_selected_scores *s, const char *text,
                         enum bird_content content, int long_rows)
{
    int few =
        s->features.n == 1 || long_rows || (s->measured && s->n_feature == 1);
    int rc = 0;

    while (text && *text && !rc) {
        size_t n = strcspn(text, ",");

        rc = add_score(s, text, n);
        text += n + (text[n] == ',');
    }
    if (rc || s->n_score)
        return rc;
    /* the default: all scores if one feature is written, else the difference;
       first those without a background */
    for (int null = 0; null < 2; null++)
        for (int i = 0; i < BIRD_SCORES && (!null || s->calibration); i++)
            if ((rows[i].of & bird_selected_scores_kind(s)) && !rows[i].rare &&
                rows[i].null == null && (!rows[i].bar || s->n_replicate) &&
                (!rows[i].second || s->second) &&
                (!rows[i].motif || (s->motif_weight && s->motif)) &&
                (i == bird_main_score(s) || rows[i].second ||
                 (few && content != BIRD_CONTENT_SCORES)))
                s->score[s->n_score++] = i;
    return 0;
}

/* Without features the columns are summaries over all of them. */
static int check_columns(const struct bird_selected_scores *s, const char *text)
{
    for (int64_t i = 0; !s->n_feature && text && i < s->n_score; i++)
        if (rows[s->score[i]].single)
            return bird_fail(BIRD_EINVAL,
                             "--scores: %s is a score of one feature, and none "
                             "is chosen: add -F NAME",
                             rows[s->score[i]].name);
    return 0;
}

int bird_main_score(const struct bird_selected_scores *s)
{
    return s->likelihood ? BIRD_SCORE_LLR : BIRD_SCORE_DIFF;
}

int bird_score_is_distance(int score)
{
    return score == BIRD_SCORE_DISTANCE || score == BIRD_SCORE_DISTANCE_E ||
           score == BIRD_SCORE_DISTANCE_Z || score == BIRD_SCORE_DISTANCE_SD;
}

int bird_selected_scores_have_distance(const struct bird_selected_scores *s)
{
    for (int64_t i = 0; i < s->n_score; i++)
        if (bird_score_is_distance(s->score[i]))
            return 1;
    return 0;
}

int bird_selected_scores_new(struct bird_selected_scores *out,
                             const bird_model *m, int64_t n,
                             const bird_variant_options *o,
                             enum bird_content content,
                             const struct bird_calibration *c,
                             int64_t n_replicate)
{
    struct bird_selected_scores s = {
        .likelihood = bird_effect_is_likelihood(m),
        .measured = bird_config_measures(bird_model_config(m)),
        .second = o->zero_shot != NULL,
        .motif = bird_motif_is_wanted(o),
        .top = o->top,
        .calibration = c,
        .n_replicate = n_replicate};
    int rc = read_features(&s, m, n);

    s.top = s.top < s.features.n ? s.top : s.features.n;
    if (!rc)
        rc = bird_json_real(&s.motif_weight, bird_model_meta(m), "motif_weight",
                            0, 1e6, bird_model_path(m));
    if (!rc && s.motif_weight && bird_motif_is_default(o, content))
        s.motif = 1;
    s.scans_motifs = s.motif;
    if (!rc)
        rc = make_names(&s);
    if (!rc)
        rc = choose_features(&s, o->features, content, o->long_rows);
    if (!rc)
        rc = choose_scores(&s, o->scores, content, o->long_rows);
    if (!rc)
        rc = check_columns(&s, o->scores);
    if (rc)
        bird_selected_scores_free(&s);
    else
        *out = s;
    return rc;
}
