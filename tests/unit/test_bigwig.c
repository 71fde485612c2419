/* bigWig files read back through libBigWig. SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/build_options.h"
#include "seq_help.h"
#include "track/bigwig.h"

TestSuite(bigwig, .init = folder_new, .fini = folder_remove);

static const char *const name[] = {"chr1", "chr2", "chr3"};
static const int64_t length[] = {100000, 500, 3000000};

#ifdef HAVE_BIGWIG

#define NOCURL
#include <bigWig.h>

static float value_of(int64_t i)
{
    return (float)(i % 101) / 100;
}

Test(bigwig, values_come_back)
{
    struct bird_bigwig *b;
    bwOverlappingIntervals_t *got;
    bigWigFile_t *in;
    double *mean;

    WORKS(bird_bigwig_open(&b, path_of("x.bw"), name, length, 3));
    for (int64_t i = 0; i < 500; i++) /* a gap in each 100th */
        if (i % 100)
            WORKS(bird_bigwig_put(b, "chr1", i * 200, i * 200 + 200,
                                  value_of(i)));
    for (int64_t i = 0; i < 15000; i++)
        WORKS(bird_bigwig_put(b, "chr3", i * 200, i * 200 + 200, value_of(i)));
    cr_assert(access(path_of("x.bw"), F_OK)); /* not yet under its name */
    WORKS(bird_bigwig_close(b));

    cr_assert_eq(bwInit(1 << 17), 0);
    in = bwOpen(path_of("x.bw"), NULL, "r");
    cr_assert(in && in->cl->nKeys == 3);
    cr_assert(!strcmp(in->cl->chrom[2], "chr3") && in->cl->len[2] == 3000000);
    got = bwGetOverlappingIntervals(in, "chr1", 0, 100000);
    cr_assert(got && got->l == 495);
    for (uint32_t i = 0; i < got->l; i++)
        cr_assert(got->end[i] - got->start[i] == 200 &&
                  got->value[i] == value_of(got->start[i] / 200));
    bwDestroyOverlappingIntervals(got);
    got = bwGetOverlappingIntervals(in, "chr3", 1000000, 2000000);
    cr_assert(got && got->l == 5000 && got->start[0] == 1000000);
    bwDestroyOverlappingIntervals(got);
    got = bwGetOverlappingIntervals(in, "chr2", 0, 500);
    cr_assert(!got || !got->l);
    bwDestroyOverlappingIntervals(got);
    mean = bwStats(in, "chr3", 0, 3000000, 1, 0);
    cr_assert(mean && fabs(*mean - 0.5) < 0.01);
    free(mean);
    bwClose(in);
    bwCleanup();
}

Test(bigwig, given_up_leaves_nothing)
{
    struct bird_bigwig *b;

    WORKS(bird_bigwig_open(&b, path_of("y.bw"), name, length, 3));
    WORKS(bird_bigwig_put(b, "chr1", 0, 200, 1));
    bird_bigwig_free(b);
    bird_bigwig_free(NULL);
    cr_assert(access(path_of("y.bw"), F_OK));
    FAILS(BIRD_EIO, bird_bigwig_open(&b, path_of("no/y.bw"), name, length, 3),
          "y.bw");
}

#else

Test(bigwig, without_the_library_it_is_refused)
{
    struct bird_bigwig *b;

    cr_assert(!bird_bigwig_available());
    FAILS(BIRD_EUNSUPPORTED, bird_bigwig_open(&b, "x", name, length, 3),
          "libBigWig");
}

#endif
