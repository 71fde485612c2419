/* Scores of a second, masked-language model.
 * SPDX-License-Identifier: MIT */
#include "variant/zero_shot.h"

#include <math.h>
#include <stdlib.h>

#include "base/fail.h"

static int open_model(struct bird_zero_shot *z, const char *path,
                      const bird_variant_params *w)
{
    bird_variant_params own = {.model = path,
                               .fasta = w->fasta,
                               .max_unknown = w->max_unknown,
                               .strand = w->strand,
                               .precision = w->precision,
                               .span_bp = -1};
    int rc = bird_context_open(&z->context, &own);

    if (rc)
        return rc;
    if (!bird_effect_is_likelihood(z->context.model))
        return bird_fail(BIRD_EINVAL,
                         "--zero-shot: %s is not a masked-language model: give "
                         "one that `dnabird pretrain` made",
                         path);
    if (!z->context.calibrated)
        return bird_fail(BIRD_EINVAL,
                         "--zero-shot: %s has no background that fits: make "
                         "one with `dnabird variant background -m %s`",
                         path, path);
    return 0;
}

int bird_zero_shot_open(struct bird_zero_shot **out, const char *path,
                        const bird_variant_params *w)
{
    struct bird_zero_shot *z = calloc(1, sizeof(*z));
    int rc = z ? open_model(z, path, w) : bird_fail_memory(sizeof(*z));

    if (rc)
        bird_zero_shot_free(z);
    else
        *out = z;
    return rc;
}

void bird_zero_shot_free(struct bird_zero_shot *z)
{
    if (!z)
        return;
    bird_context_close(&z->context);
    free(z);
}

int bird_zero_shot_submit(struct bird_zero_shot *z,
                          struct bird_zero_shot_request *out,
                          const struct bird_change *c)
{
    enum bird_variant_status status;
    int rc = bird_effect_submit(z->context.effect, &out->request, &status, c);

    out->done = !rc && status == BIRD_VARIANT_OK;
    return rc;
}

void bird_zero_shot_e_values(double out[BIRD_ZERO_SHOT_VALUES],
                             const struct bird_zero_shot *z,
                             const struct bird_zero_shot_request *r)
{
    const struct bird_calibration *c = &z->context.calibration;
    int has = r->done && !r->request.cut &&
              bird_calibration_has(c, r->request.change_class);
    float value[BIRD_ZERO_SHOT_VALUES];

    if (has)
        bird_effect_statistics(value, z->context.effect, &r->request);
    for (int i = 0; i < BIRD_ZERO_SHOT_VALUES; i++) {
        struct bird_calibration_query d = {.feature = i,
                                           .change_class =
                                               r->request.change_class,
                                           .diff = (double)value[i]};

        out[i] = has ? bird_calibration_e(c, &d) : (double)NAN;
    }
}
