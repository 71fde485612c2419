/* Raw outputs to probabilities, by a piecewise linear map through knots.
 *
 * Both axes are log odds: on this scale the outputs of a model spread, and a
 * map that changes the prior alone is a shift. SPDX-License-Identifier: MIT */
#include "session/probability.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "session/calibration_file.h"
#include "session/model_parts.h"
#include "session/session.h"

void bird_probability_free(struct bird_probability *m)
{
    free(m->offset);
    free(m->raw);
    free(m->value);
    free(m->threshold);
    free(m->event);
    free(m->fitted);
    *m = (struct bird_probability){0};
}

/* log(p / (1 - p)), finite at 0 and 1; different floats give different values.
 * */
static double log_odds(double p)
{
    const double low = 1e-40, high = 1 - 1e-9;

    p = p < low ? low : p > high ? high : p;
    return log(p) - log1p(-p);
}

/* Value at p of the line through the knots (x[k], y[k]), k < n. */
static double follow(const double *x, const double *y, int64_t n, double p)
{
    int64_t low = 0, high = n; /* low: the first knot above p */
    double at = log_odds(p), y0, y1, x0, x1, out;

    while (low < high) {
        int64_t mid = (low + high) / 2;

        if (x[mid] > p)
            high = mid;
        else
            low = mid + 1;
    }
    if (low == 0 || low == n) {
        int64_t end = low ? n - 1 : 0;

        out = log_odds(y[end]) + (at - log_odds(x[end]));
    } else {
        x0 = log_odds(x[low - 1]), x1 = log_odds(x[low]);
        y0 = log_odds(y[low - 1]), y1 = log_odds(y[low]);
        out = y0 + (y1 - y0) * ((at - x0) / (x1 - x0));
    }
    return out > 0 ? 1 / (1 + exp(-out)) : exp(out) / (1 + exp(out));
}

double bird_probability_of(const struct bird_probability *m, int64_t f,
                           double raw)
{
    int64_t at;

    if (!bird_probability_applies(m))
        return raw;
    at = m->offset[f];
    return follow(m->raw + at, m->value + at, m->offset[f + 1] - at, raw);
}

double bird_probability_raw(const struct bird_probability *m, int64_t f,
                            double probability)
{
    int64_t at;

    if (!bird_probability_applies(m))
        return probability;
    at = m->offset[f];
    return follow(m->value + at, m->raw + at, m->offset[f + 1] - at,
                  probability);
}

static int fail_file(const char *path, const char *what)
{
    return bird_calibration_file_fail(path, BIRD_PART_PROBABILITY, what);
}

/* Check that knots rise and lie in their ranges. */
static int check(const struct bird_probability *m, const char *path)
{
    for (int64_t f = 0; f < m->n_feature; f++) {
        if (m->offset[f + 1] <= m->offset[f])
            return fail_file(path, "a feature has no knots");
        for (int64_t k = m->offset[f]; k < m->offset[f + 1]; k++) {
            if (!(m->raw[k] >= 0 && m->raw[k] <= 1) ||
                !(m->value[k] > 0 && m->value[k] < 1))
                return fail_file(path, "a knot lies outside 0 to 1");
            if (k > m->offset[f] && (!(m->raw[k] > m->raw[k - 1]) ||
                                     !(m->value[k] > m->value[k - 1])))
                return fail_file(path, "its knots do not rise");
        }
        if (m->threshold[f] < 0 || m->threshold[f] > 1)
            return fail_file(path, "a threshold lies outside 0 to 1");
    }
    return 0;
}

static int read_settings(struct bird_probability *m, const bird_tensors *t,
                         const char *path)
{
    const char *digest = bird_tensors_metadata(t, "probability.model");
    const char *window = bird_tensors_metadata(t, "probability.window");
    const char *strands = bird_tensors_metadata(t, "probability.strands");
    const char *event = bird_tensors_metadata(t, "probability.event");
    const char *fitted = bird_tensors_metadata(t, "probability.fitted");

    if (!digest || strlen(digest) != 64 || !window || !strands)
        return fail_file(path, "its metadata are not complete");
    memcpy(m->settings.digest, digest, 65);
    m->settings.window_bp = strtoll(window, NULL, 10);
    m->settings.both_strands = !strcmp(strands, "mean");
    m->event = strdup(event ? event : "");
    m->fitted = strdup(fitted ? fitted : "");
    return m->event && m->fitted ? 0 : bird_fail_memory(0);
}

static int read_knots(struct bird_probability *m, const bird_tensors *t,
                      int64_t n_feature, const char *path)
{
    const enum bird_calibration_part part = BIRD_PART_PROBABILITY;
    struct bird_tensor x = {.name = "probability.offset",
                            .dtype = BIRD_I64,
                            .n_dim = 1,
                            .shape = {n_feature + 1}};
    int rc = bird_calibration_file_take(&m->offset, t, &x, path, part);

    if (rc)
        return rc;
    for (int64_t f = 0; f < n_feature; f++)
        if (m->offset[0] != 0 || m->offset[f + 1] < m->offset[f])
            return fail_file(path, "its offsets do not rise");
    x.dtype = BIRD_F64;
    x.name = "probability.threshold";
    x.shape[0] = n_feature;
    rc = bird_calibration_file_take(&m->threshold, t, &x, path, part);
    x.name = "probability.raw";
    x.shape[0] = m->offset[n_feature];
    if (!rc)
        rc = bird_calibration_file_take(&m->raw, t, &x, path, part);
    x.name = "probability.value";
    if (!rc)
        rc = bird_calibration_file_take(&m->value, t, &x, path, part);
    if (!rc)
        m->n_feature = n_feature;
    return rc ? rc : check(m, path);
}

int bird_probability_read(struct bird_probability *out, const char *path,
                          int64_t n_feature)
{
    struct bird_probability m = {0};
    bird_tensors *t = NULL;
    int rc = bird_calibration_file_open(&t, path);

    if (rc <= 0)
        return rc;
    if (!bird_calibration_file_has(t, BIRD_PART_PROBABILITY)) {
        bird_tensors_free(t);
        return 0;
    }
    rc = read_settings(&m, t, path);
    if (!rc)
        rc = read_knots(&m, t, n_feature, path);
    bird_tensors_free(t);
    if (rc) {
        bird_probability_free(&m);
        return rc;
    }
    *out = m;
    return 1;
}

/* NULL when the map fits the outputs of this run; else a phrase that names the
 * difference. */
static const char *differs(const struct bird_probability *m,
                           const struct bird_folder *f,
                           const struct bird_probability_settings *settings)
{
    if (strcmp(m->settings.digest, f->digest) != 0)
        return "is of another model";
    if (m->settings.window_bp != settings->window_bp)
        return "is of another window";
    if (m->settings.both_strands != settings->both_strands)
        return m->settings.both_strands ? "is of the mean of both strands"
                                        : "is of each strand by itself";
    return NULL;
}

int bird_probability_open(struct bird_probability *out, const bird_model *model,
                          const struct bird_probability_settings *settings,
                          int raw, char *why, size_t size)
{
    const struct bird_folder *f = &model->folder;
    const char *other;
    char *path = NULL;
    int rc = 0;

    *out = (struct bird_probability){0};
    why[0] = '\0';
    rc = bird_path_join(&path, f->path, BIRD_CALIBRATION_NAME);
    if (!rc)
        rc = bird_probability_read(out, path, bird_model_labels(&f->config));
    /* a map of another digest: did another process replace the folder? */
    if (rc > 0 && strcmp(out->settings.digest, f->digest) != 0 &&
        bird_folder_check_stamp(f)) {
        bird_probability_free(out);
        rc = BIRD_EIO;
    }
    if (rc == 0) {
        snprintf(why, size,
                 "%s: the model is not calibrated: its raw outputs are "
                 "printed, which are not probabilities on a genome ('dnabird "
                 "evaluate --calibrate' calibrates it)",
                 f->path);
    } else if (rc > 0 && (other = differs(out, f, settings))) {
        snprintf(why, size,
                 "%s %s: raw outputs are printed, probabilities are not "
                 "calibrated",
                 path, other);
        bird_probability_free(out);
    }
    if (raw)
        why[0] = '\0';
    out->keep_raw = raw;
    free(path);
    return rc < 0 ? rc : 0;
}

int bird_probability_write(const struct bird_probability *m, const char *path)
{
    char window[32];
    const char *const meta[] = {
        "probability.model",   m->settings.digest,
        "probability.window",  window,
        "probability.strands", m->settings.both_strands ? "mean" : "each",
        "probability.event",   m->event ? m->event : "",
        "probability.fitted",  m->fitted ? m->fitted : ""};
    int64_t n = m->n_feature, k = m->offset[n];
    struct bird_tensor t[] = {{.name = "probability.offset",
                               .dtype = BIRD_I64,
                               .n_dim = 1,
                               .shape = {n + 1},
                               .data = m->offset,
                               .size = (size_t)(n + 1) * sizeof(*m->offset)},
                              {.name = "probability.raw",
                               .dtype = BIRD_F64,
                               .n_dim = 1,
                               .shape = {k},
                               .data = m->raw,
                               .size = (size_t)k * sizeof(*m->raw)},
                              {.name = "probability.value",
                               .dtype = BIRD_F64,
                               .n_dim = 1,
                               .shape = {k},
                               .data = m->value,
                               .size = (size_t)k * sizeof(*m->value)},
                              {.name = "probability.threshold",
                               .dtype = BIRD_F64,
                               .n_dim = 1,
                               .shape = {n},
                               .data = m->threshold,
                               .size = (size_t)n * sizeof(*m->threshold)}};

    snprintf(window, sizeof(window), "%" PRId64, m->settings.window_bp);
    return bird_calibration_file_put(path, BIRD_PART_PROBABILITY, t, 4, meta,
                                     sizeof(meta) / sizeof(*meta) / 2);
}

static int table_entry(double *rate, double *threshold, const json_t *table,
                       size_t i, const char *path)
{
    const json_t *e = json_array_get(table, i);

    if (json_array_size(e) != 2 || !json_is_number(json_array_get(e, 0)) ||
        !json_is_number(json_array_get(e, 1)))
        return bird_fail(BIRD_EFORMAT,
                         "%s: entry %zu of 'fp_per_mb' is not a pair of "
                         "numbers",
                         path, i + 1);
    *rate = json_number_value(json_array_get(e, 0));
    *threshold = json_number_value(json_array_get(e, 1));
    if (!(*rate > 0) || !(*threshold >= 0 && *threshold <= 1))
        return bird_fail(BIRD_EFORMAT,
                         "%s: entry %zu of 'fp_per_mb' is out of range", path,
                         i + 1);
    return 0;
}

static int look_up(double *out, const json_t *table, double rate,
                   const char *path)
{
    double r0 = 0, t0 = 0, r1 = 0, t1 = 0, first = 0;
    size_t n = json_array_size(table);

    if (!n)
        return bird_fail(BIRD_EINVAL,
                         "%s has no table of false positives per "
                         "Mb: give --threshold",
                         path);
    for (size_t i = 0; i < n; i++) {
        int rc = table_entry(&r1, &t1, table, i, path);

        if (rc)
            return rc;
        first = i ? first : r1;
        if (i && !(r1 > r0))
            return bird_fail(BIRD_EFORMAT, "%s: 'fp_per_mb' does not rise",
                             path);
        if (rate == r1) {
            *out = t1;
            return 0;
        }
        if (i && rate > r0 && rate < r1) {
            *out = t0 + (t1 - t0) * log(rate / r0) / log(r1 / r0);
            return 0;
        }
        r0 = r1, t0 = t1;
    }
    return bird_fail(BIRD_EINVAL,
                     "%s: --fp-per-mb must be between %g and %g for this model "
                     "(got %g)",
                     path, first, r1, rate);
}

int bird_threshold_choose(double *out, const json_t *meta, double asked,
                          double fp_per_mb, const char *path)
{
    const json_t *t = json_object_get(meta, "thresholds");
    double value = 0.5;
    int rc = 0;

    if (!(asked <= 1) || (asked >= 0 && fp_per_mb > 0))
        return bird_fail(BIRD_EINVAL,
                         !(asked <= 1) ? "a threshold lies between 0 and 1"
                                       : "give a threshold or a rate of false "
                                         "positives, not both");
    if (asked >= 0)
        value = asked;
    else if (fp_per_mb > 0)
        rc = look_up(&value, json_object_get(t, "fp_per_mb"), fp_per_mb, path);
    else
        rc = bird_json_real(&value, t, "default", 0, 1, path);
    if (!rc)
        *out = value;
    return rc;
}

/* Is the model's default threshold an entry of its table of false positives per
 * Mb? */
static int is_per_mb(const json_t *meta)
{
    const json_t *t = json_object_get(meta, "thresholds"), *e;
    const json_t *own = json_object_get(t, "default");
    size_t i;

    json_array_foreach(json_object_get(t, "fp_per_mb"), i, e)
    {
        if (own && json_equal(json_array_get(e, 1), own))
            return 1;
    }
    return 0;
}

int bird_threshold_elsewhere(const bird_model *model, double asked,
                             double fp_per_mb)
{
    const struct bird_folder *f = &model->folder;

    if (!(fp_per_mb > 0) && (asked >= 0 || !is_per_mb(f->meta)))
        return 0;
    return bird_fail(
        BIRD_EINVAL,
        "%s: its thresholds by false positives per Mb "
        "(--fp-per-mb%s) are for windows of %lld bp every %lld: "
        "leave out --window, --stride and --one-pass, or give --threshold",
        f->path, fp_per_mb > 0 ? "" : ", and its default",
        (long long)f->window_bp,
        (long long)(f->stride_bp > 0 ? f->stride_bp : f->config.bin_bp));
}

/* The model's default, a raw output, as a probability; without a default the
 * threshold of feature f. */
static int own_threshold(double *out, const struct bird_probability *m,
                         const json_t *meta, int64_t f, const char *path)
{
    const json_t *t = json_object_get(meta, "thresholds");
    double raw = (double)NAN;
    int rc = 0;

    if (json_object_get(t, "default"))
        rc = bird_json_real(&raw, t, "default", 0, 1, path);
    else if (m->n_feature)
        raw = m->threshold[f];
    if (!rc)
        *out = isnan(raw) ? 0.5 : bird_probability_of(m, f, raw);
    return rc;
}

int bird_threshold_probability(double *out, const struct bird_probability *m,
                               int64_t feature, const json_t *meta,
                               double asked, double fp_per_mb, const char *path)
{
    double value = 0.5;
    int rc = bird_threshold_choose(&value, meta, asked, fp_per_mb, path);

    if (rc)
        return rc;
    if (asked < 0 && fp_per_mb > 0)
        value = bird_probability_of(m, feature, value);
    else if (asked < 0)
        rc = own_threshold(&value, m, meta, feature, path);
    if (!rc)
        *out = value;
    return rc;
}

int bird_threshold_features(double *out, const struct bird_probability *m,
                            const json_t *meta, double asked,
                            const int64_t *feature, int64_t n, const char *path)
{
    int rc = 0;

    for (int64_t i = 0; !rc && i < n; i++) {
        int64_t f = feature[i];

        if (asked >= 0)
            out[i] = asked;
        else if (m->n_feature && !isnan(m->threshold[f]))
            out[i] = bird_probability_of(m, f, m->threshold[f]);
        else
            rc = own_threshold(&out[i], m, meta, f, path);
    }
    return rc;
}
