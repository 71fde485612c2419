/* effect_masked: log-likelihoods, ratios and distances of masked-language
 * models against a slow way: tokens hidden by hand, one sequence and one strand
 * at a time. Then what is shared, one by one, and what cannot be scored.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/rng.h"
#include "head/head.h"
#include "model/stem.h"
#include "seq_help.h"
#include "session/masked.h"
#include "session/pack.h"
#include "variant/variant_score.h"
#include "variant/variant_site.h"

enum { W = 70, LONG = 400 };

static char contig[LONG + 1];
static struct bird_variant_context context;
static bird_variant_params params;

static void setup(void)
{
    static char text[LONG + 64];
    struct bird_rng r;

    folder_new();
    bird_rng_init(&r, 5, 0, 0);
    for (int i = 0; i < LONG; i++)
        contig[i] = "ACGT"[bird_rng_below(&r, 4)];
    /* a repeat, where an insertion may stand in many places */
    memcpy(contig + 240, "ACACACACACAC", 12);
    snprintf(text, sizeof(text), ">a\n%s\n", contig);
    params = (bird_variant_params){.shifts = "0",
                                   .tokens = BIRD_TOKENS_FREE,
                                   .fasta = file_text("ref.fa", text),
                                   .window_bp = W,
                                   .max_unknown = 0.05,
                                   .strand = BIRD_STRAND_BOTH,
                                   .span_bp = -1};
}

static void teardown(void)
{
    bird_context_close(&context);
    folder_remove();
}
TestSuite(effect_masked, .init = setup, .fini = teardown);

/* A model of this tokenizer and stem, with wide weights so that contexts
 * matter; its folder. */
static const char *make_model(const char *tokenizer, const char *stem)
{
    static const char config[] =
        "{\"model_type\": \"big_bird\", \"architectures\": "
        "[\"BigBirdForMaskedLM\"], \"hidden_size\": 16, "
        "\"num_hidden_layers\": 2, \"num_attention_heads\": 2, "
        "\"intermediate_size\": 32, \"max_position_embeddings\": 128, "
        "\"block_size\": 8, \"num_random_blocks\": 1, "
        "\"initializer_range\": 0.3}";
    bird_model_init_options o;
    const char *path = path_of("m");

    bird_model_init_options_default(&o);
    o.config = file_text("config.json", config);
    o.tokenizer = tokenizer;
    o.stem = stem;
    o.seed = 7;
    WORKS(bird_model_init(path, &o));
    return path;
}

static const char *kmers(int k, int stride)
{
    const char *path = path_of("tokenizer.json");

    WORKS(bird_kmer_write(path, k, stride, 0));
    return path;
}

static void open_model(const char *tokenizer, const char *stem)
{
    params.model = make_model(tokenizer, stem);
    WORKS(bird_context_open(&context, &params));
    cr_assert_eq(bird_effect_features(context.effect), 1);
    cr_assert_eq(bird_effect_n_statistic(context.effect), 2);
}

static enum bird_variant_status submit(struct bird_request *out, int64_t start,
                                       int64_t end, const char *alt)
{
    struct bird_change c = {.start = start, .end = end};
    enum bird_variant_status status;

    WORKS(bird_text_put(&c.alt, alt, (int64_t)strlen(alt)));
    WORKS(bird_effect_submit(context.effect, out, &status, &c));
    bird_change_free(&c);
    return status;
}

/* --- the slow way -------------------------------------------------------- */

static const struct bird_config *config(void)
{
    return bird_model_config(context.model);
}

/* Sum of log p of tokens i .. j-1 of a sequence, which are hidden at once. */
static double slow_likelihood(const bird_encoding *e, int64_t i, int64_t j)
{
    const struct bird_weights *w = bird_model_weights(context.model);
    int64_t d = config()->hidden_size, v = config()->vocab_size;
    int32_t mask = bird_mask_token(bird_model_tokenizer(context.model));
    struct bird_head_tokens tokens = {0};
    struct bird_pack p = {.c = config()->n_stem ? config() : NULL};
    struct bird_encoder *encoder = NULL;
    int32_t *ids = malloc((size_t)e->n * sizeof(*ids));
    int32_t *label = malloc((size_t)e->n * sizeof(*label));
    float *x = malloc((size_t)(e->n * d) * sizeof(*x));
    float *logits = malloc((size_t)(e->n * v) * sizeof(*logits));
    struct bird_batch b;
    double sum = 0;

    for (int64_t k = 0; k < e->n; k++) {
        ids[k] = k >= i && k < j ? mask : e->ids[k];
        label[k] = k >= i && k < j ? e->ids[k] : -1;
    }
    WORKS(bird_encoder_new(&encoder, config(), w));
    WORKS(bird_pack_add_ids(&p, ids, NULL, e->n));
    b = bird_pack_batch(&p);
    WORKS(bird_head_want(&tokens, &b, config(), label, 0));
    WORKS(bird_encoder_forward(encoder, x, NULL, &b));
    WORKS(bird_head_forward(logits, NULL, config(), w, x, &b));
    for (int64_t k = i; k < j; k++) {
        const float *row = logits + (b.n_want ? k - i : k) * v;
        double all = 0;

        for (int64_t c = 0; c < v; c++)
            all += exp((double)row[c]);
        sum += (double)row[e->ids[k]] - log(all);
    }
    bird_head_tokens_free(&tokens);
    bird_pack_free(&p);
    bird_encoder_free(encoder);
    free(ids);
    free(label);
    free(x);
    free(logits);
    return sum;
}

/* By the public session: the mean of all rows but those of special tokens. */
static void slow_mean(double *mean, const char *seq)
{
    const bird_tokenizer *t = bird_model_tokenizer(context.model);
    bird_encoding plain = {0};
    bird_session *s = NULL;
    bird_states x;
    int64_t before = 0, behind = 0, n;

    WORKS(bird_session_new(&s, context.model, NULL));
    WORKS(bird_session_states(s, &x, seq, (int64_t)strlen(seq)));
    WORKS(bird_tokenizer_encode(t, &plain, seq, (int64_t)strlen(seq), 0));
    if (x.n_token > plain.n) { /* [CLS] and [SEP] */
        before = 1;
        behind = x.n_token - plain.n - 1;
    }
    n = x.n_row - before - behind;
    for (int64_t i = 0; i < x.n_feature; i++) {
        mean[i] = 0;
        for (int64_t k = before; k < x.n_row - behind; k++)
            mean[i] += (double)x.x[k * x.n_feature + i] / (double)n;
    }
    bird_encoding_free(&plain);
    bird_session_free(s);
}

struct slow {
    double ref, alt, distance;
};

/* The tokens of a sequence between its special ones; their number. */
static int64_t encode(bird_encoding *e, const char *seq)
{
    WORKS(bird_tokenizer_encode(bird_model_tokenizer(context.model), e, seq,
                                (int64_t)strlen(seq), 1));
    return e->n;
}

/* Where bases from .. to lie among tokens, [CLS] before them. */
static void tokens_of(int64_t *i, int64_t *j, const bird_encoding *e,
                      int64_t from, int64_t to, int64_t n_base)
{
    int64_t k = bird_tokenizer_kmer(bird_model_tokenizer(context.model));

    for (*i = 1;; ++*i) {
        int64_t end = *i + 2 < e->n ? e->start[*i + 1] : n_base;

        if (k)
            end = e->start[*i] + k;
        if (end > from)
            break;
    }
    for (*j = *i; *j < e->n - 1 && e->start[*j] < to; ++*j)
        ;
}

/* One strand: ref and alt are the windows; the change is at from .. to. */
static struct slow slow_strand(const char *ref, const char *alt, int64_t from,
                               int64_t to, int frame)
{
    int64_t nr = (int64_t)strlen(ref), na = (int64_t)strlen(alt);
    bird_encoding r = {0}, a = {0};
    int64_t i, j, ai, aj, head = 0, tail = 0, kr, ka;
    double x[64], y[64], sum = 0;
    struct slow out;

    kr = encode(&r, ref);
    ka = encode(&a, alt);
    if (nr != na) {
        from = from > 0 ? from - 1 : 0;
        to = to < nr ? to + 1 : nr;
    }
    tokens_of(&i, &j, &r, from, to, nr);
    tokens_of(&ai, &aj, &a, from, to + na - nr, na);
    if (!frame || nr == na) { /* the same tokens on both sides */
        while (r.ids[head] == a.ids[head] && head < i && head < ai)
            head++;
        while (r.ids[kr - 1 - tail] == a.ids[ka - 1 - tail] && tail < kr - j &&
               tail < ka - aj)
            tail++;
        i = ai = head;
        j = kr - tail;
        aj = ka - tail;
    }
    out.ref = slow_likelihood(&r, i, j);
    out.alt = slow_likelihood(&a, ai, aj);
    if (nr != na) {
        int64_t k = bird_tokenizer_kmer(bird_model_tokenizer(context.model));
        int64_t end = j < kr - 1 ? r.start[j] : nr;
        int64_t alt_end = aj < ka - 1 ? a.start[aj] : na;

        if (k) {
            end = r.start[j - 1] + k;
            alt_end = a.start[aj - 1] + k;
        }
        out.ref /= (double)(end - r.start[i]);
        out.alt /= (double)(alt_end - a.start[ai]);
    }
    slow_mean(x, ref);
    slow_mean(y, alt);
    for (int64_t k = 0; k < config()->hidden_size; k++)
        sum += (x[k] - y[k]) * (x[k] - y[k]);
    out.distance = sqrt(sum);
    bird_encoding_free(&r);
    bird_encoding_free(&a);
    return out;
}

/* A window begins at the multiple of W / 16 nearest to W / 2 before a change. */
static int64_t window_start(int64_t start)
{
    int64_t at = start - W / 2, step = W / 16, left = 0;

    while (left + step - at <= at - left && left + step <= LONG)
        left += step;
    if (left > LONG - W)
        left = LONG - W;
    return at < 0 ? 0 : left;
}

static struct slow slow(int64_t start, int64_t end, const char *alt, int frame)
{
    char ref[W + 1], plus[2 * W], turned[W + 1], minus[2 * W];
    int64_t left = window_start(start), n = (int64_t)strlen(alt);
    struct slow a, b;

    snprintf(ref, sizeof(ref), "%.*s", W, contig + left);
    snprintf(plus, sizeof(plus), "%.*s%s%.*s", (int)(start - left),
             contig + left, alt, (int)(left + W - end), contig + end);
    n = (int64_t)strlen(plus);
    bird_reverse_complement(turned, ref, W);
    bird_reverse_complement(minus, plus, n);
    turned[W] = minus[n] = 0;
    a = slow_strand(ref, plus, start - left, end - left, frame);
    b = slow_strand(turned, minus, left + W - end, left + W - start, frame);
    return (struct slow){(a.ref + b.ref) / 2, (a.alt + b.alt) / 2,
                         (a.distance + b.distance) / 2};
}

static const struct {
    int64_t start, end;
    const char *alt;
} changes[] = {{200, 201, "A"},     {200, 201, "C"},   {200, 201, "G"},
               {200, 201, "T"},     {203, 206, "TTT"}, {203, 206, "GAC"},
               {150, 150, "GATTA"}, {150, 151, ""},    {100, 109, ""},
               {240, 240, "AC"},    {240, 244, ""},    {310, 313, "CCATG"},
               {3, 4, "A"},         {3, 4, "T"},       {396, 399, "G"}};
enum { N_CHANGE = sizeof(changes) / sizeof(*changes) };

/* All of them at once against the slow way. */
static void compare(int frame)
{
    struct bird_request r[N_CHANGE];
    int asked[N_CHANGE], n = 0;
    double most = 0;

    for (int i = 0; i < N_CHANGE; i++) {
        asked[i] = changes[i].end - changes[i].start != 1 ||
                   *changes[i].alt != contig[changes[i].start];
        if (asked[i])
            cr_assert_eq(
                submit(&r[i], changes[i].start, changes[i].end, changes[i].alt),
                BIRD_VARIANT_OK, "%d", i);
    }
    WORKS(bird_effect_flush(context.effect));
    for (int i = 0; i < N_CHANGE; i++) {
        const float *ref, *alt;
        struct slow want;

        if (!asked[i])
            continue;
        n++;
        want = slow(changes[i].start, changes[i].end, changes[i].alt, frame);
        ref = bird_effect_values(context.effect, r[i].ref);
        alt = bird_effect_values(context.effect, r[i].alt);
        cr_assert_float_eq((double)ref[0], want.ref, 2e-5, "%d: %g %g", i,
                           (double)ref[0], want.ref);
        cr_assert_float_eq((double)alt[0], want.alt, 2e-5, "%d: %g %g", i,
                           (double)alt[0], want.alt);
        cr_assert_float_eq((double)alt[1], want.distance, 1e-5, "%d: %g %g", i,
                           (double)alt[1], want.distance);
        cr_assert_eq(alt[1], ref[1]);
        cr_assert_gt(alt[1], 1e-4f);
        most = fmax(most, fabs(want.alt - want.ref));
    }
    cr_assert_geq(n, N_CHANGE - 2);
    cr_assert_gt(most, 0.05); /* what is compared is no noise */
}

Test(effect_masked, bases)
{
    open_model(kmers(1, 1), NULL);
    compare(0);
}

Test(effect_masked, bases_with_a_stem)
{
    open_model(kmers(1, 1), "5x16,3x16+");
    compare(0);
}

Test(effect_masked, bases_with_a_stem_that_pools)
{
    open_model(kmers(1, 1), "5x16/4,3x16");
    compare(0);
}

Test(effect_masked, words_of_merges)
{
    open_model(tests_path(DATA_WORDS), NULL);
    compare(0);
}

Test(effect_masked, words_that_overlap)
{
    open_model(kmers(3, 1), NULL);
    compare(0);
}

Test(effect_masked, words_apart)
{
    open_model(kmers(2, 2), NULL);
    compare(1);
}

/* --- one strand, antisymmetry, company ----------------------------------- */

static double ratio(const struct bird_request *r)
{
    return (double)*bird_effect_values(context.effect, r->alt) -
           (double)*bird_effect_values(context.effect, r->ref);
}

Test(effect_masked, strands_are_averaged)
{
    static const enum bird_strand strand[] = {
        BIRD_STRAND_PLUS, BIRD_STRAND_MINUS, BIRD_STRAND_BOTH};
    const char *alt = contig[200] == 'A' ? "C" : "A";
    struct bird_request r;
    double is[3];

    open_model(kmers(1, 1), NULL);
    bird_context_close(&context);
    for (int k = 0; k < 3; k++) {
        params.strand = strand[k];
        WORKS(bird_context_open(&context, &params));
        cr_assert_eq(submit(&r, 200, 201, alt), BIRD_VARIANT_OK);
        WORKS(bird_effect_flush(context.effect));
        is[k] = ratio(&r);
        bird_context_close(&context);
    }
    cr_assert_float_eq(is[2], (is[0] + is[1]) / 2, 1e-6);
    cr_assert_gt(fabs(is[0] - is[1]), 1e-4);
}

/* REF and ALT change places, on a reference that has ALT. */
static void turn(const char *tokenizer)
{
    char text[LONG + 64], was[4][8] = {"", "", "", ""};
    static const struct {
        int64_t start;
        const char *alt;
    } row[] = {{60, "A"}, {110, "CT"}, {200, "GAC"}, {350, "T"}};
    struct bird_request r;
    double is[4];

    open_model(tokenizer, NULL);
    for (int i = 0; i < 4; i++) {
        int n = (int)strlen(row[i].alt);

        snprintf(was[i], sizeof(was[i]), "%.*s", n, contig + row[i].start);
        if (!strcmp(was[i], row[i].alt)) /* any other will do */
            was[i][0] = contig[row[i].start] = was[i][0] == 'G' ? 'T' : 'G';
    }
    for (int turned = 0; turned < 2; turned++) {
        bird_context_close(&context);
        snprintf(text, sizeof(text), ">a\n%s\n", contig);
        params.fasta = file_text(turned ? "turned.fa" : "straight.fa", text);
        WORKS(bird_context_open(&context, &params));
        for (int i = 0; i < 4; i++) {
            int64_t n = (int64_t)strlen(row[i].alt);

            cr_assert_eq(submit(&r, row[i].start, row[i].start + n,
                                turned ? was[i] : row[i].alt),
                         BIRD_VARIANT_OK);
            WORKS(bird_effect_flush(context.effect));
            if (turned) {
                cr_assert_float_eq(ratio(&r), -is[i], 1e-5, "%d", i);
                cr_assert_gt(fabs(is[i]), 1e-4, "%d", i);
            }
            is[i] = ratio(&r);
            memcpy(contig + row[i].start, turned ? was[i] : row[i].alt,
                   (size_t)n);
        }
    }
}

Test(effect_masked, turned_bases)
{
    turn(kmers(1, 1));
}

Test(effect_masked, turned_words)
{
    turn(tests_path(DATA_WORDS));
}

Test(effect_masked, turned_words_that_overlap)
{
    turn(kmers(3, 1));
}

/* In any company, on any number of threads, shared or not: the same bits; and
 * what is shared is counted. */
Test(effect_masked, company)
{
    struct bird_request r[N_CHANGE];
    float all[N_CHANGE][4];
    bird_session_counts t;
    int64_t shared = 0;

    open_model(kmers(1, 1), NULL);
    bird_context_close(&context);
    for (int way = 0; way < 4; way++) {
        bird_threads_set(way == 3 ? 2 : 1);
        WORKS(bird_context_open(&context, &params));
        if (way == 2) {
            context.how.unshared = 1;
            bird_effect_free(context.effect);
            WORKS(bird_effect_new(&context.effect, context.model,
                                  context.genome, &context.how));
        }
        for (int i = 0; i < N_CHANGE; i++) {
            cr_assert_eq(
                submit(&r[i], changes[i].start, changes[i].end, changes[i].alt),
                BIRD_VARIANT_OK);
            if (way != 1)
                continue;
            WORKS(bird_effect_flush(context.effect));
        }
        WORKS(bird_effect_flush(context.effect));
        for (int i = 0; i < N_CHANGE; i++)
            for (int k = 0; k < 4; k++) {
                float x = bird_effect_values(
                    context.effect, k < 2 ? r[i].ref : r[i].alt)[k % 2];

                if (way)
                    cr_assert_eq(x, all[i][k], "%d %d %d", way, i, k);
                all[i][k] = x;
            }
        bird_effect_count(context.effect, &t);
        if (!way)
            shared = t.n_evaluated;
        if (way == 2)
            cr_assert_eq(t.n_evaluated, N_CHANGE * 8);
        if (way == 3)
            cr_assert_eq(t.n_evaluated, shared);
        cr_assert_leq(shared, t.n_evaluated);
        bird_context_close(&context);
    }
    cr_assert_lt(shared, N_CHANGE * 8);
}

/* Alleles of a site: one masked pass a strand, and without distances no more. */
Test(effect_masked, a_site_is_one_pass)
{
    struct bird_request r;
    bird_session_counts t;

    open_model(kmers(1, 1), NULL);
    bird_effect_set_distance(context.effect, 0);
    for (int k = 0; k < 4; k++) {
        const char alt[] = {"ACGT"[k], 0};

        if (*alt != contig[200])
            cr_assert_eq(submit(&r, 200, 201, alt), BIRD_VARIANT_OK);
    }
    WORKS(bird_effect_flush(context.effect));
    bird_effect_count(context.effect, &t);
    cr_assert_eq(t.n_evaluated, 2);
    cr_assert_eq(t.n_cached, 10);
    cr_assert_eq(bird_effect_values(context.effect, r.alt)[1], 0);
}

/* --- windows of more tokens than the model reads, and what has no token ----- */

Test(effect_masked, windows_are_cut_around_the_change)
{
    struct bird_request r;
    bird_session_counts t;

    params.window_bp = 200; /* of 128 tokens */
    open_model(kmers(1, 1), NULL);
    cr_assert_eq(submit(&r, 200, 201, contig[200] == 'A' ? "C" : "A"),
                 BIRD_VARIANT_OK);
    WORKS(bird_effect_flush(context.effect));
    cr_assert_gt(fabs(ratio(&r)), 1e-4);
    bird_effect_count(context.effect, &t);
    cr_assert_eq(t.n_trimmed, 8);
    cr_assert_eq(submit(&r, 130, 270, ""), BIRD_VARIANT_TOO_LONG);
}

Test(effect_masked, own_window)
{
    params.window_bp = 0;
    open_model(kmers(1, 1), NULL);
    cr_assert_eq(context.settings.window_bp, 126 - 126 / 16);
    cr_assert_eq(context.settings.tokens, BIRD_TOKENS_FREE);
}

Test(effect_masked, no_token)
{
    struct bird_request r;

    params.window_bp = LONG + 1; /* the contig, whose last word is a part */
    open_model(kmers(7, 7), NULL);
    cr_assert_eq(
        submit(&r, LONG - 1, LONG, contig[LONG - 1] == 'A' ? "C" : "A"),
        BIRD_VARIANT_NO_TOKEN);
    cr_assert_eq(submit(&r, 200, 201, contig[200] == 'A' ? "C" : "A"),
                 BIRD_VARIANT_OK);
}

Test(effect_masked, refusals)
{
    params.span_bp = 100;
    params.model = make_model(kmers(1, 1), NULL);
    FAILS(BIRD_EINVAL, bird_context_open(&context, &params),
          "--span is for models that predict bins");
}
