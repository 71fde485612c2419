/* Thresholds out of a model's table. SPDX-License-Identifier: MIT */
#include "session/threshold.h"

#include <math.h>

#include "base/fail.h"
#include "base/json.h"

static int entry(double *rate, double *threshold, const json_t *table, size_t i,
                 const char *path)
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
        int rc = entry(&r1, &t1, table, i, path);

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
                     "%s: its table goes from %g to %g false positives per "
                     "Mb, %g is outside",
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

/* Is the model's default one of its table of false positives per Mb? */
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

int bird_threshold_elsewhere(const struct bird_folder *f, double asked,
                             double fp_per_mb)
{
    if (!(fp_per_mb > 0) && (asked >= 0 || !is_per_mb(f->meta)))
        return 0;
    return bird_fail(BIRD_EINVAL,
                     "%s: its thresholds by false positives per Mb "
                     "(--fp-per-mb%s) are for windows of %lld bp every %lld: "
                     "leave out --window and --stride, or give --threshold",
                     f->path, fp_per_mb > 0 ? "" : ", and its default",
                     (long long)f->window_bp, (long long)f->stride_bp);
}

/* The model's default is of its raw output; none: what feature f has. */
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
                               const json_t *meta, double asked,
                               double fp_per_mb, const char *path)
{
    double value = 0.5;
    int rc = bird_threshold_choose(&value, meta, asked, fp_per_mb, path);

    if (rc)
        return rc;
    if (asked < 0 && fp_per_mb > 0)
        value = bird_probability_of(m, 0, value);
    else if (asked < 0)
        rc = own_threshold(&value, m, meta, 0, path);
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
