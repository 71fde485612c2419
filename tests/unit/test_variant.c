/* variant: what is scored of an allele and how, by the functions that the
 * command is made of: windows at the ends of contigs, values against scoring
 * the changed sequence itself, what is remembered, REF against the reference,
 * scores by hand.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/rng.h"
#include "dnabird/session.h"
#include "seq_help.h"
#include "variant/variant_score.h"
#include "variant/variant_site.h"

enum { W = 70, LONG = 400, SHORT = 40 };

static char contig[2][LONG + 1]; /* LONG and SHORT bases */
static struct bird_variant_context context;
static bird_variant_params params;

static void setup(void)
{
    static char text[2 * LONG + 64];
    struct bird_rng r;

    folder_new();
    bird_rng_init(&r, 11, 0, 0);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < (k ? SHORT : LONG); i++)
            contig[k][i] = "ACGT"[bird_rng_below(&r, 4)];
    memset(contig[0] + 300, 'N', 20);
    snprintf(text, sizeof(text), ">a\n%s\n>b\n%s\n", contig[0], contig[1]);
    params = (bird_variant_params){.model = tests_path(DATA_MODEL),
                                   .fasta = file_text("ref.fa", text),
                                   .max_unknown = 0.05,
                                   .strand = BIRD_STRAND_PLUS,
                                   .shifts = "0",
                                   .tokens = BIRD_TOKENS_FREE};
}

static void teardown(void)
{
    bird_context_close(&context);
    folder_remove();
}
TestSuite(variant, .init = setup, .fini = teardown);

static void open_context(void)
{
    WORKS(bird_context_open(&context, &params));
    cr_assert_eq(context.settings.window_bp, W);
}

static char base_other(char base)
{
    return base == 'A' ? 'C' : 'A';
}

/* Ask for start .. end of contig k becoming alt. */
static enum bird_variant_status submit(struct bird_request *out, int64_t k,
                                       int64_t start, int64_t end,
                                       const char *alt)
{
    struct bird_change c = {.contig = k, .start = start, .end = end};
    enum bird_variant_status status;

    WORKS(bird_text_put(&c.alt, alt, (int64_t)strlen(alt)));
    WORKS(bird_effect_submit(context.effect, out, &status, &c));
    bird_change_free(&c);
    return status;
}

/* The probability of class 1 of one sequence, by a session of its own. */
static float score(const char *seq, enum bird_strand strand)
{
    bird_session_options o = {.strand = strand};
    bird_session *s = NULL;
    float p = -1;

    WORKS(bird_session_new(&s, context.model, &o));
    cr_assert_eq(bird_session_size(s, (int64_t)strlen(seq)), 1);
    WORKS(bird_session_score(s, &seq, NULL, 1, &p));
    bird_session_free(s);
    return p;
}

/* left .. right of contig k, with start .. end of it replaced by alt. */
static const char *spliced(int k, int left, int right, int start, int end,
                           const char *alt)
{
    static char out[LONG + W];

    snprintf(out, sizeof(out), "%.*s%s%.*s", start - left, contig[k] + left,
             alt, right - end, contig[k] + end);
    return out;
}

Test(variant, windows_and_values)
{
    static const struct {
        int k, pos, left, right, moved, cut;
    } row[] = {{0, 200, 165, 235, 0, 0}, /* in the middle */
               {0, 35, 0, 70, 0, 0},     /* the first window that fits */
               {0, 34, 0, 70, 1, 0},     {0, 0, 0, 70, 1, 0},
               {0, 365, 330, 400, 0, 0}, {0, 366, 330, 400, 1, 0},
               {0, 399, 330, 400, 1, 0}, {1, 7, 0, SHORT, 0, 1},
               {1, 39, 0, SHORT, 0, 1}};
    enum { N = sizeof(row) / sizeof(*row) };
    struct bird_request r[N];
    char alt[2] = "";

    open_context();
    cr_assert_eq(bird_effect_features(context.effect), 1);
    for (int i = 0; i < N; i++) {
        alt[0] = base_other(contig[row[i].k][row[i].pos]);
        cr_assert_eq(submit(&r[i], row[i].k, row[i].pos, row[i].pos + 1, alt),
                     BIRD_VARIANT_OK);
        cr_assert_eq(r[i].moved, row[i].moved, "row %d", i);
        cr_assert_eq(r[i].cut, row[i].cut, "row %d", i);
    }
    WORKS(bird_effect_flush(context.effect));
    for (int i = 0; i < N; i++) {
        int k = row[i].k, at = row[i].pos;
        const char *s = spliced(k, row[i].left, row[i].right, at, at, "");

        cr_assert_eq(*bird_effect_values(context.effect, r[i].ref),
                     score(s, BIRD_STRAND_PLUS), "row %d", i);
        alt[0] = base_other(contig[k][at]);
        s = spliced(k, row[i].left, row[i].right, at, at + 1, alt);
        cr_assert_eq(*bird_effect_values(context.effect, r[i].alt),
                     score(s, BIRD_STRAND_PLUS), "row %d", i);
    }
}

Test(variant, strands)
{
    static const enum bird_strand strand[] = {
        BIRD_STRAND_PLUS, BIRD_STRAND_MINUS, BIRD_STRAND_BOTH};
    char alt[2] = {base_other(contig[0][200]), 0};
    struct bird_request r;

    for (int k = 0; k < 3; k++) {
        params.strand = strand[k];
        open_context();
        cr_assert_eq(submit(&r, 0, 200, 201, alt), BIRD_VARIANT_OK);
        WORKS(bird_effect_flush(context.effect));
        cr_assert_eq(*bird_effect_values(context.effect, r.alt),
                     score(spliced(0, 165, 235, 200, 201, alt), strand[k]));
        cr_assert_eq(*bird_effect_values(context.effect, r.ref),
                     score(spliced(0, 165, 235, 200, 200, ""), strand[k]));
        bird_context_close(&context);
    }
}

/* What came before is not computed again, whichever allele asks. */
Test(variant, answers_are_remembered)
{
    bird_session_counts before, after;
    struct bird_request a, b;
    char alt[2] = {base_other(contig[0][200]), 0};
    float p;

    open_context();
    cr_assert_eq(submit(&a, 0, 200, 201, alt), BIRD_VARIANT_OK);
    WORKS(bird_effect_flush(context.effect));
    p = *bird_effect_values(context.effect, a.alt);
    bird_effect_count(context.effect, &before);
    cr_assert_eq(before.n_evaluated, 2);
    cr_assert_eq(before.n_cached, 0);
    bird_effect_evict(context.effect);
    cr_assert_eq(submit(&b, 0, 200, 201, alt), BIRD_VARIANT_OK);
    cr_assert_eq(submit(&a, 0, 200, 201, "GATTACA"), BIRD_VARIANT_OK);
    WORKS(bird_effect_flush(context.effect));
    bird_effect_count(context.effect, &after);
    cr_assert_eq(after.n_evaluated, 3); /* GATTACA's window alone */
    cr_assert_eq(after.n_cached, 2);
    cr_assert_eq(*bird_effect_values(context.effect, b.alt), p);
    cr_assert_eq(*bird_effect_values(context.effect, b.ref),
                 *bird_effect_values(context.effect, a.ref));
}

Test(variant, what_is_not_scored)
{
    struct bird_request r;
    char big[W + 2];

    open_context();
    memset(big, 'A', W + 1);
    big[W + 1] = 0;
    cr_assert_eq(submit(&r, 0, 200, 201, big), BIRD_VARIANT_TOO_LONG);
    cr_assert_eq(submit(&r, 0, 100, 100 + W + 1, "A"), BIRD_VARIANT_TOO_LONG);
    cr_assert_eq(submit(&r, 1, 0, SHORT, ""), BIRD_VARIANT_TOO_LONG);
    cr_assert_eq(submit(&r, 0, 290, 291, "A"), BIRD_VARIANT_MANY_N);
    bird_effect_set_region(context.effect, 130, 140);
    cr_assert_eq(submit(&r, 0, 99, 100, "A"), BIRD_VARIANT_TOO_LONG);
    cr_assert_eq(submit(&r, 0, 100, 101, "A"), BIRD_VARIANT_OK);
    cr_assert_eq(r.moved, 0);
}

/* A record of one ALT through bird_sites_submit(): its status, or the error. */
static int ask(struct bird_allele_request *a, enum bird_ref_policy policy,
               const char *where, int64_t pos, const char *ref, const char *alt)
{
    struct bird_contig_map *map = NULL;
    struct bird_sites s = {
        .context = &context, .policy = policy, .file = "x.vcf"};
    struct bird_vcf_record r = {.contig = where,
                                .pos = pos,
                                .ref = ref,
                                .n_alt = 1,
                                .alt = &alt,
                                .number = 1};
    int rc;

    WORKS(bird_contig_map_new(&map, context.genome, NULL));
    s.map = map;
    rc = bird_sites_submit(&s, a, &r);
    bird_sites_free(&s);
    bird_contig_map_free(map);
    return rc;
}

Test(variant, ref_against_the_reference)
{
    char is[2] = {contig[0][200], 0}, other[2] = {base_other(*is), 0};
    struct bird_allele_request a = {0}, swapped = {0};
    struct bird_allele_result o;
    struct bird_sites s = {.context = &context};

    open_context();
    WORKS(ask(&a, BIRD_REF_ERROR, "a", 200, is, other));
    cr_assert_eq(a.status, BIRD_VARIANT_OK);
    FAILS(BIRD_EFORMAT, ask(&a, BIRD_REF_ERROR, "a", 200, other, is),
          "--check-ref");
    for (int k = BIRD_REF_WARN; k <= BIRD_REF_SKIP; k++) {
        WORKS(ask(&a, (enum bird_ref_policy)k, "a", 200, other, is));
        cr_assert_eq(a.status, BIRD_VARIANT_REF_MISMATCH);
    }
    WORKS(ask(&a, BIRD_REF_ERROR, "a", 200, is, other));
    WORKS(ask(&swapped, BIRD_REF_SWAP, "a", 200, other, is));
    cr_assert_eq(swapped.status, BIRD_VARIANT_SWAPPED);
    WORKS(bird_effect_flush(context.effect));
    bird_sites_result(&o, &s, &a);
    cr_assert_eq(*o.p_ref,
                 *bird_effect_values(context.effect, swapped.request.alt));
    cr_assert_eq(*o.p_alt,
                 *bird_effect_values(context.effect, swapped.request.ref));
    WORKS(ask(&a, BIRD_REF_ERROR, "c", 200, is, other));
    cr_assert_eq(a.status, BIRD_VARIANT_NO_CONTIG);
    WORKS(ask(&a, BIRD_REF_ERROR, "b", SHORT, is, other));
    cr_assert_eq(a.status, BIRD_VARIANT_OFF_END);
    WORKS(ask(&a, BIRD_REF_ERROR, "a", 200, is, is));
    cr_assert_eq(a.status, BIRD_VARIANT_NO_CHANGE);
}

Test(variant, scores)
{
    const float p_ref[] = {0.25f, 0.5f, 1.0f}, p_alt[] = {0.5f, 0.125f, 0.0f};
    struct bird_allele_result o = {
        .status = BIRD_VARIANT_OK, .p_ref = p_ref, .p_alt = p_alt};
    struct bird_allele_result none = {.status = BIRD_VARIANT_MANY_N};
    uint8_t summed[] = {1, 1, 1};
    struct bird_selected_scores s = {
        .features = {.n = 3}, .summed = summed, .n_summed = 3};
    int64_t top[3];
    double l = log(3.0); /* of 0.5 against 0.25 */

    cr_assert_eq(bird_allele_score(&s, &o, BIRD_SCORE_P_REF, 0), 0.25);
    cr_assert_eq(bird_allele_score(&s, &o, BIRD_SCORE_P_ALT, 0), 0.5);
    cr_assert_eq(bird_allele_score(&s, &o, BIRD_SCORE_DIFF, 0), 0.25);
    cr_assert_float_eq(bird_allele_score(&s, &o, BIRD_SCORE_LOGIT, 0), l,
                       1e-12);
    cr_assert_float_eq(bird_allele_score(&s, &o, BIRD_SCORE_DEEPSEA, 0),
                       0.25 * l, 1e-12);
    cr_assert_float_eq(bird_allele_score(&s, &o, BIRD_SCORE_LOGIT, 1),
                       -log(7.0), 1e-12);
    /* probabilities are kept 1e-7 from 0 and 1 */
    cr_assert_float_eq(bird_allele_score(&s, &o, BIRD_SCORE_LOGIT, 2),
                       2 * log(1e-7 / (1 - 1e-7)), 1e-6);
    cr_assert(isnan(bird_allele_score(&s, &o, BIRD_SCORE_E, 0)));
    cr_assert(isnan(bird_allele_score(&s, &none, BIRD_SCORE_DIFF, 0)));
    cr_assert_eq(bird_allele_largest(&s, &o, -1), 2);
    cr_assert_eq(bird_allele_top(top, 2, &s, &o), 2);
    cr_assert_eq(top[0], 2);
    cr_assert_eq(top[1], 1);
    /* a label of another command is in no summary */
    summed[2] = 0;
    cr_assert_eq(bird_allele_largest(&s, &o, -1), 1);
    cr_assert_eq(bird_allele_top(top, 3, &s, &o), 2);
    cr_assert_eq(top[0], 1);
}

/* activity has the score effect, which mutate has no motifs for. */
Test(variant, scores_that_mutate_lacks)
{
    static const int lacks[] = {BIRD_SCORE_P_REF, BIRD_SCORE_COMBINED,
                                BIRD_SCORE_EFFECT, BIRD_SCORES};
    bird_mutate_options o;
    bird_mutate_summary sum;

    bird_mutate_options_default(&o);
    o.params.fasta = params.fasta;
    o.region = "a:200-201";
    o.output = path_of("o.tsv");
    for (size_t i = 0; i < sizeof(lacks) / sizeof(*lacks); i++) {
        o.score = lacks[i];
        FAILS(BIRD_EINVAL, bird_mutate_run(&sum, &o), "unknown score");
    }
    o.score = BIRD_SCORE_DIFF;
    WORKS(bird_mutate_run(&sum, &o));
    cr_assert_eq(sum.n_scored, 2);
}

Test(variant, sizes_without_end_are_refused)
{
    bird_variant_options o, bad;

    bird_variant_options_default(&o);
    o.params.fasta = params.fasta;
    o.variants = "x.vcf";
    WORKS(bird_variant_check(&o));
    bad = o;
    bad.params.window_bp = INT64_MAX;
    FAILS(BIRD_EINVAL, bird_variant_check(&bad), "--window");
    bad = o;
    bad.params.shift_bp = INT64_MIN;
    FAILS(BIRD_EINVAL, bird_variant_check(&bad), "shift_bp");
    bad = o;
    bad.params.span_bp = INT64_MAX;
    FAILS(BIRD_EINVAL, bird_variant_check(&bad), "--span");
}

Test(variant, backgrounds_without_end_are_refused)
{
    bird_background_options o;
    bird_background_summary sum;

    bird_background_options_default(&o);
    o.params.fasta = params.fasta;
    o.n_other = INT64_MAX;
    FAILS(BIRD_EINVAL, bird_variant_background(&sum, &o), "every other class");
    o.n = INT64_MAX;
    FAILS(BIRD_EINVAL, bird_variant_background(&sum, &o), "variants");
}
