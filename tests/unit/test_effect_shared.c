/* effect: windows of alleles that share rows of a stem have the values that each
 * has by itself, to the last bit: changes of every kind at random, at the ends of
 * contigs, beside N, in windows of all shifts, on both strands.
 * SPDX-License-Identifier: MIT */
#include "base/rng.h"
#include "model_help.h"
#include "variant/context.h"

enum { W = 96, LONG = 3000, SHORT = 60, ALLELES = 1300 };

/* alleles of a model; fewer where every access is checked */
static int n_alleles;

static char contig[2][LONG + 1]; /* LONG and SHORT bases */
static struct bird_variant_context context;
static bird_variant_params params;

static void setup(void)
{
    static char text[2 * LONG + 64];
    struct bird_rng r;

    folder_new();
    n_alleles = getenv("BIRD_TEST_SHORT") ? 300 : ALLELES;
    bird_rng_init(&r, 21, 0, 0);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < (k ? SHORT : LONG); i++)
            contig[k][i] = "ACGT"[bird_rng_below(&r, 4)];
    memset(contig[0] + 1000, 'N', 30);
    memcpy(contig[0] + 1500, "ACACACACACACACACACAC", 20);
    snprintf(text, sizeof(text), ">a\n%s\n>b\n%s\n", contig[0], contig[1]);
    params = (bird_variant_params){.fasta = file_text("ref.fa", text),
                                   .window_bp = W,
                                   .max_unknown = 0.5,
                                   .strand = BIRD_STRAND_BOTH,
                                   .shifts = "0,4/1,2,3,5,6,7",
                                   .span_bp = -1};
}

static void teardown(void)
{
    bird_context_close(&context);
    folder_remove();
}
TestSuite(effect_shared, .init = setup, .fini = teardown);

static void make_model(const char *stem, const char *head)
{
    params.model = model_new(stem, head, 1, W);
}

/* A change of up to 4 bases into up to 5: more than half of them SNVs. */
static void random_change(struct bird_change *c, struct bird_rng *r)
{
    int64_t n = 1, alt = 1, length;

    c->contig = bird_rng_below(r, 20) == 0;
    length = c->contig ? SHORT : LONG;
    if (bird_rng_below(r, 2)) {
        n = (int64_t)bird_rng_below(r, 5);
        alt = (int64_t)bird_rng_below(r, 6);
    }
    c->start = (int64_t)bird_rng_below(r, (uint64_t)(length - n));
    if (bird_rng_below(r, 10) == 0)
        c->start = bird_rng_below(r, 2) ? 0 : length - n;
    c->end = c->start + n;
    bird_text_clear(&c->alt);
    for (int64_t i = 0; i < alt; i++)
        WORKS(bird_text_put(&c->alt, &"ACGT"[bird_rng_below(r, 4)], 1));
}

/* Values of both haplotypes in every window and on every strand. */
struct values {
    int n; /* -1: not scored */
    float x[2][2 * BIRD_SHIFTS * 3];
};

static void score_all(struct values *out, int unshared)
{
    struct bird_change c = {0};
    struct bird_rng r;

    WORKS(bird_context_open(&context, &params));
    context.how.unshared = unshared;
    bird_effect_free(context.effect);
    WORKS(bird_effect_new(&context.effect, context.model, context.genome,
                          &context.how));
    bird_rng_init(&r, 22, 0, 0);
    for (int i = 0; i < n_alleles; i++) {
        enum bird_variant_status status;
        struct bird_request q;

        random_change(&c, &r);
        WORKS(bird_effect_submit(context.effect, &q, &status, &c));
        out[i].n = -1;
        if (status != BIRD_VARIANT_OK)
            continue;
        out[i].n = (int)q.n_replicate * 3;
        out[i].x[0][0] = (float)q.ref;
    }
    WORKS(bird_effect_flush(context.effect));
    for (int i = 0; i < n_alleles; i++)
        if (out[i].n >= 0) {
            int64_t ref = (int64_t)out[i].x[0][0];

            for (int k = 0; k < 2; k++)
                memcpy(out[i].x[k],
                       bird_effect_replicate_values(context.effect, ref + k),
                       (size_t)out[i].n * sizeof(float));
        }
    bird_change_free(&c);
    bird_context_close(&context);
}

static void compare(enum bird_variant_tokens tokens)
{
    static struct values shared[ALLELES], alone[ALLELES];
    int scored = 0;

    params.tokens = tokens;
    score_all(shared, 0);
    score_all(alone, 1);
    for (int i = 0; i < n_alleles; i++) {
        cr_assert_eq(shared[i].n, alone[i].n);
        scored += alone[i].n > 0;
        for (int k = 0; k < 2 && alone[i].n > 0; k++)
            cr_assert_arr_eq(shared[i].x[k], alone[i].x[k],
                             (size_t)alone[i].n * sizeof(float), "allele %d",
                             i);
    }
    cr_assert_gt(scored, n_alleles * 9 / 10);
}

static const char stem[] =
    "11x20:relu,7x16/2:relu,7x16/2+:relu,7x16/2+:relu,7x16+:relu";

Test(effect_shared, free_tokens)
{
    make_model(stem, "maxmean");
    compare(BIRD_TOKENS_FREE);
}

Test(effect_shared, both_directions)
{
    make_model(stem, "maxmean");
    compare(BIRD_TOKENS_BOTH);
    params.shifts = "0/4d";
    compare(BIRD_TOKENS_BOTH);
}

Test(effect_shared, bins)
{
    make_model("9x16/3:relu,5x16/2:relu,5x16,3x16+:gelu", "bins");
    compare(BIRD_TOKENS_FREE);
}

/* the windows of a shift are those of the shift before, moved */
Test(effect_shared, bins_spaced_by_length)
{
    make_model("9x16/3:relu,5x16/2:relu,5x16,3x16+:gelu", "bins-maxmean");
    params.shifts = "0,4/5d";
    compare(BIRD_TOKENS_BOTH);
    params.shifts = "1/4d";
    compare(BIRD_TOKENS_FREE);
}

/* Starts of spaced windows: each once; the next lies `length` bases further,
 * counted in a bin, but where a round ends. */
Test(effect_shared, spaced_starts)
{
    struct bird_effect_options o = {.period_bp = 200, .shift = {7}};

    for (int64_t length = 1; length < 450; length++) {
        int64_t s[BIRD_SHIFTS], odd = 0;

        for (int64_t k = 0; k < BIRD_SHIFTS; k++) {
            s[k] = bird_effect_spaced_shift(&o, k, length);
            cr_assert(s[k] >= 0 && s[k] < 200);
            for (int64_t i = 0; i < k; i++)
                cr_assert_neq(s[i], s[k], "length %ld", (long)length);
            odd += k && (s[k - 1] + length) % 200 != s[k];
        }
        cr_assert_eq(s[0], 7);
        cr_assert(length % 50 == 0 || length % 40 == 0 || length % 25 == 0
                      ? odd > 0
                      : odd <= 3,
                  "length %ld: %ld", (long)length, (long)odd);
    }
}

/* A centred window begins at its shift and lies around the change. */
Test(effect_shared, centred_windows)
{
    struct bird_window_rule r = {.layout = {.context_bp = 1000,
                                            .margin_bp = 200,
                                            .bin_bp = 200,
                                            .core_bp = 600,
                                            .on_grid = 1},
                                 .step_bp = 200,
                                 .centred = 1};

    for (int64_t start = 5000; start < 5400; start += 7)
        for (r.shift_bp = 0; r.shift_bp < 200; r.shift_bp += 3) {
            struct bird_change c = {.start = start, .end = start + 1};
            struct bird_window_position at =
                bird_effect_window_place(&r, &c, -1, 100000);

            cr_assert_eq((at.start - r.shift_bp) % 200, 0);
            cr_assert(llabs(at.start + 500 - start) <= 100);
            cr_assert_eq(at.end - at.start, 1000);
        }
}

Test(effect_shared, bins_in_both_directions)
{
    make_model("9x16/3:relu,5x16/2:relu,5x16,3x16+:gelu", "bins-maxmean");
    compare(BIRD_TOKENS_BOTH);
}
