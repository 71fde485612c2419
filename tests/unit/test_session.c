/* session/session and session/cache: equal tokens get equal bits and are computed
 * once, for any number of threads; what is remembered is bounded. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "dnabird/dnabird.h"
#include "head/head.h"
#include "seq_help.h"
#include "session/cache.h"
#include "session/model_parts.h"
#include "session/session.h"
#include "tiny.h"

enum { LEN = 150, MOST = 40000 };

static bird_tokenizer *t;
static struct tiny model;
static float *got; /* (MOST, TINY_LABELS) */
static int64_t n_got, n_added, longest_wait, repeated, pad_to;

static void setup(void)
{
    struct bird_config c;

    WORKS(bird_tokenizer_open(&t, tests_path(DATA_WORDS)));
    tiny_config(&c, &bird_head_sequence);
    c.vocab_size = bird_tokenizer_count(t);
    c.hidden_size = 32;
    c.intermediate_size = 64;
    c.max_positions = 256;
    c.n_layer = 1;
    tiny_init(&model, &c, 5);
    got = calloc(MOST * TINY_LABELS, sizeof(*got));
    cr_assert(got);
}

static void teardown(void)
{
    bird_tokenizer_free(t);
    tiny_free(&model);
    free(got);
}
TestSuite(score, .init = setup, .fini = teardown);

/* The sequence of this name: LEN letters. */
static void letters(char *out, uint64_t name)
{
    struct bird_rng r;

    bird_rng_init(&r, 1, 2, name);
    for (int i = 0; i < LEN; i++)
        out[i] = "ACGT"[bird_rng_below(&r, 4)];
}

static int take(void *context, const bird_answer *a)
{
    (void)context;
    cr_assert_eq(a->tag, n_got);
    cr_assert_eq(a->n_bin, 1);
    cr_assert_eq(a->n_label, TINY_LABELS);
    memcpy(got + n_got++ * TINY_LABELS, a->value,
           TINY_LABELS * sizeof(*a->value));
    if (n_added - n_got > longest_wait)
        longest_wait = n_added - n_got;
    return 0;
}

/* The model of this suite as an object on borrowed weights. */
static struct bird_model view(void)
{
    struct bird_model view;
    bird_model *m = NULL;

    WORKS(bird_model_borrow(&m, &model.c, &model.w, t));
    m->pad_to = pad_to;
    view = *m;
    bird_model_close(m);
    return view;
}

static void score(const uint64_t *names, int64_t n, int threads)
{
    struct bird_model m = view();
    bird_session_options o = {.strand = BIRD_STRAND_PLUS, .answer = take};
    bird_session_counts counts;
    bird_session *s = NULL;
    char text[LEN];

    bird_threads_set(threads);
    n_got = n_added = longest_wait = 0;
    memset(got, 0, MOST * TINY_LABELS * sizeof(*got));
    WORKS(bird_session_new(&s, &m, &o));
    cr_assert_eq(bird_session_labels(s), TINY_LABELS);
    for (int64_t i = 0; i < n; i++) {
        letters(text, names[i]);
        n_added++;
        WORKS(bird_session_add(s, text, LEN, i));
        if (i == 1000) /* in the middle of a pack */
            WORKS(bird_session_flush(s));
    }
    WORKS(bird_session_flush(s));
    cr_assert_eq(n_got, n);
    bird_session_count(s, &counts);
    cr_assert_eq(counts.n_evaluated + counts.n_cached, n);
    repeated = counts.n_cached;
    bird_session_free(s);
}

Test(score, equal_tokens_get_equal_bits_with_any_threads)
{
    enum { N = 1500, DIFFERENT = 300 };
    static uint64_t names[N];
    static float one[N * TINY_LABELS];
    struct bird_rng r;

    bird_rng_init(&r, 3, 0, 0);
    for (int i = 0; i < N; i++)
        names[i] = i < DIFFERENT ? (uint64_t)i : bird_rng_below(&r, DIFFERENT);
    score(names, N, 1);
    cr_assert_eq(repeated, N - DIFFERENT);
    memcpy(one, got, sizeof(one));
    for (int i = 0; i < N; i++) {
        float sum = 0;

        for (int k = 0; k < TINY_LABELS; k++)
            sum += one[i * TINY_LABELS + k];
        cr_assert_float_eq(sum, 1.0, 1e-5);
        cr_assert_arr_eq(one + i * TINY_LABELS, one + names[i] * TINY_LABELS,
                         TINY_LABELS * sizeof(*one));
    }
    for (int threads = 2; threads < 6; threads++) {
        score(names, N, threads);
        cr_assert_arr_eq(got, one, sizeof(one));
        cr_assert_eq(repeated, N - DIFFERENT);
    }
}

/* The sequence of this name as a script runs it: a padded row and its mask. */
static void padded(float *p, uint64_t name, int64_t len)
{
    struct bird_encoder *e = NULL;
    bird_encoding ids = {0};
    int64_t offset[] = {0, len}, one[] = {0, 1}, d = model.c.hidden_size;
    int32_t *row = calloc((size_t)len, sizeof(*row));
    uint8_t *mask = calloc((size_t)len, 1);
    float *y = calloc((size_t)(len * d), sizeof(*y));
    struct bird_batch b = {
        .n_seq = 1, .offset = offset, .ids = row, .mask = mask};
    struct bird_batch first = {.n_seq = 1, .offset = one};
    char text[LEN];

    cr_assert(row && mask && y);
    letters(text, name);
    WORKS(bird_tokenizer_encode(t, &ids, text, LEN, 1));
    cr_assert_lt(ids.n, len);
    for (int64_t i = 0; i < len; i++) {
        mask[i] = i < ids.n;
        row[i] = mask[i] ? ids.ids[i] : (int32_t)model.c.pad_id;
    }
    WORKS(bird_encoder_new(&e, &model.c, &model.w));
    WORKS(bird_encoder_forward(e, y, NULL, &b));
    WORKS(bird_head_forward(p, NULL, &model.c, &model.w, y, &first));
    bird_kernels()->softmax_forward(p, NULL, TINY_LABELS);
    bird_encoder_free(e);
    bird_encoding_free(&ids);
    free(row);
    free(mask);
    free(y);
}

Test(score, padding_gives_what_a_padded_batch_gives)
{
    enum { N = 40, PAD = 200 };
    static float own[N * TINY_LABELS];
    struct bird_config c = model.c;
    uint64_t names[N];
    int differ = 0;

    c.n_layer = 2; /* token 0 of the first layer sees everything anyway */
    tiny_free(&model);
    tiny_init(&model, &c, 5);
    for (int i = 0; i < N; i++)
        names[i] = (uint64_t)(i % 30);
    pad_to = 0;
    score(names, N, 1);
    memcpy(own, got, sizeof(own));
    pad_to = PAD;
    score(names, N, 2);
    cr_assert_eq(repeated, 10);
    for (int i = 0; i < N; i++) {
        float want[TINY_LABELS];

        padded(want, names[i], PAD);
        for (int k = 0; k < TINY_LABELS; k++) {
            float p = got[i * TINY_LABELS + k];

            cr_assert_float_eq(p, want[k], 1e-5);
            differ += fabsf(p - own[i * TINY_LABELS + k]) > 1e-3f;
        }
    }
    cr_assert_gt(differ, N);
}

Test(score, what_comes_again_changes_nothing_else)
{
    enum { N = 700 };
    static uint64_t names[2 * N];
    static float alone[N * TINY_LABELS];

    for (int i = 0; i < N; i++)
        names[i] = (uint64_t)i;
    score(names, N, 2);
    memcpy(alone, got, sizeof(alone));
    for (int i = 0; i < N; i++)
        names[2 * i] = (uint64_t)i, names[2 * i + 1] = (uint64_t)i / 2;
    /* the flush at 1000 comes elsewhere: look at what lies before it */
    score(names, 2 * N, 3);
    for (int i = 0; i < 200; i++)
        cr_assert_arr_eq(got + 2 * i * TINY_LABELS, alone + i * TINY_LABELS,
                         TINY_LABELS * sizeof(*alone));
}

/* One sequence over and over, seldom another: an endless repeat must not
 * wait for a pack to fill, and the packs must still not know the threads. */
Test(score, few_wait)
{
    static uint64_t names[MOST];
    float *one = calloc(MOST * TINY_LABELS, sizeof(*one));

    cr_assert(one);
    for (int i = 0; i < MOST; i++)
        names[i] = i % 3000 == 2999 ? (uint64_t)i : 7;
    for (int threads = 1; threads < 4; threads++) {
        score(names, MOST, threads);
        cr_assert_leq(longest_wait, threads * 8192);
        cr_assert_eq(repeated, MOST - MOST / 3000 - 1);
        if (threads == 1)
            memcpy(one, got, MOST * TINY_LABELS * sizeof(*one));
        cr_assert_arr_eq(got, one, MOST * TINY_LABELS * sizeof(*one));
    }
    free(one);
}

/* Answers in memory: of one strand, the other, both by themselves, and their
 * mean. */
Test(score, strands)
{
    enum { N = 50, ROW = TINY_LABELS };
    static float each[N * 2 * ROW], plus[N * ROW], minus[N * ROW];
    static float both[N * ROW];
    float *const out[] = {both, plus, minus, each};
    static char text[N][LEN + 1], reverse[N][LEN + 1];
    const char *seq[N], *other[N];
    int64_t len[N];
    struct bird_model m = view();
    bird_session *s;

    for (int i = 0; i < N; i++) {
        letters(text[i], (uint64_t)i);
        bird_reverse_complement(reverse[i], text[i], LEN);
        seq[i] = text[i];
        other[i] = reverse[i];
        len[i] = LEN;
    }
    for (int k = BIRD_STRAND_BOTH; k <= BIRD_STRAND_EACH; k++) {
        bird_session_options o = {.strand = (enum bird_strand)k};

        WORKS(bird_session_new(&s, &m, &o));
        cr_assert_eq(bird_session_size(s, LEN),
                     k == BIRD_STRAND_EACH ? 2 * ROW : ROW);
        WORKS(bird_session_score(s, seq, len, N, out[k]));
        if (k == BIRD_STRAND_PLUS) { /* lengths by NUL, and a second time */
            WORKS(bird_session_score(s, other, NULL, N, both));
            bird_session_free(s);
            WORKS(bird_session_new(&s, &m, NULL));
            WORKS(bird_session_score(s, seq, len, N, each));
        }
        bird_session_free(s);
        for (int i = 0; k == BIRD_STRAND_MINUS && i < N * ROW; i++)
            cr_assert_float_eq(minus[i], both[i], 1e-6);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < ROW; j++) {
            /* these weights are not packed: a BLAS decides the last bits */
            cr_assert_float_eq(each[(2 * i) * ROW + j], plus[i * ROW + j],
                               1e-6);
            cr_assert_float_eq(each[(2 * i + 1) * ROW + j], minus[i * ROW + j],
                               1e-6);
        }
    WORKS(bird_session_new(&s, &m, NULL)); /* the mean */
    WORKS(bird_session_score(s, seq, NULL, N, both));
    for (int i = 0; i < N * ROW; i++)
        cr_assert_float_eq(both[i], (plus[i] + minus[i]) / 2, 1e-6);
    bird_session_free(s);
}

/* A head over bins: bin k of a sequence of n is token k's first feature, and
 * n how many bins. */
static int64_t bins_of(const struct bird_config *c, int64_t len)
{
    (void)c;
    return len / 50;
}

static int bins_forward(float *logits, float *next, const struct bird_config *c,
                        const struct bird_weights *w, const float *x,
                        const struct bird_batch *b)
{
    (void)next;
    (void)w;
    for (int64_t s = 0; s < b->n_seq; s++)
        for (int64_t k = b->bin[s]; k < b->bin[s + 1]; k++)
            for (int64_t j = 0; j < c->n_label; j++)
                *logits++ =
                    x[(b->offset[s] + k - b->bin[s]) * c->hidden_size + j];
    return 0;
}

static int take_bins(void *context, const bird_answer *a)
{
    cr_assert_eq(a->tag, n_got++);
    cr_assert_eq(a->n_bin, 3 - a->tag % 2, "%d %d", (int)a->n_bin, (int)a->tag);
    cr_assert_eq(a->bin_bp, 50);
    cr_assert_eq(a->first_bp, 0);
    memcpy((float *)context + a->tag * 3 * a->n_label, a->value,
           (size_t)(a->n_bin * a->n_label) * sizeof(*a->value));
    return 0;
}

Test(score, heads_over_bins)
{
    enum { N = 40, ROW = 3 * TINY_LABELS };
    struct bird_head_row bins = {.name = "bins",
                                 .needs = BIRD_NEEDS_BINS,
                                 .n_bin = bins_of,
                                 .forward = bins_forward};
    static float plus[N * ROW], minus[N * ROW], both[N * ROW];
    static float memory[N * ROW];
    float *const out[] = {both, plus, minus};
    struct bird_model m = view();
    const char *seq[N];
    static char text[N][LEN];
    int64_t len[N], at = 0;
    bird_session *s;

    m.folder.config.head = &bins;
    m.folder.config.problem = BIRD_PROBLEM_MULTI_LABEL;
    for (int i = 0; i < N; i++) {
        letters(text[i], (uint64_t)(i / 2));
        seq[i] = text[i];
        len[i] = i % 2 ? 100 : LEN;
    }
    for (int k = 0; k < 3; k++) {
        bird_session_options o = {.strand = (enum bird_strand)k,
                                  .answer = take_bins,
                                  .context = out[k]};

        n_got = 0;
        WORKS(bird_session_new(&s, &m, &o));
        for (int i = 0; i < N; i++)
            WORKS(bird_session_add(s, seq[i], len[i], i));
        WORKS(bird_session_flush(s));
        cr_assert_eq(n_got, N);
        cr_assert_eq(bird_session_size(s, LEN), ROW);
        cr_assert_eq(bird_session_size(s, 100), ROW - TINY_LABELS);
        if (k == BIRD_STRAND_PLUS)
            WORKS(bird_session_score(s, seq, len, N, memory));
        bird_session_free(s);
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < (3 - i % 2) * TINY_LABELS; j++) {
            cr_assert_float_eq(both[i * ROW + j],
                               (plus[i * ROW + j] + minus[i * ROW + j]) / 2,
                               1e-6);
            cr_assert_float_eq(plus[i * ROW + j], memory[at], 1e-6);
            at++;
        }
    /* the other strand's first bin is the last one of the sequence */
    for (int i = 0; i < N; i++) {
        bird_states x;
        char reverse[LEN];
        int64_t n = 3 - i % 2;

        m.folder.config.head = &bird_head_none;
        WORKS(bird_session_new(&s, &m, NULL));
        bird_reverse_complement(reverse, seq[i], len[i]);
        WORKS(bird_session_states(s, &x, reverse, len[i]));
        cr_assert_float_eq(minus[i * ROW + (n - 1) * TINY_LABELS],
                           1 / (1 + expf(-x.x[0])), 1e-6);
        bird_session_free(s);
    }
}

static int64_t order[300];
static int n_order;

static int note_order(void *context, const bird_answer *a)
{
    (void)context;
    cr_assert_eq(a->value == NULL, a->tag % 3 == 0);
    order[n_order++] = a->tag;
    return 0;
}

Test(score, skipped_sequences_keep_their_place)
{
    struct bird_model m = view();
    bird_session_options o = {.strand = BIRD_STRAND_PLUS, .answer = note_order};
    bird_session *s;
    char text[LEN];

    WORKS(bird_session_new(&s, &m, &o));
    for (int64_t i = 0; i < 300; i++) {
        letters(text, (uint64_t)(i % 40));
        cr_assert_eq(i % 3 ? bird_session_add(s, text, LEN, i)
                           : bird_session_skip(s, i),
                     0);
    }
    WORKS(bird_session_flush(s));
    bird_session_free(s);
    cr_assert_eq(n_order, 300);
    for (int i = 0; i < 300; i++)
        cr_assert_eq(order[i], i);
}

static int refuse(void *context, const bird_answer *a)
{
    (void)a;
    return ++*(int *)context == 5 ? BIRD_ECANCELED : 0;
}

static void name_tag(void *context, int64_t tag, char *out, size_t size)
{
    (void)context;
    snprintf(out, size, "chr%lld:1-70", (long long)tag);
}

Test(score, errors)
{
    struct bird_model m = view();
    int n = 0;
    bird_session_options o = {.strand = BIRD_STRAND_PLUS,
                              .answer = refuse,
                              .name = name_tag,
                              .context = &n};
    bird_session *s;
    char text[LEN];
    int rc = 0;

    WORKS(bird_session_new(&s, &m, &o));
    for (int64_t i = 0; i < 9 && !rc; i++) {
        letters(text, (uint64_t)i);
        rc = bird_session_add(s, text, LEN, i);
    }
    cr_assert_eq(rc ? rc : bird_session_flush(s), BIRD_ECANCELED);
    cr_assert_eq(n, 5);
    { /* it goes on, and nothing unanswered is in its cache */
        bird_session *fresh;
        char again[9][LEN + 1] = {{0}};
        float p[9 * TINY_LABELS], want[9 * TINY_LABELS];
        const char *seq[9];

        for (int64_t i = 0; i < 9; i++) {
            letters(again[i], (uint64_t)i);
            seq[i] = again[i];
        }
        n = 100;
        WORKS(bird_session_score(s, seq, NULL, 9, p));
        WORKS(bird_session_new(&fresh, &m, &o));
        WORKS(bird_session_score(fresh, seq, NULL, 9, want));
        for (int i = 0; i < 9 * TINY_LABELS; i++)
            cr_assert_float_eq(p[i], want[i], 1e-6);
        cr_assert_eq(n, 100); /* the refused ones were dropped */
        bird_session_free(fresh);
    }
    bird_session_free(s);

    model.w.classifier.b[0] = NAN;
    n = -1000;
    WORKS(bird_session_new(&s, &m, &o));
    letters(text, 1);
    rc = bird_session_add(s, text, LEN, 7);
    FAILS(BIRD_EFORMAT, rc ? rc : bird_session_flush(s), "NaN");
    SAYS("chr7:1-70");
    bird_session_free(s);

    m.folder.config.head = &bird_head_mlm;
    WORKS(bird_session_new(&s, &m, &o));
    cr_assert_eq(bird_session_add(s, text, LEN, 7), BIRD_EINVAL);
    bird_session_free(s);
}

/* Sequences of a call that failed are not answered later. */
Test(score, an_error_leaves_nothing_waiting)
{
    struct bird_model m = view();
    const char *bad[] = {"ACGTACGTACGT", "AC!T"};
    int n = 0;
    bird_session_options o = {.answer = refuse, .context = &n};
    bird_session *s = NULL;
    float p[2 * TINY_LABELS];

    WORKS(bird_session_new(&s, &m, &o));
    FAILS(BIRD_EINVAL, bird_session_score(s, bad, NULL, 2, p), "sequence 1");
    WORKS(bird_session_flush(s));
    cr_assert_eq(n, 0);
    bird_session_free(s);
}

/* What a caller of the library may do wrong is an error with a reason. */
Test(score, wrong_arguments)
{
    struct bird_model m = view();
    bird_session_options strand = {.strand = (enum bird_strand)99};
    bird_session_options threads = {.threads = -1};
    const char *good[] = {"ACGTNRYacgtu-ACGTACGT"}, *gone[] = {NULL};
    const char *empty[] = {""}, *protein[] = {"MKVLAAGIVGLLLAQWERTYPLKH"};
    const int64_t none[] = {0}, negative[] = {-3};
    float p[TINY_LABELS];
    bird_session_counts counts;
    bird_states states;
    bird_session *s = NULL;

    FAILS(BIRD_EINVAL, bird_model_open(NULL, "m", NULL), "out is NULL");
    FAILS(BIRD_EINVAL, bird_session_new(NULL, &m, NULL), "out is NULL");
    FAILS(BIRD_EINVAL, bird_session_new(&s, NULL, NULL), "model is NULL");
    FAILS(BIRD_EINVAL, bird_session_new(&s, &m, &strand), "strand 99");
    FAILS(BIRD_EINVAL, bird_session_new(&s, &m, &threads), "-1 threads");
    cr_assert_null(s);
    WORKS(bird_session_new(&s, &m, NULL));
    FAILS(BIRD_EINVAL, bird_session_score(s, good, NULL, -1, p),
          "-1 sequences");
    FAILS(BIRD_EINVAL, bird_session_score(s, good, NULL, 1, NULL),
          "out is NULL");
    FAILS(BIRD_EINVAL, bird_session_score(s, NULL, NULL, 1, p), "seq is NULL");
    FAILS(BIRD_EINVAL, bird_session_score(s, gone, NULL, 1, p),
          "sequence 0 is NULL");
    FAILS(BIRD_EINVAL, bird_session_score(s, empty, NULL, 1, p),
          "sequence 0 is empty");
    FAILS(BIRD_EINVAL, bird_session_score(s, good, none, 1, p), "empty");
    FAILS(BIRD_EINVAL, bird_session_score(s, good, negative, 1, p), "empty");
    FAILS(BIRD_EINVAL, bird_session_score(s, protein, NULL, 1, p),
          "'L' at position 4");
    FAILS(BIRD_EINVAL, bird_session_add(s, NULL, 5, 1), "sequence 1 is NULL");
    FAILS(BIRD_EINVAL, bird_session_states(s, &states, protein[0], 5),
          "'L' at position 4");
    FAILS(BIRD_EINVAL, bird_session_states(s, NULL, good[0], 5), "out is NULL");
    WORKS(bird_session_score(s, NULL, NULL, 0, NULL));
    WORKS(bird_session_score(s, good, NULL, 1, p)); /* it can go on */

    FAILS(BIRD_EINVAL, bird_session_score(NULL, good, NULL, 1, p),
          "session is NULL");
    FAILS(BIRD_EINVAL, bird_session_add(NULL, good[0], 5, 1), "is NULL");
    FAILS(BIRD_EINVAL, bird_session_skip(NULL, 1), "is NULL");
    FAILS(BIRD_EINVAL, bird_session_flush(NULL), "is NULL");
    FAILS(BIRD_EINVAL, bird_session_states(NULL, &states, good[0], 5),
          "is NULL");
    bird_session_count(NULL, &counts);
    cr_assert_eq(counts.n_evaluated, 0);
    cr_assert_eq(bird_session_size(NULL, 5), 0);
    cr_assert_eq(bird_session_labels(NULL), 0);
    bird_session_free(s);
    bird_session_free(NULL);
    bird_model_close(NULL);
}

Test(score, hidden_states_are_the_encoders)
{
    struct bird_model m = view();
    struct bird_encoder *e;
    bird_encoding ids = {0};
    bird_states x;
    bird_session *s;
    char text[LEN];
    float *want;
    int64_t offset[2] = {0};

    letters(text, 3);
    WORKS(bird_tokenizer_encode(t, &ids, text, LEN, 1));
    offset[1] = ids.n;
    want = calloc((size_t)(ids.n * model.c.hidden_size), sizeof(*want));
    WORKS(bird_encoder_new(&e, &model.c, &model.w));
    WORKS(bird_encoder_forward(
        e, want, NULL,
        &(struct bird_batch){.n_seq = 1, .offset = offset, .ids = ids.ids}));
    WORKS(bird_session_new(&s, &m, NULL));
    WORKS(bird_session_states(s, &x, text, LEN));
    cr_assert_eq(x.n_token, ids.n);
    cr_assert_eq(x.n_feature, model.c.hidden_size);
    cr_assert_arr_eq(x.token, ids.ids, (size_t)ids.n * sizeof(*ids.ids));
    cr_assert_arr_eq(x.x, want,
                     (size_t)(ids.n * model.c.hidden_size) * sizeof(*want));
    bird_session_free(s);
    bird_encoder_free(e);
    bird_encoding_free(&ids);
    free(want);
}

Test(cache, length_and_order_count)
{
    static const int32_t ids[] = {0, 0, 1, 0};
    struct bird_cache *s = NULL;
    int64_t slot, first, row = 0;
    const float answer = 0.25f;

    WORKS(bird_cache_new(&s, 1));
    cr_assert_eq(bird_cache_capacity(s), BIRD_CACHE_ROWS);
    cr_assert_eq(bird_cache_lookup(s, ids, NULL, 2, 0, &first), 0); /* 0 0 */
    for (int n = 0; n < 4; n++) { /* "", 0, 0 0 again, 0 0 1 */
        row += n != 2;
        cr_assert_eq(bird_cache_lookup(s, ids, NULL, n, row, &slot),
                     n == 2 ? 0 : row);
    }
    cr_assert_eq(bird_cache_lookup(s, ids + 1, NULL, 2, 4, &slot), 4); /* 0 1 */
    cr_assert_eq(bird_cache_lookup(s, ids + 2, NULL, 2, 5, &slot), 5); /* 1 0 */
    bird_cache_put(s, first, 0, &answer);
    bird_cache_put(s, first, 4, &(float){7}); /* stands elsewhere: not kept */
    cr_assert_eq(bird_cache_lookup(s, ids, NULL, 2, 6, &slot), 0);
    cr_assert_eq(slot, first);
    cr_assert_eq(*bird_cache_answer(s, slot), answer);
    /* positions other than 0, 1 count as well */
    cr_assert_eq(bird_cache_lookup(s, ids, (int32_t[]){0, 1}, 2, 6, &slot), 0);
    cr_assert_eq(bird_cache_lookup(s, ids, (int32_t[]){0, 2}, 2, 6, &slot), 6);
    bird_cache_free(s);
}

Test(cache, forgets_what_was_met_longest_ago)
{
    struct bird_cache *s = NULL;
    int32_t often = -1;
    int64_t columns = 5000, n, slot, again = 0;

    WORKS(bird_cache_new(&s, columns));
    n = bird_cache_capacity(s);
    cr_assert_leq(n * columns * (int64_t)sizeof(float), BIRD_CACHE_BYTES);
    cr_assert_geq(n, 1024);
    cr_assert_eq(bird_cache_lookup(s, &often, NULL, 1, 0, &slot), 0);
    for (int32_t i = 1; i < 4 * n; i++) {
        cr_assert_eq(bird_cache_lookup(s, &i, NULL, 1, i, &slot), i);
        cr_assert_eq(bird_cache_lookup(s, &often, NULL, 1, i, &slot), 0);
    }
    for (int32_t i = 1; i < 4 * n; i++)
        again += bird_cache_lookup(s, &i, NULL, 1, 4 * n + i, &slot) == i;
    cr_assert_lt(again, n);
    bird_cache_free(s);
}
