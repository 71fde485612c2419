/* Baselines: regression on k-mers and on positions, logistic, or of measured values
 * linear.
 *
 * The sparse features of a sequence are log(1 + count) of its 3- to 6-mers, or
 * the 1- to 3-mers at each position. logistic.h fits one regression for each
 * answer, and a safetensors file stores the weights. The baseline on k-mers
 * shows how good counting is, the one on positions how good a weight matrix is.
 * SPDX-License-Identifier: MIT */
#include "peers/baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "data/dataset.h"
#include "folder/safetensors.h"
#include "seq/alphabet.h"

#define MAX_ORDER   3 /* longest k-mer at a position */
#define CONTEXT_MAX 100000

#define LOG_TABLE 1024

/* The regressions on one kind of features. */
struct regression {
    int64_t n_feature; /* 0: not fitted */
    float *weight;     /* (n_column, n_feature+1), the intercept last */
    double *l2;        /* (n_column) */
};

struct bird_baseline {
    enum bird_label_kind kind;
    int64_t n_label, n_column;
    int canonical;
    int k_max;
    int64_t context_bp; /* of bins; 0: not fitted on bins */
    int64_t length; /* sequence length for the baseline on positions; 0: none */
    struct regression regression[BIRD_N_BASELINE];
    uint16_t map[BIRD_KMER_FEATURES]; /* k-mer to its feature */
    float log1p[LOG_TABLE];
};

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

static uint32_t reverse_complement(uint32_t code, int k)
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
            uint32_t other = b->canonical ? reverse_complement(code, k) : code;
            int64_t at = kmer_offset(k);

            b->map[at + code] = (uint16_t)(at + (other < code ? other : code));
        }
    for (int i = 0; i < LOG_TABLE; i++)
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
    b->k_max = BIRD_KMER_MAX;
    fill_tables(b);
    *out = b;
    return 0;
}

static int regression_new(struct regression *l, int64_t n_column, int64_t m)
{
    int rc = bird_array_new(&l->weight, n_column * (m + 1), sizeof(float));

    if (!rc)
        rc = bird_array_new(&l->l2, n_column, sizeof(double));
    if (!rc)
        l->n_feature = m;
    return rc;
}

void bird_baseline_free(bird_baseline *b)
{
    if (!b)
        return;
    for (int k = 0; k < BIRD_N_BASELINE; k++) {
        free(b->regression[k].weight);
        free(b->regression[k].l2);
    }
    free(b);
}

int bird_baseline_has(const bird_baseline *b, enum bird_baseline_kind kind)
{
    return kind < BIRD_N_BASELINE && b->regression[kind].n_feature > 0;
}

int64_t bird_baseline_columns(const bird_baseline *b)
{
    return b->n_column;
}

double bird_baseline_l2(const bird_baseline *b, enum bird_baseline_kind kind,
                        int64_t c)
{
    return bird_baseline_has(b, kind) && c >= 0 && c < b->n_column
               ? b->regression[kind].l2[c]
               : (double)NAN;
}

int64_t bird_baseline_length(const bird_baseline *b)
{
    return b->length;
}

int64_t bird_baseline_context(const bird_baseline *b)
{
    return b->context_bp;
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
        filled += filled < b->k_max;
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
    return n < LOG_TABLE ? b->log1p[n] : (float)log1p(n);
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

/* Largest number of non-zero features of a sequence of at most len bases. */
static int64_t max_features(enum bird_baseline_kind kind, int64_t len)
{
    if (kind == BIRD_BASELINE_POSITION)
        return MAX_ORDER * len;
    return len < BIRD_KMER_FEATURES / 4 ? 4 * len : BIRD_KMER_FEATURES;
}

static int64_t n_features(const bird_baseline *b, enum bird_baseline_kind kind)
{
    return kind == BIRD_BASELINE_KMER ? kmer_offset(b->k_max + 1)
                                      : bird_position_features(b->length);
}

/* --- scores ------------------------------------------------------------- */

static double answer(const bird_baseline *b, const float *w,
                     const struct bird_sparse *f, int64_t m)
{
    double z = (double)w[m];

    for (int64_t i = 0; i < f->n; i++)
        z += (double)w[f->index[i]] * (double)f->value[i];
    return b->kind == BIRD_LABEL_VALUE ? z : 1 / (1 + exp(-z));
}

/* Scale the probabilities of each class against the rest to sum to 1. */
static void share_out(double *p, int64_t n)
{
    double sum = 0;

    for (int64_t c = 0; c < n; c++)
        sum += p[c];
    for (int64_t c = 0; c < n; c++)
        p[c] = sum > 0 ? p[c] / sum : 1 / (double)n;
}

static int not_fitted(enum bird_baseline_kind kind)
{
    return bird_fail(BIRD_EINVAL,
                     "the baseline has no %s: they were not fitted",
                     bird_baseline_name(kind));
}

int bird_baseline_score(const bird_baseline *b, enum bird_baseline_kind kind,
                        double *out, const char *seq, int64_t len)
{
    int32_t index[MAX_ORDER * BIRD_POSITION_MAX];
    float value[MAX_ORDER * BIRD_POSITION_MAX];
    struct bird_sparse f = {index, value, 0};
    const struct regression *l;

    if (!bird_baseline_has(b, kind))
        return not_fitted(kind);
    if (kind == BIRD_BASELINE_POSITION && len != b->length)
        return bird_fail(BIRD_EINVAL,
                         "the baseline on positions needs %lld bp, not %lld",
                         (long long)b->length, (long long)len);
    bird_baseline_features(&f, b, kind, seq, len);
    l = &b->regression[kind];
    for (int64_t c = 0; c < b->n_column; c++)
        out[c] =
            answer(b, l->weight + c * (l->n_feature + 1), &f, l->n_feature);
    if (b->kind == BIRD_LABEL_CLASS && b->n_column > 1)
        share_out(out, b->n_column);
    return 0;
}

void bird_baseline_difference(const bird_baseline *b, double *out,
                              const char *a, int64_t n_a, const char *c,
                              int64_t n_c)
{
    const struct regression *l = &b->regression[BIRD_BASELINE_KMER];
    const char *seq[2] = {a, c};
    const int64_t n[2] = {n_a, n_c};
    int32_t index[BIRD_KMER_FEATURES];
    float value[BIRD_KMER_FEATURES], more[BIRD_KMER_FEATURES] = {0};
    struct bird_sparse f = {index, value, 0};
    int64_t m = 0;

    for (int k = 0; k < 2; k++) {
        kmer_features(&f, b, seq[k], n[k]);
        for (int64_t i = 0; i < f.n; i++)
            more[f.index[i]] += k ? f.value[i] : -f.value[i];
    }
    for (int32_t i = 0; i < (int32_t)l->n_feature; i++)
        if (more[i] < 0 || more[i] > 0)
            index[m++] = i;
    for (int64_t k = 0; k < b->n_column; k++) {
        const float *w = l->weight + k * (l->n_feature + 1);

        out[k] = 0;
        for (int64_t i = 0; i < m; i++)
            out[k] += (double)w[index[i]] * (double)more[index[i]];
    }
}

#define ROWS 256 /* rows of a task */

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
            return; /* cannot fail: checked before */
}

int bird_baseline_score_rows(const bird_baseline *b,
                             enum bird_baseline_kind kind, double *out,
                             const bird_dataset *d)
{
    struct rows r = {b, kind, out, d};

    if (!bird_baseline_has(b, kind))
        return not_fitted(kind);
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

/* --- fitting ------------------------------------------------------------- */

/* Bytes of features kept in memory while fitting; the others are counted in
 * every pass. */
#define KEEP_BYTES (INT64_C(512) << 20)

/* Rows that l2 is chosen on, about. */
enum { CHOOSE_ROWS = 20000 };

/* Values of l2 to try, from the largest. */
static const double grid[] = {1,    0.3,  0.1,  0.03, 0.01, 3e-3,
                              1e-3, 3e-4, 1e-4, 3e-5, 1e-5};
#define N_GRID                ((int)(sizeof(grid) / sizeof(grid[0])))
#define MOST_POSITION_WEIGHTS (INT64_C(16) << 20)

void bird_baseline_options_default(bird_baseline_options *o)
{
    *o = (bird_baseline_options){
        .k_max = BIRD_KMER_MAX, .hold_out = 0.1, .seed = 1};
}

struct source {
    const bird_baseline *b;
    enum bird_baseline_kind kind;
    const bird_dataset *d;
    double *mean, *sd; /* (n_column) of measured values, else NULL: a penalty
                          means the same in any unit */
};

static void source_row(const void *context, struct bird_sparse *f, int64_t i)
{
    const struct source *s = context;

    bird_baseline_features(f, s->b, s->kind, bird_dataset_seq(s->d, i),
                           s->d->row[i].len);
}

/* One answer's targets as 0, 1 or NaN; measured values in standard deviations
 * from their mean. */
static void answer_targets(const void *context, float *y, int64_t c)
{
    const struct source *s = context;
    const bird_dataset *d = s->d;

    if (d->kind == BIRD_LABEL_MULTI || s->sd) {
        bird_dataset_column(y, d, c);
        for (int64_t i = 0; s->sd && i < d->n; i++)
            y[i] = (float)(((double)y[i] - s->mean[c]) / s->sd[c]);
        return;
    }
    for (int64_t i = 0; i < d->n; i++)
        y[i] =
            s->b->n_column == 1 ? d->row[i].label == 1 : d->row[i].label == c;
}

static void row_targets(const void *context, float *y, int64_t i)
{
    const struct source *s = context;

    bird_dataset_labels(y, s->d, i);
    for (int64_t c = 0; s->sd && c < s->d->n_label; c++)
        y[c] = (float)(((double)y[c] - s->mean[c]) / s->sd[c]);
}

/* Scales of measured values; a deviation of 1 where none differs. */
static int find_scales(struct source *s)
{
    int64_t n_label = s->d->n_label;
    int rc = bird_array_new(&s->mean, n_label, sizeof(*s->mean));

    if (!rc)
        rc = bird_array_new(&s->sd, n_label, sizeof(*s->sd));
    for (int64_t c = 0; !rc && c < n_label; c++) {
        bird_dataset_scale(&s->mean[c], &s->sd[c], s->d, c);
        s->sd[c] = s->sd[c] > 0 ? s->sd[c] : 1;
    }
    return rc;
}

/* Weights of standardised values become those of the values' unit. */
static void restore_unit(const struct source *s, struct regression *l)
{
    int64_t n = l->n_feature + 1;

    for (int64_t c = 0; c < s->b->n_column; c++) {
        float *w = l->weight + c * n;

        for (int64_t j = 0; j < n; j++)
            w[j] = (float)((double)w[j] * s->sd[c]);
        w[n - 1] = (float)((double)w[n - 1] + s->mean[c]);
    }
}

/* Labels from which on all are fitted together. */
enum { MANY = 8 };

static int fit_kind(bird_baseline *b, enum bird_baseline_kind kind,
                    const bird_dataset *d, const bird_baseline_options *o)
{
    struct source s = {.b = b, .kind = kind, .d = d};
    struct regression *l = &b->regression[kind];
    int64_t longest = 0, m = n_features(b, kind);
    struct bird_design design = {
        .n_row = d->n, .n_feature = m, .row = source_row, .context = &s};
    int values = d->kind == BIRD_LABEL_VALUE;
    int many = (values || d->kind == BIRD_LABEL_MULTI) && b->n_column >= MANY;
    struct bird_logistic fit = {.design = &design,
                                .n_answer = b->n_column,
                                .linear = values,
                                .answer_targets = answer_targets,
                                .row_targets = many ? row_targets : NULL,
                                .context = &s,
                                .row_weight = d->weight,
                                .grid = grid,
                                .n_grid = N_GRID,
                                .l2 = o->l2[kind],
                                .choose_step = d->n / CHOOSE_ROWS + 1,
                                .choose_decrease =
                                    many ? 1e-4 : 1e-5, /* float, or double */
                                .fit_decrease = many ? 1e-6 : 1e-7,
                                .stop = o->stop,
                                .stop_context = o->stop_context};
    uint8_t *held = NULL;
    int rc = regression_new(l, b->n_column, m);

    for (int64_t i = 0; i < d->n; i++)
        longest = d->row[i].len > longest ? d->row[i].len : longest;
    design.max_row = max_features(kind, longest);
    if (!rc && values)
        rc = find_scales(&s);
    if (!rc)
        rc = bird_array_new(&held, d->n, 1);
    if (!rc)
        rc = bird_design_keep(&design, KEEP_BYTES);
    if (!rc)
        rc = bird_dataset_mark_fraction(held, d, o->hold_out, o->seed);
    fit.held = held;
    if (!rc)
        rc = bird_logistic_fit(l->weight, l->l2, &fit);
    if (!rc && values)
        restore_unit(&s, l);
    bird_design_free(&design);
    free(s.mean);
    free(s.sd);
    free(held);
    return rc;
}

/* Weights of a baseline of bins as stored in its file, bfloat16; the caller
 * frees *out. */
static int round_weights(uint16_t **out, const bird_baseline *b)
{
    const struct regression *l = &b->regression[BIRD_BASELINE_KMER];
    int64_t n = b->n_column * (l->n_feature + 1);
    int rc = bird_array_new(out, n, sizeof(**out));

    if (!rc)
        bird_f32_to_bf16(*out, l->weight, n);
    return rc;
}

/* Round the weights, so that they equal those read from the file. */
static int keep_rounded(bird_baseline *b)
{
    struct regression *l = &b->regression[BIRD_BASELINE_KMER];
    int64_t n = b->n_column * (l->n_feature + 1);
    uint16_t *low = NULL;
    int rc = round_weights(&low, b);
    const struct bird_tensor t = {"",  BIRD_BF16, 1,
                                  {n}, low,       (size_t)n * sizeof(*low)};

    if (!rc)
        bird_tensor_to_f32(l->weight, &t);
    free(low);
    return rc;
}

static int check_options(const bird_baseline_options *o)
{
    if (!(o->hold_out >= 0 && o->hold_out < 1) || !(o->l2[0] >= 0) ||
        !(o->l2[1] >= 0))
        return bird_fail(BIRD_EINVAL, "a baseline's held-out share lies in 0 "
                                      "to 1 and its l2 is not negative");
    if ((o->k_max && o->k_max < BIRD_KMER_MIN) || o->k_max > BIRD_KMER_MAX ||
        o->context_bp < 0 || o->context_bp > CONTEXT_MAX)
        return bird_fail(BIRD_EINVAL,
                         "a baseline's k-mers have up to 3 to 6 bases, and its "
                         "context 0 to %d bp",
                         CONTEXT_MAX);
    return 0;
}

/* The common length of all rows if the baseline on positions can be fitted;
 * else 0. */
static int64_t common_length(const bird_dataset *d)
{
    int64_t n = d->row[0].len;

    for (int64_t i = 1; i < d->n; i++)
        if (d->row[i].len != n)
            return 0;
    return n >= 3 && n <= BIRD_POSITION_MAX ? n : 0;
}

int bird_baseline_fit(bird_baseline **out, const bird_dataset *train,
                      const bird_baseline_options *o)
{
    bird_baseline_options plain;
    bird_baseline *b = NULL;
    int rc;

    bird_baseline_options_default(&plain);
    o = o ? o : &plain;
    if (!train->n || train->kind == BIRD_LABEL_NONE)
        return bird_fail(BIRD_EINVAL, "a baseline needs labelled rows");
    if ((rc = check_options(o)))
        return rc;
    /* labelled bins have no strand */
    rc = bird_baseline_new(&b, train->kind, train->n_label,
                           o->canonical || train->hit_at);
    if (!rc) {
        b->k_max = o->k_max ? o->k_max : BIRD_KMER_MAX;
        b->context_bp = o->context_bp;
        rc = fit_kind(b, BIRD_BASELINE_KMER, train, o);
    }
    if (!rc && b->context_bp)
        rc = keep_rounded(b);
    if (!rc) {
        b->length = train->hit_at || b->context_bp ? 0 : common_length(train);
        if (b->length * 84 * b->n_column > MOST_POSITION_WEIGHTS)
            b->length = 0;
        if (b->length)
            rc = fit_kind(b, BIRD_BASELINE_POSITION, train, o);
    }
    if (rc)
        bird_baseline_free(b);
    else
        *out = b;
    return rc;
}

/* --- the file ---------------------------------------------------------------
 *
 * Tensors: settings (6) int64: version, kind of labels, number of labels,
 * canonical, length of the positions' inputs (0 = none), number of answers;
 * kmer.weight (answers, up to 5441), kmer.l2 (answers), the same for position.
 * Of bins version 2, whose settings (8) go on with the longest k-mers and the
 * context; kmer.weight has as many columns and is bfloat16. Of measured values
 * version 3, else as version 1.
 */

#define VERSION_ROWS   1
#define VERSION_BINS   2
#define VERSION_VALUES 3
#define N_SETTING      8

/* Number of settings of a version. */
static int64_t n_setting(int64_t version)
{
    return version == VERSION_BINS ? N_SETTING : 6;
}

static const char *const weight_name[BIRD_N_BASELINE] = {"kmer.weight",
                                                         "position.weight"};
static const char *const l2_name[BIRD_N_BASELINE] = {"kmer.l2", "position.l2"};

int bird_baseline_save(const bird_baseline *b, const char *path)
{
    const char *const meta[2] = {"format", "dnabird.baseline"};
    const int64_t version = b->context_bp                 ? VERSION_BINS
                            : b->kind == BIRD_LABEL_VALUE ? VERSION_VALUES
                                                          : VERSION_ROWS;
    const int64_t setting[N_SETTING] = {version,      b->kind,      b->n_label,
                                        b->canonical, b->length,    b->n_column,
                                        b->k_max,     b->context_bp};
    struct bird_tensor t[1 + 2 * BIRD_N_BASELINE] = {
        {"settings",
         BIRD_I64,
         1,
         {n_setting(version)},
         setting,
         (size_t)n_setting(version) * sizeof(*setting)}};
    uint16_t *low = NULL;
    int64_t n = 1;
    int rc = b->context_bp ? round_weights(&low, b) : 0;

    for (int k = 0; k < BIRD_N_BASELINE; k++) {
        const struct regression *l = &b->regression[k];
        size_t n_weight = (size_t)(b->n_column * (l->n_feature + 1));

        if (!l->n_feature)
            continue;
        t[n++] = (struct bird_tensor){weight_name[k],
                                      low ? BIRD_BF16 : BIRD_F32,
                                      2,
                                      {b->n_column, l->n_feature + 1},
                                      low ? (void *)low : (void *)l->weight,
                                      n_weight *
                                          (low ? sizeof(*low) : sizeof(float))};
        t[n++] = (struct bird_tensor){
            l2_name[k],    BIRD_F64, 1,
            {b->n_column}, l->l2,    (size_t)b->n_column * sizeof(double)};
    }
    if (!rc)
        rc = bird_tensors_write(path, t, n, meta, 1);
    free(low);
    return rc;
}

static int not_settings(const char *path)
{
    return bird_fail(BIRD_EFORMAT,
                     "%s: tensor 'settings' is not that of a baseline", path);
}

static int read_settings(int64_t *setting, const bird_tensors *file,
                         const char *path)
{
    const struct bird_tensor *t = bird_tensors_find(file, "settings");
    const struct bird_tensor *w = bird_tensors_find(file, weight_name[0]);

    memset(setting, 0, N_SETTING * sizeof(*setting));
    if (!t || t->dtype != BIRD_I64 || t->size < sizeof(*setting))
        return not_settings(path);
    memcpy(setting, t->data, sizeof(*setting));
    if (setting[0] < VERSION_ROWS || setting[0] > VERSION_VALUES)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: version %lld of baselines; "
                         "this program reads %d to %d",
                         path, (long long)setting[0], VERSION_ROWS,
                         VERSION_VALUES);
    if (t->size != (size_t)n_setting(setting[0]) * sizeof(*setting))
        return not_settings(path);
    memcpy(setting, t->data, t->size);
    if (setting[0] == VERSION_ROWS && setting[1] == BIRD_LABEL_VALUE)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: a baseline of measured values by an earlier "
                         "version, which learned nothing: delete this file",
                         path);
    if (setting[0] != VERSION_BINS)
        for (setting[6] = BIRD_KMER_MAX; setting[6] > BIRD_KMER_MIN;
             setting[6]--)
            if (w && w->shape[1] == kmer_offset((int)setting[6] + 1) + 1)
                break;
    if (setting[1] < BIRD_LABEL_CLASS || setting[1] > BIRD_LABEL_VALUE ||
        setting[2] < 1 || setting[2] > 1000000 || setting[4] < 0 ||
        setting[4] > BIRD_POSITION_MAX || (setting[4] && setting[4] < 3) ||
        (setting[3] != 0 && setting[3] != 1) || setting[6] < BIRD_KMER_MIN ||
        setting[6] > BIRD_KMER_MAX || setting[7] < 0 ||
        setting[7] > CONTEXT_MAX ||
        !setting[7] != (setting[0] != VERSION_BINS) ||
        (setting[0] == VERSION_VALUES && setting[1] != BIRD_LABEL_VALUE) ||
        (setting[4] && setting[7]))
        return bird_fail(BIRD_EFORMAT,
                         "%s: settings of a baseline out of their ranges",
                         path);
    return 0;
}

static int read_kind(struct regression *l, enum bird_baseline_kind k,
                     const bird_tensors *file, const bird_baseline *b,
                     const char *path)
{
    const struct bird_tensor *w = bird_tensors_find(file, weight_name[k]);
    const struct bird_tensor *l2 = bird_tensors_find(file, l2_name[k]);
    int64_t m = n_features(b, k);
    int rc;

    if (!w || (w->dtype != BIRD_F32 && w->dtype != BIRD_BF16) ||
        w->n_dim != 2 || w->shape[0] != b->n_column || w->shape[1] != m + 1)
        return bird_fail(BIRD_EFORMAT,
                         "%s: tensor '%s' is missing or has another shape",
                         path, weight_name[k]);
    if (!l2 || l2->dtype != BIRD_F64 || l2->n_dim != 1 ||
        l2->shape[0] != b->n_column)
        return bird_fail(BIRD_EFORMAT,
                         "%s: tensor '%s' is missing or has another shape",
                         path, l2_name[k]);
    rc = regression_new(l, b->n_column, m);
    if (rc)
        return rc;
    bird_tensor_to_f32(l->weight, w);
    memcpy(l->l2, l2->data, l2->size);
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
        b->k_max = (int)setting[6];
        b->context_bp = setting[7];
        rc = read_kind(&b->regression[BIRD_BASELINE_KMER], BIRD_BASELINE_KMER,
                       file, b, path);
    }
    if (!rc && b->length)
        rc = read_kind(&b->regression[BIRD_BASELINE_POSITION],
                       BIRD_BASELINE_POSITION, file, b, path);
    bird_tensors_free(file);
    if (rc)
        bird_baseline_free(b);
    else
        *out = b;
    return rc;
}
