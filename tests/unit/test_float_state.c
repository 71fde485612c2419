/* The library through its public headers leaves the caller's floating-point
 * state as it was: rounding, what becomes of numbers below the smallest normal
 * one (FTZ, DAZ), and traps. Loading it changes none of that either.
 * SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dnabird/dnabird.h"
#include "dnabird/train.h"
#include "temp.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
/* Without the flags of what happened so far, the lowest six bits. */
static unsigned state(void)
{
    return _mm_getcsr() & ~0x3fU;
}
static void set_state(unsigned s)
{
    _mm_setcsr(s);
}
enum { USUAL = 0x1f80, FLUSHING = USUAL | 0x8040, DOWN = USUAL | 0x2000 };
#elif defined(__aarch64__)
static unsigned state(void)
{
    uint64_t s;

    __asm__ volatile("mrs %0, fpcr" : "=r"(s));
    return (unsigned)s;
}
static void set_state(unsigned s)
{
    uint64_t wide = s;

    __asm__ volatile("msr fpcr, %0" : : "r"(wide));
}
enum { USUAL = 0, FLUSHING = 1 << 24, DOWN = 2 << 22 };
#else
static unsigned state(void)
{
    return (unsigned)fegetround();
}
static void set_state(unsigned s)
{
    fesetround((int)s);
}
enum { USUAL = FE_TONEAREST, FLUSHING = USUAL, DOWN = USUAL };
#endif

static unsigned before;

static void same(const char *call)
{
    cr_assert_eq(state(), before, "%s: %x, not %x", call, state(), before);
}

static const char *in(const char *name)
{
    return tests_path("data/%s", name);
}

static void score(enum bird_precision precision)
{
    const char *seq[] = {"ACGTACGTTTGACAGATTACAGGGCATTACGA", "GGGCCC"};
    bird_model *m = NULL;
    bird_session *s = NULL;
    bird_model_run run;
    float *p;
    int rc;

    bird_model_run_default(&run);
    run.precision = precision;
    rc = bird_model_open(&m, in("model"), &run);
    same("bird_model_open");
    if (rc == BIRD_EUNSUPPORTED)
        return;
    WORKS(rc);
    WORKS(bird_session_new(&s, m, NULL));
    same("bird_session_new");
    p = calloc((size_t)(2 * bird_session_size(s, 40)), sizeof(*p));
    cr_assert_not_null(p);
    WORKS(bird_session_score(s, seq, NULL, 2, p));
    same("bird_session_score");
    bird_session_free(s);
    bird_model_close(m);
    same("bird_model_close");
    free(p);
}

static void scan(void)
{
    bird_promoter_scan_options o;
    bird_promoter_summary sum;

    bird_promoter_scan_options_default(&o);
    o.model = in("model");
    o.fasta = in("variants/toy.fa");
    o.track.path = path_of("o.bed");
    WORKS(bird_promoter_scan(&sum, &o));
    same("bird_promoter_scan");
}

static void alleles(void)
{
    bird_variant_options o;
    bird_variant_summary sum;

    bird_variant_options_default(&o);
    o.params.model = in("model");
    o.params.fasta = in("variants/toy.fa");
    o.variants = in("variants/kinds.vcf");
    o.check_ref = BIRD_REF_SKIP;
    o.output = path_of("o.vcf");
    WORKS(bird_variant_run(&sum, &o));
    same("bird_variant_run");
}

/* Steps of training multiply with the BLAS, and in bfloat16 with oneDNN. */
static void learn(void)
{
    bird_finetune_options o;

    bird_finetune_options_default(&o);
    o.run.out = path_of("m");
    o.run.init = in("model");
    o.run.steps = 2;
    o.train = o.valid = in("train/prom_core_tata.test300.csv");
    o.batch = 16;
    WORKS(bird_finetune(&o));
    same("bird_finetune");
}

TestSuite(float_state, .init = folder_new, .fini = folder_remove);

static void all_calls(unsigned s)
{
    set_state(s);
    before = state();
    for (int p = BIRD_FLOAT32; p <= BIRD_INT8; p++)
        score((enum bird_precision)p);
    scan();
    alleles();
    learn();
    set_state(USUAL);
}

/* A library linked with -ffast-math would have set FTZ and DAZ by now. */
Test(float_state, is_the_usual_one_at_the_start)
{
    volatile float least = 1e-39f;

    cr_assert_eq(state(), USUAL, "%x", state());
    cr_assert(least * 0.5f > 0);
}

Test(float_state, of_the_usual_kind_stays)
{
    all_calls(USUAL);
}

Test(float_state, that_flushes_to_zero_stays)
{
    all_calls(FLUSHING);
}

Test(float_state, that_rounds_down_stays)
{
    all_calls(DOWN);
}
