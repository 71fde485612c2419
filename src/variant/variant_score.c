/* Scores, summaries, and the choice of what is shown.
 * SPDX-License-Identifier: MIT */
#include "variant/variant_score.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "model/feature.h"
#include "session/model.h"

static const char *const names[BIRD_SCORES] = {
    "p_ref", "p_alt", "diff", "logit", "e", "z", "deepsea_effect"};

const char *bird_variant_score_name(int score)
{
    return score >= 0 && score < BIRD_SCORES ? names[score] : NULL;
}

void bird_shown_free(struct bird_shown *s)
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
    *s = (struct bird_shown){0};
}

/* What would break a line of a header or table becomes '_'. */
static void clean(char *s)
{
    for (; *s; s++)
        if (iscntrl((unsigned char)*s) || *s == '"' || *s == '\\')
            *s = '_';
}

/* Append a feature whose texts can stand in a table and in a header. */
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

/* A model of two classes answers one feature: the second. */
static int read_features(struct bird_shown *s, const struct bird_folder *f,
                         int64_t n)
{
    bird_features all = {0};
    int rc = bird_features_read(&all, f);

    if (rc)
        return rc;
    if (n == 1) {
        bird_feature x = all.at[all.n - 1];
        char name[80];

        bird_path_base(name, sizeof(name), f->path);
        if (!f->labels || !strncmp(x.name, "LABEL_", 6) ||
            isdigit((unsigned char)x.name[0]))
            x.name = name;
        rc = put_clean(&s->features, &x);
    }
    for (int64_t i = 0; !rc && n != 1 && i < all.n; i++)
        rc = put_clean(&s->features, &all.at[i]);
    bird_features_free(&all);
    return rc;
}

/* A copy of which only letters, digits, '_' and '.' are left, as names of VCF's
 * fields; like none of those before it. */
static int plain_name(char **out, char *const *before, int64_t n,
                      const char *name)
{
    struct bird_text t = {0};
    int rc = 0, k = 1;

    for (int64_t i = 0; i >= 0 && !rc; k++) {
        bird_text_clear(&t);
        rc = bird_text_put(&t, name, (int64_t)strlen(name));
        if (!rc && k > 1)
            rc = bird_text_printf(&t, "_%d", k);
        for (i = 0; !rc && i < t.n; i++)
            if (!isalnum((unsigned char)t.s[i]) && t.s[i] != '.')
                t.s[i] = '_';
        for (i = n - 1; !rc && i >= 0 && strcmp(before[i], t.s) != 0; i--)
            ;
    }
    if (rc)
        bird_text_free(&t);
    else
        *out = t.s;
    return rc;
}

static int make_names(struct bird_shown *s)
{
    int rc = bird_array_new(&s->id, s->features.n, sizeof(*s->id));

    for (int64_t i = 0; i < s->features.n && !rc; i++)
        rc = plain_name(&s->id[i], s->id, i, s->features.at[i].name);
    if (!rc)
        rc = bird_array_new(&s->class_of, s->features.n, sizeof(*s->class_of));
    if (!rc)
        rc = bird_features_classes(&s->class_name, &s->n_class, s->class_of,
                                   &s->features);
    if (!rc)
        rc = bird_array_new(&s->class_id, s->n_class, sizeof(*s->class_id));
    for (int64_t i = 0; i < s->n_class && !rc; i++)
        rc = plain_name(&s->class_id[i], s->class_id, i, s->class_name[i]);
    return rc;
}

static int choose_features(struct bird_shown *s, const char *text,
                           enum bird_content content, int long_rows)
{
    /* of one feature all is shown; tables of all features show them all */
    int all = s->features.n == 1 || content == BIRD_CONTENT_SCORES ||
              (content == BIRD_CONTENT_ALLELES && long_rows);
    uint8_t *mark;
    int rc;

    if (!text && !all)
        return 0;
    if ((rc = bird_array_new(&mark, s->features.n, 1)))
        return rc;
    rc = bird_array_new(&s->feature, s->features.n, sizeof(*s->feature));
    if (!rc)
        rc = bird_features_select(mark, &s->features, text);
    for (int64_t i = 0; i < s->features.n && !rc; i++)
        if (mark[i])
            s->feature[s->n_feature++] = i;
    free(mark);
    return rc;
}

static int add_score(struct bird_shown *s, const char *name, size_t n)
{
    for (int i = 0; i < BIRD_SCORES; i++)
        if (strlen(names[i]) == n && !memcmp(names[i], name, n)) {
            if ((i == BIRD_SCORE_E || i == BIRD_SCORE_Z) && !s->calibration)
                return bird_fail(BIRD_EINVAL,
                                 "--scores: %s needs a background: make one "
                                 "with `dnabird variant background`",
                                 names[i]);
            for (int64_t k = 0; k < s->n_score; k++)
                if (s->score[k] == i)
                    return 0;
            s->score[s->n_score++] = i;
            return 0;
        }
    return bird_fail(
        BIRD_EINVAL,
        "--scores: '%.*s' is not one of p_ref, p_alt, diff, logit, "
        "e, z, deepsea_effect",
        (int)n, name);
}

static int choose_scores(struct bird_shown *s, const char *text,
                         enum bird_content content, int long_rows)
{
    int few = s->features.n == 1 || long_rows;
    int rc = 0;

    while (text && *text && !rc) {
        size_t n = strcspn(text, ",");

        rc = add_score(s, text, n);
        text += n + (text[n] == ',');
    }
    if (rc || s->n_score)
        return rc;
    /* the usual ones: all where one feature is shown, else the difference */
    for (int i = 0; i < BIRD_SCORE_DEEPSEA; i++)
        if ((i == BIRD_SCORE_DIFF || (few && content != BIRD_CONTENT_SCORES)) &&
            ((i != BIRD_SCORE_E && i != BIRD_SCORE_Z) || s->calibration))
            s->score[s->n_score++] = i;
    return 0;
}

int bird_shown_new(struct bird_shown *out, const struct bird_folder *f,
                   int64_t n, const bird_variant_options *o,
                   enum bird_content content, const struct bird_calibration *c)
{
    struct bird_shown s = {.top = o->top, .calibration = c};
    int rc = read_features(&s, f, n);

    if (!rc)
        rc = make_names(&s);
    if (!rc)
        rc = choose_features(&s, o->features, content, o->long_rows);
    if (!rc)
        rc = choose_scores(&s, o->scores, content, o->long_rows);
    if (rc)
        bird_shown_free(&s);
    else
        *out = s;
    return rc;
}

double bird_score_logit(double p)
{
    p = p < BIRD_SCORE_CLIP ? BIRD_SCORE_CLIP : p;
    p = p > 1 - BIRD_SCORE_CLIP ? 1 - BIRD_SCORE_CLIP : p;
    return log(p) - log1p(-p);
}

static double diff_of(const struct bird_outcome *o, int64_t i)
{
    return (double)o->p_alt[i] - (double)o->p_ref[i];
}

double bird_outcome_score(const struct bird_shown *s,
                          const struct bird_outcome *o, int score, int64_t i)
{
    double diff, logit;

    if (!o->p_ref)
        return (double)NAN;
    diff = diff_of(o, i);
    logit = bird_score_logit((double)o->p_alt[i]) -
            bird_score_logit((double)o->p_ref[i]);
    switch (score) {
    case BIRD_SCORE_P_REF:
        return (double)o->p_ref[i];
    case BIRD_SCORE_P_ALT:
        return (double)o->p_alt[i];
    case BIRD_SCORE_DIFF:
        return diff;
    case BIRD_SCORE_LOGIT:
        return logit;
    case BIRD_SCORE_DEEPSEA:
        return fabs(diff) * fabs(logit);
    default:
        if (!s->calibration || o->cut)
            return (double)NAN;
        return score == BIRD_SCORE_E
                   ? bird_calibration_e(s->calibration, i, diff)
                   : bird_calibration_z(s->calibration, i, diff);
    }
}

int64_t bird_outcome_largest(const struct bird_shown *s,
                             const struct bird_outcome *o, int32_t class_id)
{
    int64_t best = -1;

    for (int64_t i = 0; i < s->features.n; i++)
        if ((class_id < 0 || s->class_of[i] == class_id) &&
            (best < 0 || fabs(diff_of(o, i)) > fabs(diff_of(o, best))))
            best = i;
    return best;
}

double bird_outcome_mean(const struct bird_shown *s,
                         const struct bird_outcome *o)
{
    double sum = 0;

    if (!s->calibration || !o->p_ref || o->cut)
        return (double)NAN;
    for (int64_t i = 0; i < s->features.n; i++)
        sum -= log10(bird_calibration_e(s->calibration, i, diff_of(o, i)));
    return sum / (double)s->features.n;
}

int64_t bird_outcome_top(int64_t *feature, int64_t n,
                         const struct bird_shown *s,
                         const struct bird_outcome *o)
{
    int64_t got = 0;

    for (int64_t i = 0; i < s->features.n; i++) {
        int64_t k = got < n ? got++ : n;

        /* among equals the first stays in front */
        while (k > 0 &&
               fabs(diff_of(o, feature[k - 1])) < fabs(diff_of(o, i))) {
            if (k < n)
                feature[k] = feature[k - 1];
            k--;
        }
        if (k < n)
            feature[k] = i;
    }
    return got;
}
