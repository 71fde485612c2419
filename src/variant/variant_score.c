/* Scores of alleles, and their summaries over features.
 * SPDX-License-Identifier: MIT */
#include "variant/variant_score.h"

#include <math.h>

#include "variant/log_odds.h"

static double diff_of(const struct bird_allele_result *o, int64_t i)
{
    return (double)o->p_alt[i] - (double)o->p_ref[i];
}

/* e or z of a statistic. */
static double compared(const struct bird_selected_scores *s,
                       const struct bird_allele_result *o, int64_t i,
                       double value, int is_e)
{
    struct bird_calibration_query d = {.feature = i,
                                       .change_class = o->request.change_class,
                                       .ref = (double)o->p_ref[i],
                                       .diff = value};

    if (o->request.cut || !bird_calibration_has(s->calibration, d.change_class))
        return (double)NAN;
    return is_e ? bird_calibration_e(s->calibration, &d)
                : bird_calibration_z(s->calibration, &d);
}

void bird_allele_result_fill(struct bird_allele_result *out,
                             const struct bird_effect *e,
                             const struct bird_request *r)
{
    out->p_ref = bird_effect_values(e, r->ref);
    out->p_alt = bird_effect_values(e, r->alt);
    out->n_replicate = r->n_replicate;
    if (out->n_replicate) {
        out->ref_replicates = bird_effect_replicate_values(e, r->ref);
        out->alt_replicates = bird_effect_replicate_values(e, r->alt);
    }
    out->request = *r;
}

/* Logit is the first and the only one with a sign. */
static const int replicate_scores[BIRD_REPLICATE_SCORES] = {
    BIRD_SCORE_LOGIT, BIRD_SCORE_SD, BIRD_SCORE_AGREEMENT, BIRD_SCORE_LOGIT_SD,
    BIRD_SCORE_DISTANCE_SD};

int bird_replicate_score(int k)
{
    return replicate_scores[k];
}

int bird_replicate_score_index(int score)
{
    for (int k = 0; k < BIRD_REPLICATE_SCORES; k++)
        if (replicate_scores[k] == score)
            return k;
    return -1;
}

/* The difference of a score in one replicate. */
static double replicate_of(const struct bird_selected_scores *s,
                           const struct bird_allele_result *o, int score,
                           int64_t i, int64_t k)
{
    int64_t n = s->likelihood ? BIRD_LIKELIHOOD_VALUES : s->features.n;
    double ref = (double)o->ref_replicates[k * n + i];
    double alt = (double)o->alt_replicates[k * n + i];

    if (score == BIRD_SCORE_DISTANCE)
        return (double)o->alt_replicates[k * n + BIRD_STATE_DISTANCE];
    return score == BIRD_SCORE_LOGIT ? bird_log_odds(alt) - bird_log_odds(ref)
                                     : alt - ref;
}

static double mean_of(const struct bird_selected_scores *s,
                      const struct bird_allele_result *o, int score, int64_t i)
{
    double sum = 0;

    for (int64_t k = 0; k < o->n_replicate; k++)
        sum += replicate_of(s, o, score, i, k);
    return sum / (double)o->n_replicate;
}

/* The sample standard deviation, with n - 1. */
static double spread(const struct bird_selected_scores *s,
                     const struct bird_allele_result *o, int score, int64_t i)
{
    double mean, sum = 0;

    if (o->n_replicate < 2)
        return (double)NAN;
    mean = mean_of(s, o, score, i);
    for (int64_t k = 0; k < o->n_replicate; k++) {
        double x = replicate_of(s, o, score, i, k) - mean;

        sum += x * x;
    }
    return sqrt(sum / (double)(o->n_replicate - 1));
}

static double agreement(const struct bird_selected_scores *s,
                        const struct bird_allele_result *o, int64_t i)
{
    double mean = diff_of(o, i);
    int64_t same = 0;

    if (o->n_replicate < 2)
        return (double)NAN;
    for (int64_t k = 0; k < o->n_replicate; k++) {
        double x = replicate_of(s, o, BIRD_SCORE_DIFF, i, k);

        same += (x > 0) == (mean > 0) && (x < 0) == (mean < 0);
    }
    return (double)same / (double)o->n_replicate;
}

static double logit_of(const struct bird_selected_scores *s,
                       const struct bird_allele_result *o, int64_t i)
{
    if (o->known)
        return o->known[i * BIRD_REPLICATE_SCORES];
    return o->n_replicate ? mean_of(s, o, BIRD_SCORE_LOGIT, i)
                          : bird_log_odds((double)o->p_alt[i]) -
                                bird_log_odds((double)o->p_ref[i]);
}

/* The mean of three ranks, each among the background of its own model. */
static double combined(const struct bird_selected_scores *s,
                       const struct bird_allele_result *o, int64_t i)
{
    double sum = 1 - compared(s, o, i, diff_of(o, i), 1);

    if (!o->has_zero_shot)
        return (double)NAN;
    for (int k = 0; k < BIRD_ZERO_SHOT_VALUES; k++)
        sum += 1 - o->zero_shot[k];
    return sum / (1 + BIRD_ZERO_SHOT_VALUES);
}

double bird_allele_score(const struct bird_selected_scores *s,
                         const struct bird_allele_result *o, int score,
                         int64_t i)
{
    double diff, distance;
    int k = o->known ? bird_replicate_score_index(score) : -1;

    if (!o->p_ref)
        return (double)NAN;
    if (k >= 0)
        return o->known[i * BIRD_REPLICATE_SCORES + k];
    diff = diff_of(o, i);
    distance = s->likelihood ? (double)o->p_alt[BIRD_STATE_DISTANCE] : 0;
    switch ((enum bird_variant_score)score) {
    case BIRD_SCORE_P_REF:
    case BIRD_SCORE_LL_REF:
        return (double)o->p_ref[i];
    case BIRD_SCORE_P_ALT:
    case BIRD_SCORE_LL_ALT:
        return (double)o->p_alt[i];
    case BIRD_SCORE_DIFF:
    case BIRD_SCORE_LLR:
        return diff;
    case BIRD_SCORE_DISTANCE:
        return distance;
    case BIRD_SCORE_DISTANCE_E:
    case BIRD_SCORE_DISTANCE_Z:
        return compared(s, o, BIRD_STATE_DISTANCE, distance,
                        score == BIRD_SCORE_DISTANCE_E);
    case BIRD_SCORE_E:
    case BIRD_SCORE_Z:
        return compared(s, o, i, diff, score == BIRD_SCORE_E);
    case BIRD_SCORE_SD:
        return spread(s, o, BIRD_SCORE_DIFF, i);
    case BIRD_SCORE_AGREEMENT:
        return agreement(s, o, i);
    case BIRD_SCORE_LOGIT_SD:
        return spread(s, o, BIRD_SCORE_LOGIT, i);
    case BIRD_SCORE_DISTANCE_SD:
        return spread(s, o, BIRD_SCORE_DISTANCE, i);
    case BIRD_SCORE_LOGIT:
        return logit_of(s, o, i);
    case BIRD_SCORE_COMBINED:
        return combined(s, o, i);
    case BIRD_SCORE_EFFECT:
        return o->has_motif ? diff + s->motif_weight * (double)o->motif.sum /
                                         BIRD_MOTIF_UNIT
                            : (double)NAN;
    default:
        return fabs(diff) * fabs(logit_of(s, o, i));
    }
}

int bird_selected_scores_sum_class(const struct bird_selected_scores *s,
                                   int32_t class_id)
{
    for (int64_t i = 0; i < s->features.n; i++)
        if (s->summed[i] && s->class_of[i] == class_id)
            return 1;
    return 0;
}

int64_t bird_allele_largest(const struct bird_selected_scores *s,
                            const struct bird_allele_result *o,
                            int32_t class_id)
{
    int64_t best = -1;

    for (int64_t i = 0; i < s->features.n; i++)
        if (s->summed[i] && (class_id < 0 || s->class_of[i] == class_id) &&
            (best < 0 || fabs(diff_of(o, i)) > fabs(diff_of(o, best))))
            best = i;
    return best;
}

double bird_allele_mean(const struct bird_selected_scores *s,
                        const struct bird_allele_result *o)
{
    double sum = 0;

    if (!o->p_ref)
        return (double)NAN;
    for (int64_t i = 0; i < s->features.n; i++)
        if (s->summed[i])
            sum -= log10(compared(s, o, i, diff_of(o, i), 1));
    return sum / (double)s->n_summed;
}

int64_t bird_allele_top(int64_t *feature, int64_t n,
                        const struct bird_selected_scores *s,
                        const struct bird_allele_result *o)
{
    int64_t got = 0;

    for (int64_t i = 0; i < s->features.n; i++) {
        int64_t k;

        if (!s->summed[i])
            continue;
        k = got < n ? got++ : n;
        /* the first of equal features stays first */
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
