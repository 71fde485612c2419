/* Bins of a margin: a session that leaves them out gives the others the bits that
 * they have with them, of full and of sparse attention, on both strands. */
#include "base/rng.h"
#include "dnabird/dnabird.h"
#include "model_help.h"

TestSuite(margin, .init = folder_new, .fini = folder_remove);

enum { BIN = MODEL_BIN, MARGIN = 2, LONG = 768, LABELS = MODEL_LABELS, N = 6 };

static const char stem[] = "9x16/3:relu,5x16/2:relu,5x16";

static const int64_t lengths[N] = {LONG, 96, 50, 2 * MARGIN *BIN, 60, 7};
static char base[N][LONG];

struct answers {
    int64_t margin; /* bins that answers of this session leave out at an end */
    int n;
    int64_t n_bin[2 * N];
    float p[2 * N][LONG / BIN * LABELS];
};

static int take(void *context, const bird_answer *a)
{
    struct answers *out = context;
    int64_t n = lengths[a->tag];
    int64_t skipped = n % BIN == 0 && n > 2 * MARGIN * BIN ? out->margin : 0;

    cr_assert_eq(a->first_bp, skipped * BIN);
    cr_assert_eq(a->n_bin, (n + BIN - 1) / BIN - 2 * skipped);
    out->n_bin[out->n] = a->n_bin;
    memcpy(out->p[out->n++], a->value,
           (size_t)(a->n_bin * LABELS) * sizeof(float));
    return 0;
}

static void answer(struct answers *out, const bird_model *m, int64_t margin,
                   enum bird_strand strand)
{
    bird_session_options o = {.strand = strand,
                              .answer = take,
                              .context = out,
                              .margin_bp = margin * BIN + margin};
    bird_session *s;

    *out = (struct answers){.margin = margin};
    WORKS(bird_session_new(&s, m, &o));
    for (int i = 0; i < N; i++) {
        cr_assert_eq(bird_session_size(s, lengths[i]) % LABELS, 0);
        WORKS(bird_session_add(s, base[i], lengths[i], i));
    }
    WORKS(bird_session_flush(s));
    bird_session_free(s);
}

static void compare(const bird_model *m, enum bird_strand strand)
{
    static struct answers all, core;

    answer(&all, m, 0, strand);
    answer(&core, m, MARGIN, strand);
    cr_assert_eq(all.n, strand == BIRD_STRAND_EACH ? 2 * N : N);
    cr_assert_eq(core.n, all.n);
    for (int i = 0; i < all.n; i++) {
        int64_t skipped = (all.n_bin[i] - core.n_bin[i]) / 2;

        cr_assert_arr_eq(core.p[i], all.p[i] + skipped * LABELS,
                         (size_t)(core.n_bin[i] * LABELS) * sizeof(float),
                         "answer %d", i);
    }
}

static void check(const char *head)
{
    struct bird_rng r;
    bird_model *m;

    bird_rng_init(&r, 5, 0, 0);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < LONG; k++)
            base[i][k] = "ACGTN"[bird_rng_below(&r, 33) / 8];
    model_new(stem, head, 2, LONG);
    for (int p = BIRD_FLOAT32; p <= BIRD_INT8; p++) {
        bird_model_run run;

        bird_model_run_default(&run);
        run.precision = (enum bird_precision)p;
        if (bird_model_open(&m, path_of("m"), &run)) {
            cr_assert(p != BIRD_FLOAT32); /* this processor or build lacks it */
            continue;
        }
        compare(m, BIRD_STRAND_EACH);
        compare(m, BIRD_STRAND_BOTH);
        compare(m, BIRD_STRAND_MINUS);
        bird_model_close(m);
    }
}

Test(margin, bins)
{
    check("bins");
}

Test(margin, bins_maxmean)
{
    check("bins-maxmean");
}

Test(margin, a_negative_one_is_refused)
{
    bird_session_options o = {.margin_bp = -1};
    bird_session *s;
    bird_model *m;

    model_new(stem, "bins", 2, LONG);
    WORKS(bird_model_open(&m, path_of("m"), NULL));
    cr_assert_eq(bird_session_new(&s, m, &o), BIRD_EINVAL);
    bird_model_close(m);
}
