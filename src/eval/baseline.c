/* Floors: features of a sequence, and scoring. SPDX-License-Identifier: MIT */
#include "eval/baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "seq/alphabet.h"

#define MAX_ORDER 3 /* of the k-mers at positions */

const char *bird_baseline_name(enum bird_baseline_kind kind)
{
    return kind == BIRD_BASELINE_KMER       ? "k-mers"
           : kind == BIRD_BASELINE_POSITION ? "positions"
                                            : "";
}

/* First feature of the k-mers of this k. */
static int64_t kmer_offset(int k)
{
    int64_t at = 0;

    for (int i = BIRD_KMER_MIN; i < k; i++)
        at += INT64_C(1) << (2 * i);
    return at;
}

static uint32_t turned(uint32_t code, int k)
{
    uint32_t out = 0;

    for (int i = 0; i < k; i++, code >>= 2)
        out = out << 2 | (3 - (code & 3));
    return out;
}

static void fill_tables(bird_baseline *b)
{
    for (int k = BIRD_KMER_MIN; k <= BIRD_KMER_MAX; k++)
        for (uint32_t code = 0; code < UINT32_C(1) << (2 * k); code++) {
            uint32_t other = b->canonical ? turned(code, k) : code;
            int64_t at = kmer_offset(k);

            b->map[at + code] = (uint16_t)(at + (other < code ? other : code));
        }
    for (int i = 0; i < BIRD_LOG_TABLE; i++)
        b->log1p[i] = (float)log1p(i);
}

int bird_baseline_new(bird_baseline **out, enum bird_label_kind kind,
                      int64_t n_label, int canonical)
{
    bird_baseline *b;
    int rc = bird_array_new(&b, 1, sizeof(*b));

    if (rc)
        return rc;
    b->kind = kind;
    b->n_label = n_label;
    b->n_column = kind == BIRD_LABEL_CLASS && n_label == 2 ? 1 : n_label;
    b->canonical = canonical != 0;
    fill_tables(b);
    *out = b;
    return 0;
}

void bird_baseline_free(bird_baseline *b)
{
    if (!b)
        return;
    for (int k = 0; k < BIRD_N_BASELINE; k++) {
        free(b->floor[k].weight);
        free(b->floor[k].l2);
    }
    free(b);
}

int bird_baseline_has(const bird_baseline *b, enum bird_baseline_kind kind)
{
    return kind < BIRD_N_BASELINE && b->floor[kind].n_feature > 0;
}

int64_t bird_baseline_columns(const bird_baseline *b)
{
    return b->n_column;
}

double bird_baseline_l2(const bird_baseline *b, enum bird_baseline_kind kind,
                        int64_t c)
{
    return bird_baseline_has(b, kind) && c >= 0 && c < b->n_column
               ? b->floor[kind].l2[c]
               : (double)NAN;
}

int64_t bird_baseline_length(const bird_baseline *b)
{
    return b->length;
}

double bird_gc_share(const char *seq, int64_t len)
{
    int64_t n[4] = {0}, all;

    for (int64_t i = 0; i < len; i++)
        if (bird_base_code(seq[i]) >= 0)
            n[bird_base_code(seq[i])]++;
    all = n[0] + n[1] + n[2] + n[3];
    return all ? (double)(n[1] + n[2]) / (double)all : 0.5;
}

/* --- features ----------------------------------------------------------- */

/* Count k-mers; touched lists the features whose count is not 0. */
static int count_kmers(uint32_t *count, uint16_t *touched,
                       const bird_baseline *b, const char *seq, int64_t len)
{
    static const uint16_t offset[4] = {0, 64, 320, 1344};
    static const uint32_t mask[4] = {63, 255, 1023, 4095};
    uint32_t code = 0;
    int filled = 0, n = 0;

    for (int64_t i = 0; i < len; i++) {
        int c = bird_base_code(seq[i]);

        if (c < 0) {
            filled = 0;
            continue;
        }
        code = (code << 2 | (uint32_t)c) & 4095;
        filled += filled < BIRD_KMER_MAX;
        for (int k = 0; k <= filled - BIRD_KMER_MIN; k++) {
            uint16_t at = b->map[offset[k] + (code & mask[k])];

            if (!count[at]++)
                touched[n++] = at;
        }
    }
    return n;
}

static float log_count(const bird_baseline *b, uint32_t n)
{
    return n < BIRD_LOG_TABLE ? b->log1p[n] : (float)log1p(n);
}

static void kmer_features(struct bird_sparse *f, const bird_baseline *b,
                          const char *seq, int64_t len)
{
    uint32_t count[BIRD_KMER_FEATURES] = {0};
    uint16_t touched[BIRD_KMER_FEATURES];

    f->n = count_kmers(count, touched, b, seq, len);
    for (int64_t i = 0; i < f->n; i++) {
        f->index[i] = touched[i];
        f->value[i] = log_count(b, count[touched[i]]);
    }
}

int64_t bird_position_features(int64_t length)
{
    return length * 4 + (length - 1) * 16 + (length - 2) * 64;
}

static void position_features(struct bird_sparse *f, const char *seq,
                              int64_t len)
{
    static const int32_t width[MAX_ORDER] = {4, 16, 64};
    uint32_t code = 0;
    int filled = 0;
    int64_t n = 0;

    for (int64_t i = 0; i < len; i++) {
        int c = bird_base_code(seq[i]);
        int64_t at = 0;

        filled = c < 0 ? 0 : filled < MAX_ORDER ? filled + 1 : MAX_ORDER;
        code = (code << 2 | (uint32_t)(c < 0 ? 0 : c)) & 63;
        for (int k = 0; k < filled; k++) {
            f->index[n] = (int32_t)(at + (i - k) * width[k] +
                                    (code & (uint32_t)(width[k] - 1)));
            f->value[n++] = 1;
            at += (len - k) * width[k];
        }
    }
    f->n = n;
}

void bird_baseline_features(struct bird_sparse *f, const bird_baseline *b,
                            enum bird_baseline_kind kind, const char *seq,
                            int64_t len)
{
    if (kind == BIRD_BASELINE_KMER)
        kmer_features(f, b, seq, len);
    else
        position_features(f, seq, len);
}

int64_t bird_baseline_max_row(enum bird_baseline_kind kind, int64_t len)
{
    if (kind == BIRD_BASELINE_POSITION)
        return MAX_ORDER * len;
    return len < BIRD_KMER_FEATURES / 4 ? 4 * len : BIRD_KMER_FEATURES;
}

/* --- scores ------------------------------------------------------------- */

static double answer(const float *w, const struct bird_sparse *f, int64_t m)
{
    double z = (double)w[m];

    for (int64_t i = 0; i < f->n; i++)
        z += (double)w[f->index[i]] * (double)f->value[i];
    return 1 / (1 + exp(-z));
}

/* Answers against the rest become probabilities of one class. */
static void share_out(double *p, int64_t n)
{
    double sum = 0;

    for (int64_t c = 0; c < n; c++)
        sum += p[c];
    for (int64_t c = 0; c < n; c++)
        p[c] = sum > 0 ? p[c] / sum : 1 / (double)n;
}

int bird_baseline_score(const bird_baseline *b, enum bird_baseline_kind kind,
                        double *out, const char *seq, int64_t len)
{
    int32_t index[MAX_ORDER * BIRD_POSITION_MAX];
    float value[MAX_ORDER * BIRD_POSITION_MAX];
    struct bird_sparse f = {index, value, 0};
    const struct bird_floor *l;

    if (!bird_baseline_has(b, kind))
        return bird_fail(BIRD_EINVAL,
                         "the baseline has no %s: they were not "
                         "fitted",
                         bird_baseline_name(kind));
    if (kind == BIRD_BASELINE_POSITION && len != b->length)
        return bird_fail(BIRD_EINVAL,
                         "the baseline on positions needs %lld "
                         "bp, not %lld",
                         (long long)b->length, (long long)len);
    bird_baseline_features(&f, b, kind, seq, len);
    l = &b->floor[kind];
    for (int64_t c = 0; c < b->n_column; c++)
        out[c] = answer(l->weight + c * (l->n_feature + 1), &f, l->n_feature);
    if (b->kind == BIRD_LABEL_CLASS && b->n_column > 1)
        share_out(out, b->n_column);
    return 0;
}

#define ROWS 256 /* of a task */

struct rows {
    const bird_baseline *b;
    enum bird_baseline_kind kind;
    double *out;
    const bird_dataset *d;
};

static void score_task(void *context, int64_t task, int worker)
{
    const struct rows *r = context;
    int64_t to = (task + 1) * ROWS < r->d->n ? (task + 1) * ROWS : r->d->n;

    (void)worker;
    for (int64_t i = task * ROWS; i < to; i++)
        if (bird_baseline_score(r->b, r->kind, r->out + i * r->b->n_column,
                                bird_dataset_seq(r->d, i), r->d->row[i].len))
            return; /* cannot be: checked before */
}

int bird_baseline_score_rows(const bird_baseline *b,
                             enum bird_baseline_kind kind, double *out,
                             const bird_dataset *d)
{
    struct rows r = {b, kind, out, d};

    if (!bird_baseline_has(b, kind))
        return bird_fail(BIRD_EINVAL,
                         "the baseline has no %s: they were not "
                         "fitted",
                         bird_baseline_name(kind));
    for (int64_t i = 0; i < d->n; i++)
        if (kind == BIRD_BASELINE_POSITION && d->row[i].len != b->length)
            return bird_fail(BIRD_EINVAL,
                             "row %lld has %lld bp; the baseline "
                             "on positions needs %lld",
                             (long long)i + 1, (long long)d->row[i].len,
                             (long long)b->length);
    bird_parallel((d->n + ROWS - 1) / ROWS, score_task, &r);
    return 0;
}
