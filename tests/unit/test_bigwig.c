/* bigWig files read back through libBigWig. SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/build_options.h"
#include "seq_help.h"
#include "track/writer.h"

TestSuite(bigwig, .init = folder_new, .fini = folder_remove);

#ifdef HAVE_BIGWIG

#define NOCURL
#include <bigWig.h>

/* Contigs of 100,000, 500 and 3,000,000 bp. */
static bird_genome *genome_new(void)
{
    static const int64_t length[] = {100000, 500, 3000000};
    char *seq = malloc(3000000 + 1), *text = malloc(3200000);
    int64_t n = 0;
    bird_genome *g;

    memset(seq, 'A', 3000000);
    for (int i = 0; i < 3; i++)
        n += sprintf(text + n, ">chr%d\n%.*s\n", i + 1, (int)length[i], seq);
    WORKS(bird_genome_open(&g, file_text("g.fa", text)));
    free(seq);
    free(text);
    return g;
}

static int begin(bird_track **t, const char *path, bird_genome *g)
{
    const bird_track_options o = {.path = path};
    const struct bird_track_extra x = {.genome = g};

    return bird_track_begin(t, &bird_format_bigwig, &o, &x);
}

static int put(bird_track *t, const char *contig, int64_t start, float value)
{
    const bird_track_row r = {.contig = contig,
                              .start = start,
                              .end = start + 200,
                              .strand = '.',
                              .value = (double)value};

    return bird_track_put(t, &r);
}

static float value_of(int64_t i)
{
    return (float)(i % 101) / 100;
}

/* pyBigWig refuses intervals on a contig of 0 bp. */
Test(bigwig, a_contig_without_bases_is_left_out)
{
    char text[1200];
    const char *path;
    bird_genome *g;
    bird_track *t;
    bigWigFile_t *f;

    snprintf(text, sizeof(text), ">none\n>some\n%0500d\n", 0);
    for (char *s = strchr(text, '0'); *s; s++)
        *s = *s == '0' ? 'A' : *s;
    WORKS(bird_genome_open(&g, file_text("e.fa", text)));
    path = path_of("e.bw");
    WORKS(begin(&t, path, g));
    WORKS(put(t, "some", 0, 0.5F));
    WORKS(bird_track_close(t));
    f = bwOpen(path, NULL, "r");
    cr_assert_not_null(f);
    cr_assert_eq(f->cl->nKeys, 1);
    cr_assert_str_eq(f->cl->chrom[0], "some");
    bwClose(f);
    bird_genome_free(g);
}

/* libBigWig divides by the number of contigs. */
Test(bigwig, contigs_without_bases_alone_are_refused)
{
    bird_genome *g;
    bird_track *t = NULL;

    WORKS(bird_genome_open(&g, file_text("e.fa", ">none\n")));
    FAILS(BIRD_EINVAL, begin(&t, path_of("e.bw"), g), "e.bw");
    bird_track_free(t);
    cr_assert(access(path_of("e.bw"), F_OK));
    bird_genome_free(g);
}

Test(bigwig, values_come_back)
{
    bird_genome *g = genome_new();
    bird_track *t;
    bwOverlappingIntervals_t *got;
    bigWigFile_t *in;
    double *mean;

    WORKS(begin(&t, path_of("x.bw"), g));
    for (int64_t i = 0; i < 500; i++) /* a gap in each 100th */
        if (i % 100)
            WORKS(put(t, "chr1", i * 200, value_of(i)));
    for (int64_t i = 0; i < 15000; i++)
        WORKS(put(t, "chr3", i * 200, value_of(i)));
    cr_assert(access(path_of("x.bw"), F_OK)); /* not yet under its name */
    WORKS(bird_track_close(t));
    bird_genome_free(g);

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
    bird_genome *g = genome_new();
    bird_track *t;

    WORKS(begin(&t, path_of("y.bw"), g));
    WORKS(put(t, "chr1", 0, 1));
    bird_track_free(t);
    cr_assert(access(path_of("y.bw"), F_OK));
    FAILS(BIRD_EIO, begin(&t, path_of("no/y.bw"), g), "y.bw");
    bird_genome_free(g);
    FAILS(BIRD_EINVAL, bird_format_check(&bird_format_bigwig, NULL, 0),
          "standard output");
    FAILS(BIRD_EINVAL, bird_format_check(&bird_format_bigwig, "x.bw", 1),
          "index");
}

#else

Test(bigwig, without_the_library_it_is_refused)
{
    FAILS(BIRD_EUNSUPPORTED, bird_format_check(&bird_format_bigwig, "x.bw", 0),
          "libBigWig");
}

#endif
