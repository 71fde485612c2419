/* Floors in a safetensors file. SPDX-License-Identifier: MIT
 *
 * Tensors: settings (6) int64: version, kind of labels, number of labels,
 * canonical, length of the positions' inputs (0 = none), number of answers;
 * kmer.weight (answers, 5441), kmer.l2 (answers), and the same for position.
 */
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "eval/baseline.h"
#include "model/safetensors.h"

#define VERSION   1
#define N_SETTING 6

static const char *const weight_name[BIRD_N_BASELINE] = {"kmer.weight",
                                                         "position.weight"};
static const char *const l2_name[BIRD_N_BASELINE] = {"kmer.l2", "position.l2"};

int bird_baseline_save(const bird_baseline *b, const char *path)
{
    const char *const meta[2] = {"format", "dnabird.baseline"};
    const int64_t setting[N_SETTING] = {VERSION,      b->kind,   b->n_label,
                                        b->canonical, b->length, b->n_column};
    struct bird_tensor t[1 + 2 * BIRD_N_BASELINE] = {
        {"settings", BIRD_I64, 1, {N_SETTING}, setting, sizeof(setting)}};
    int64_t n = 1;

    for (int k = 0; k < BIRD_N_BASELINE; k++) {
        const struct bird_floor *l = &b->floor[k];

        if (!l->n_feature)
            continue;
        t[n++] = (struct bird_tensor){
            weight_name[k],
            BIRD_F32,
            2,
            {b->n_column, l->n_feature + 1},
            l->weight,
            (size_t)(b->n_column * (l->n_feature + 1)) * sizeof(float)};
        t[n++] = (struct bird_tensor){
            l2_name[k],    BIRD_F64, 1,
            {b->n_column}, l->l2,    (size_t)b->n_column * sizeof(double)};
    }
    return bird_tensors_write(path, t, n, meta, 1);
}

static int read_settings(int64_t *setting, const bird_tensors *file,
                         const char *path)
{
    const struct bird_tensor *t = bird_tensors_find(file, "settings");

    if (!t || t->dtype != BIRD_I64 || t->size != N_SETTING * sizeof(*setting))
        return bird_fail(BIRD_EFORMAT,
                         "%s: tensor 'settings' is not that of a "
                         "baseline",
                         path);
    memcpy(setting, t->data, t->size);
    if (setting[0] != VERSION)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: version %lld of baselines; "
                         "this program reads %d",
                         path, (long long)setting[0], VERSION);
    if ((setting[1] != BIRD_LABEL_CLASS && setting[1] != BIRD_LABEL_MULTI) ||
        setting[2] < 1 || setting[2] > 1000000 || setting[4] < 0 ||
        setting[4] > BIRD_POSITION_MAX || (setting[4] && setting[4] < 3) ||
        (setting[3] != 0 && setting[3] != 1))
        return bird_fail(BIRD_EFORMAT,
                         "%s: settings of a baseline out of "
                         "their ranges",
                         path);
    return 0;
}

static int read_floor(struct bird_floor *l, enum bird_baseline_kind k,
                      const bird_tensors *file, const bird_baseline *b,
                      const char *path)
{
    const struct bird_tensor *w = bird_tensors_find(file, weight_name[k]);
    const struct bird_tensor *l2 = bird_tensors_find(file, l2_name[k]);
    int64_t m = k == BIRD_BASELINE_KMER ? BIRD_KMER_FEATURES
                                        : bird_position_features(b->length);
    int rc;

    if (!w || w->dtype != BIRD_F32 || w->n_dim != 2 ||
        w->shape[0] != b->n_column || w->shape[1] != m + 1)
        return bird_fail(BIRD_EFORMAT,
                         "%s: tensor '%s' is missing or has "
                         "another shape",
                         path, weight_name[k]);
    if (!l2 || l2->dtype != BIRD_F64 || l2->n_dim != 1 ||
        l2->shape[0] != b->n_column)
        return bird_fail(BIRD_EFORMAT,
                         "%s: tensor '%s' is missing or has "
                         "another shape",
                         path, l2_name[k]);
    rc = bird_array_new(&l->weight, b->n_column * (m + 1), sizeof(float));
    if (!rc)
        rc = bird_array_new(&l->l2, b->n_column, sizeof(double));
    if (rc)
        return rc;
    memcpy(l->weight, w->data, w->size);
    memcpy(l->l2, l2->data, l2->size);
    l->n_feature = m;
    return 0;
}

int bird_baseline_open(bird_baseline **out, const char *path)
{
    int64_t setting[N_SETTING];
    bird_tensors *file = NULL;
    bird_baseline *b = NULL;
    int rc = bird_tensors_open(&file, path);

    if (!rc)
        rc = read_settings(setting, file, path);
    if (!rc)
        rc = bird_baseline_new(&b, (enum bird_label_kind)setting[1], setting[2],
                               (int)setting[3]);
    if (!rc && b->n_column != setting[5])
        rc = bird_fail(BIRD_EFORMAT, "%s: %lld answers for %lld labels", path,
                       (long long)setting[5], (long long)setting[2]);
    if (!rc) {
        b->length = setting[4];
        rc = read_floor(&b->floor[BIRD_BASELINE_KMER], BIRD_BASELINE_KMER, file,
                        b, path);
    }
    if (!rc && b->length)
        rc = read_floor(&b->floor[BIRD_BASELINE_POSITION],
                        BIRD_BASELINE_POSITION, file, b, path);
    bird_tensors_free(file);
    if (rc)
        bird_baseline_free(b);
    else
        *out = b;
    return rc;
}
