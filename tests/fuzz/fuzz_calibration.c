/*
 * Any header and any bytes as calibration.safetensors of a model of some
 * features, the first byte: a background and maps to probabilities must be what
 * their headers say, and a refusal must name the file.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "fuzz_help.h"

#include "dnabird/error.h"
#include "session/calibration.h"
#include "session/probability.h"

static struct memory_file file;

static void check_refusal(int rc)
{
    MUST(rc == BIRD_ENOMEM || strstr(bird_last_error(), file.path));
}

static void check_class(const struct bird_calibration *c, int64_t change_class)
{
    for (int64_t f = 0; f < c->n_feature; f++) {
        double before = 0;

        for (double x = 4; x > 1e-9; x /= 7) { /* smaller: not rarer */
            struct bird_calibration_query d = {f, change_class, 1 / x - 1, x};
            double e = bird_calibration_e(c, &d);

            MUST(e > 0 && e <= 1);
            MUST(isfinite(bird_calibration_z(c, &d)));
            d.ref = 0;
            e = bird_calibration_e(c, &d);
            MUST(e >= before);
            before = e;
        }
    }
}

static void read_background(int64_t n_feature)
{
    struct bird_calibration c = {0};
    struct bird_calibration_settings way;
    int rc = bird_calibration_read(&c, file.path, n_feature);

    if (rc > 0) {
        MUST(c.n_feature == n_feature && c.about);
        for (int64_t i = 0; i < c.n_class; i++)
            if (bird_calibration_has(&c, i))
                check_class(&c, i);
        (void)bird_calibration_differs(&c, &c.settings);
    } else if (rc) {
        check_refusal(rc);
    }
    bird_calibration_free(&c);
    rc = bird_calibration_read_settings(&way, file.path);
    if (rc < 0)
        check_refusal(rc);
}

static void read_maps(int64_t n_feature)
{
    struct bird_probability m = {0};
    int rc = bird_probability_read(&m, file.path, n_feature);

    if (rc < 0)
        check_refusal(rc);
    if (rc > 0) {
        MUST(m.n_feature == n_feature && m.event && m.fitted);
        for (int64_t f = 0; f < n_feature; f++) {
            double last = 0;

            for (int i = 0; i <= 16; i++) {
                double p = bird_probability_of(&m, f, i / 16.0);

                MUST(p >= 0 && p <= 1 && p >= last);
                last = p;
                p = bird_probability_raw(&m, f, i / 16.0);
                MUST(p >= 0 && p <= 1);
            }
        }
    }
    bird_probability_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int64_t n_feature = size ? 1 + data[0] % 8 : 1;
    size_t n;
    uint8_t *s = safetensors_of(&n, data + (size > 0), size ? size - 1 : 0);

    memory_file_put(&file, s, n);
    free(s);
    read_background(n_feature);
    read_maps(n_feature);
    return 0;
}
