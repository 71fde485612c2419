/* Motifs as the first filters of a stem: of each the stretch of a kernel's width
 * with the highest scores, centred at each position and of length 1; then as many
 * as wanted, each as unlike those before it as there is.
 * SPDX-License-Identifier: MIT */
#include "folder/motif_filters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "model/stem.h"
#include "seq/motif.h"

enum {
    LEAST = -3 * BIRD_MOTIF_UNIT, /* scores of rare bases depend on how many
                                     sequences were counted */
    OFFSETS = 4,                  /* by which filters are moved to compare */
    OF_FOUR = 3
};

/* Filters of all motifs, (n, kernel, 4) each, as they are and reversed. */
struct filters {
    int64_t n, kernel, size; /* size: of one, 4 kernel */
    double *at[2];
    double *likeness; /* (n) largest, with those that were chosen */
};

static void fill_one(double *out, const struct bird_motif *m, int64_t kernel)
{
    int64_t width = m->width, from = 0, to = 0, most = INT64_MIN;
    double square = 0;

    for (int64_t i = 0; i + kernel <= width; i++) {
        int64_t sum = 0;

        for (int64_t k = i; k < i + kernel; k++) {
            const int32_t *s = m->score[k];
            int32_t a = s[0] > s[1] ? s[0] : s[1],
                    b = s[2] > s[3] ? s[2] : s[3];

            sum += a > b ? a : b;
        }
        if (sum > most) {
            most = sum;
            from = i;
        }
    }
    if (width < kernel)
        to = (kernel - width) / 2;
    for (int64_t i = 0; i < width && i < kernel; i++) {
        double x[4], mean = 0;

        for (int b = 0; b < 4; b++) {
            int32_t s = m->score[from + i][b];

            x[b] = s < LEAST ? LEAST : s;
            mean += x[b] / 4;
        }
        for (int b = 0; b < 4; b++) {
            out[(to + i) * 4 + b] = x[b] - mean;
            square += (x[b] - mean) * (x[b] - mean);
        }
    }
    for (int64_t i = 0; i < 4 * kernel; i++)
        out[i] /= square > 0 ? sqrt(square) : 1;
}

static int make_filters(struct filters *f, const struct bird_motifs *m,
                        int64_t kernel)
{
    int rc = 0;

    f->n = m->n;
    f->kernel = kernel;
    f->size = 4 * kernel;
    for (int k = 0; k < 2 && !rc; k++)
        rc = bird_array_new(&f->at[k], f->n * f->size, sizeof(double));
    if (!rc)
        rc = bird_array_new(&f->likeness, f->n, sizeof(double));
    for (int64_t i = 0; i < f->n && !rc; i++) {
        double *a = f->at[0] + i * f->size, *b = f->at[1] + i * f->size;

        fill_one(a, &m->at[i], kernel);
        for (int64_t k = 0; k < f->size; k++)
            b[k] = a[f->size - 1 - k];
        f->likeness[i] = -1;
    }
    return rc;
}

/* x . y with x moved to the right. */
static double product(const double *x, const double *y, int64_t size,
                      int64_t move)
{
    double sum = 0;

    for (int64_t i = move > 0 ? move : 0; i < (move > 0 ? size : size + move);
         i++)
        sum += x[i - move] * y[i];
    return sum;
}

/* Choose motif i: what the others are like changes. Returns the next one. */
static int64_t choose(struct filters *f, int64_t i)
{
    const double *x = f->at[0] + i * f->size;
    int64_t next = 0;

    for (int64_t j = 0; j < f->n; j++) {
        for (int k = 0; k < 2; k++)
            for (int64_t move = -OFFSETS; move <= OFFSETS; move++) {
                double p =
                    product(x, f->at[k] + j * f->size, f->size, 4 * move);

                f->likeness[j] = p > f->likeness[j] ? p : f->likeness[j];
            }
        if (j == i)
            f->likeness[j] = 2; /* above any */
        if (f->likeness[j] < f->likeness[next])
            next = j;
    }
    return next;
}

/* The tokens of the four bases, and the first layer's weights (channels, kernel,
 * features), which read the token of id k as feature k. */
static int find_weights(float **out, int32_t base[4], float *block,
                        const struct bird_param *list, int64_t n,
                        const struct bird_config *c, const bird_tokenizer *t)
{
    static const char *const name[] = {"A", "C", "G", "T"};
    int known = c->n_stem && t && bird_stem_reads_one_hot(c);

    for (int b = 0; b < 4 && known; b++)
        known = (base[b] = bird_tokenizer_id(t, name[b])) >= 0;
    if (!known)
        return bird_fail(BIRD_EINVAL,
                         "--motifs are the first filters of a stem that reads "
                         "single bases: give --stem and a tokenizer with the "
                         "tokens A, C, G and T");
    for (int64_t i = 0; i < n; i++)
        if (!strcmp(list[i].name, "stem.0.weight"))
            *out = block + list[i].offset;
    return 0;
}

/* The mean length of filters over the four bases. */
static double mean_length(const float *w, const int32_t base[4],
                          const struct bird_config *c)
{
    int64_t channels = c->stem[0].channels, kernel = c->stem[0].kernel;
    double sum = 0;

    for (int64_t i = 0; i < channels; i++) {
        double square = 0;

        for (int64_t k = 0; k < kernel; k++)
            for (int b = 0; b < 4; b++) {
                double x =
                    (double)w[(i * kernel + k) * c->hidden_size + base[b]];

                square += x * x;
            }
        sum += sqrt(square);
    }
    return sum / (double)channels;
}

int bird_motif_filters(float *block, const struct bird_param *list, int64_t n,
                       const struct bird_config *c, const bird_tokenizer *t,
                       const char *motifs, uint64_t seed)
{
    struct bird_motifs m = {0};
    struct filters f = {0};
    int64_t kernel = c->stem[0].kernel, i = 0;
    int32_t base[4];
    float *w = NULL;
    double length = 0;
    int rc = find_weights(&w, base, block, list, n, c, t);

    if (!rc)
        rc = bird_motifs_open(&m, motifs);
    if (!rc)
        rc = make_filters(&f, &m, kernel);
    if (!rc) {
        length = mean_length(w, base, c);
        i = (int64_t)(seed % (uint64_t)f.n);
    }
    for (int64_t k = 0; k < c->stem[0].channels * OF_FOUR / 4 && !rc; k++) {
        const double *x = f.at[k % 2] + i * f.size;
        float *to = w + k * kernel * c->hidden_size;

        for (int64_t j = 0; j < f.size; j++)
            to[j / 4 * c->hidden_size + base[j % 4]] = (float)(length * x[j]);
        i = choose(&f, i);
    }
    bird_motifs_free(&m);
    free(f.at[0]);
    free(f.at[1]);
    free(f.likeness);
    return rc;
}
