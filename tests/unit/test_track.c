/* track: forms byte by byte, files and indexes, refusals. */
#include <dirent.h>
#include <fcntl.h>
#include <htslib/hts.h>
#include <htslib/kstring.h>
#include <htslib/tbx.h>
#include <math.h>

#include "base/file.h"
#include "seq_help.h"
#include "track/writer.h"

/* Names in the folder; each file is removed. */
static int clean(void)
{
    DIR *d = opendir(folder);
    struct dirent *e;
    int n = 0;

    while (d && (e = readdir(d)))
        if (e->d_name[0] != '.') {
            unlinkat(dirfd(d), e->d_name, 0);
            n++;
        }
    if (d)
        closedir(d);
    return n;
}

TestSuite(track, .init = folder_new, .fini = folder_remove);

static const bird_track_row rows[] = {
    {.contig = "chr2",
     .start = 100,
     .end = 300,
     .strand = '+',
     .value = 0.98765432,
     .summit = 150,
     .n_window = 3,
     .name = "p1"},
    {.contig = "chr2",
     .start = 100,
     .end = 400,
     .strand = '-',
     .value = 1,
     .summit = 399,
     .n_window = 1},
    {.contig = "chr1",
     .start = 0,
     .end = 10,
     .strand = '.',
     .value = 0.0004999,
     .summit = 0,
     .n_window = 1},
};

static bird_track *begin(const char *name, const char *format)
{
    bird_track_options o;
    bird_track *t = NULL;

    bird_track_options_default(&o);
    o.path = path_of(name);
    o.format = format;
    o.no_version = 1;
    WORKS(bird_track_open(&t, &o));
    return t;
}

static void check_bytes(const char *name, const char *want)
{
    struct bird_text got = {0};

    WORKS(bird_file_read(&got, path_of(name)));
    cr_assert_str_eq(got.s, want);
    bird_text_free(&got);
}

static void check_rows(const char *name, const char *format, const char *want)
{
    bird_track *t = begin(name, format);

    for (int i = 0; i < 3; i++)
        WORKS(bird_track_put(t, &rows[i]));
    cr_assert_eq(bird_track_count(t), 3);
    cr_assert_not(bird_file_exists(path_of(name)));
    WORKS(bird_track_close(t));
    check_bytes(name, want);
    cr_assert_eq(clean(), 1);
}

Test(track, bed_bytes)
{
    check_rows("x.bed", "bed",
               "#chrom\tstart\tend\tname\tscore\tstrand\tprobability\tsummit\n"
               "chr2\t100\t300\tp1\t988\t+\t0.987654\t150\n"
               "chr2\t100\t400\t.\t1000\t-\t1.000000\t399\n"
               "chr1\t0\t10\t.\t0\t.\t0.000500\t0\n");
}

Test(track, bedgraph_bytes)
{
    check_rows("x.bg", "bedgraph",
               "#chrom\tstart\tend\tvalue\n"
               "chr2\t100\t300\t0.987654\n"
               "chr2\t100\t400\t1.000000\n"
               "chr1\t0\t10\t0.000500\n");
}

Test(track, tsv_bytes)
{
    check_rows("x.tsv", "tsv",
               "#chrom\tstart\tend\tname\tscore\tstrand\tprobability\tsummit\t"
               "windows\tregion\traw\n"
               "chr2\t100\t300\tp1\t988\t+\t0.987654\t150\t3\tchr2:101-300\t0\n"
               "chr2\t100\t400\t.\t1000\t-\t1.000000\t399\t1\tchr2:101-400\t0\n"
               "chr1\t0\t10\t.\t0\t.\t0.000500\t0\t1\tchr1:1-10\t0\n");
}

Test(track, windows_bytes)
{
    const bird_track_row skipped = {.contig = "c",
                                    .start = 5,
                                    .end = 9,
                                    .strand = '+',
                                    .value = nan(""),
                                    .status = "too_many_n"};
    const bird_track_row scored = {.contig = "c",
                                   .start = 5,
                                   .end = 9,
                                   .strand = '-',
                                   .value = 0.125,
                                   .raw = 0.75};
    bird_track *t = begin("x.tsv", "windows");

    WORKS(bird_track_put(t, &skipped));
    WORKS(bird_track_put(t, &scored));
    WORKS(bird_track_close(t));
    check_bytes("x.tsv", "#chrom\tstart\tend\tstrand\tprobability\tstatus"
                         "\traw\n"
                         "c\t5\t9\t+\t.\ttoo_many_n\t.\n"
                         "c\t5\t9\t-\t0.125\tok\t0.75\n");
}

/* Of GFF3's characters with a meaning none stands for itself in a name. */
Test(track, gff3_bytes)
{
    bird_track *t = begin("x.gff3", "gff3");
    bird_track_row r = rows[0];

    WORKS(bird_track_put(t, &r));
    r.contig = ">a b%;";
    r.name = "5'=UTR, a;b&c%";
    r.strand = '.';
    WORKS(bird_track_put(t, &r));
    WORKS(bird_track_close(t));
    check_bytes("x.gff3",
                "##gff-version 3\n"
                "#seqid\tsource\ttype\tstart\tend\tscore\tstrand\tphase\t"
                "attributes\n"
                "chr2\tdnabird\tpromoter\t101\t300\t0.987654\t+\t.\t"
                "ID=promoter_1;Name=p1;summit=151;n_windows=3\n"
                "%3Ea%20b%25%3B\tdnabird\tpromoter\t101\t300\t0.987654\t.\t.\t"
                "ID=promoter_2;Name=5'%3DUTR%2C a%3Bb%26c%25;summit=151;"
                "n_windows=3\n");
}

Test(track, provenance_is_one_line_each)
{
    bird_track_options o;
    bird_track *t = NULL;

    bird_track_options_default(&o);
    o.path = path_of("x.bed");
    o.command = "dnabird promoter a\nb";
    o.model = "m sha256:00";
    o.reference = "r.fa";
    WORKS(bird_track_open(&t, &o));
    WORKS(bird_track_close(t));
    check_bytes("x.bed",
                "# dnabird " BIRD_VERSION "\n"
                "# command: dnabird promoter a b\n"
                "# model: m sha256:00\n"
                "# reference: r.fa\n"
                "#chrom\tstart\tend\tname\tscore\tstrand\tprobability\t"
                "summit\n");
}

Test(track, free_leaves_no_file)
{
    bird_track *t = begin("x.bed", "bed");

    WORKS(bird_track_put(t, &rows[0]));
    bird_track_free(t);
    bird_track_free(NULL);
    cr_assert_eq(clean(), 0);
    t = begin("x.bed.gz", "bed");
    WORKS(bird_track_put(t, &rows[0]));
    bird_track_free(t);
    cr_assert_eq(clean(), 0);
}

static void refused(const bird_track_row *row, const char *sentence)
{
    bird_track *t = begin("x.bed", "bed");

    WORKS(bird_track_put(t, &rows[1]));
    FAILS(BIRD_EINVAL, bird_track_put(t, row), sentence);
    cr_assert_eq(bird_track_count(t), 1);
    bird_track_free(t);
}

Test(track, rows_that_make_no_sense_are_refused)
{
    bird_track_row r = rows[0];

    r.start = 99;
    refused(&r, "comes after 100");
    r = rows[0], r.end = 100;
    refused(&r, "is not an interval");
    r = rows[0], r.start = -1;
    refused(&r, "is not an interval");
    r = rows[0], r.contig = "";
    refused(&r, "contig's name");
    r = rows[0], r.contig = "a\tb";
    refused(&r, "contig's name");
    r = rows[0], r.contig = "#a";
    refused(&r, "contig's name");
    r = rows[0], r.strand = 'x';
    refused(&r, "unknown strand");
    r = rows[0], r.value = 1.5;
    refused(&r, "is not a probability");
    r = rows[0], r.value = nan("");
    refused(&r, "is not a probability");
    r = rows[0], r.value = HUGE_VAL;
    refused(&r, "infinite");
    r = rows[0], r.summit = 300;
    refused(&r, "summit 300 is outside");
    r = rows[0], r.name = "a\nb";
    refused(&r, "control characters");
}

Test(track, a_bedgraph_without_a_value_is_refused)
{
    bird_track_row r = rows[0];
    bird_track *t = begin("x.bg", "bedgraph");

    r.value = nan("");
    FAILS(BIRD_EINVAL, bird_track_put(t, &r), "no value");
    bird_track_free(t);
}

Test(track, open_refuses_what_cannot_be)
{
    int fd;
    bird_track_options o;
    bird_track *t = NULL;

    bird_track_options_default(&o);
    o.index = 1;
    FAILS(BIRD_EINVAL, bird_track_open(&t, &o),
          "standard output: only a bgzipped");
    o.path = path_of("x.bed");
    cr_assert_eq(bird_track_open(&t, &o), BIRD_EINVAL);
    o.path = path_of("pipe.gz");
    cr_assert_eq(mkfifo(o.path, 0600), 0);
    fd = open(o.path, O_RDWR);
    FAILS(BIRD_EINVAL, bird_track_open(&t, &o), "takes no index");
    close(fd);
    cr_assert_eq(clean(), 1);
    o.index = 0, o.format = "vcf";
    FAILS(BIRD_EINVAL, bird_track_open(&t, &o), "'vcf': use bed, ");
    o.format = "bigwig"; /* of another command */
    cr_assert_eq(bird_track_open(&t, &o), BIRD_EINVAL);
    o.format = NULL, o.path = "/nonexistent/x.bed";
    FAILS(BIRD_EIO, bird_track_open(&t, &o), "/nonexistent/x.bed");
    cr_assert_null(t);
    cr_assert_eq(clean(), 0);
}

static const char *guessed(enum bird_track_command command, const char *name)
{
    const struct bird_format *f;

    WORKS(bird_format_choose(&f, command, NULL, name));
    return f->name;
}

Test(track, formats_by_their_names)
{
    const int promoter = BIRD_TRACK_PROMOTER, variant = BIRD_TRACK_VARIANT;
    const struct bird_format *f;

    cr_assert_str_eq(bird_track_formats(promoter),
                     "bed|bedgraph|bigwig|gff3|tsv|windows");
    cr_assert_str_eq(bird_track_formats(variant), "v|z|u|b|tsv|kipoi|bed");
    cr_assert_str_eq(bird_track_format_name(promoter, 1), "bedgraph");
    cr_assert_null(bird_track_format_name(promoter, 6));
    cr_assert_null(bird_track_format_name(promoter, -1));
    cr_assert(strstr(bird_track_formats_about(promoter), "gff3: "));
    cr_assert_str_eq(guessed(promoter, "a.b/x.BED"), "bed");
    cr_assert_str_eq(guessed(promoter, "x.bg.gz"), "bedgraph");
    cr_assert_str_eq(guessed(promoter, "x.bedgraph"), "bedgraph");
    cr_assert_str_eq(guessed(promoter, "x.tsv.bgz"), "tsv");
    cr_assert_str_eq(guessed(promoter, "x.gff"), "gff3");
    cr_assert_str_eq(guessed(promoter, "x.gff3.gz"), "gff3");
    for (const char *const *p = (const char *const[]){"tsv", "a.tsv/x", "x.gz",
                                                      "", "d.d/.x", NULL};
         *p; p++) /* the default */
        cr_assert_str_eq(guessed(promoter, *p), "bed");
    cr_assert_str_eq(guessed(variant, "x.vcf"), "v");
    cr_assert_str_eq(guessed(variant, "x.vcf.gz"), "z");
    cr_assert_str_eq(guessed(variant, "x.bgz"), "z");
    cr_assert_str_eq(guessed(variant, "x.bcf"), "b");
    cr_assert_str_eq(guessed(variant, "x.tsv.gz"), "tsv");
    cr_assert_str_eq(guessed(variant, "x.bed.bgz"), "bed");
    cr_assert_str_eq(guessed(variant, "d.d/x"), "v");
    FAILS(BIRD_EINVAL, bird_format_choose(&f, variant, NULL, "d/x.csv"),
          "cannot infer the output format from '.csv'; use -O");
    for (const char *const *p =
             (const char *const[]){"x.csv", "x.csv.gz", "x.vcf", "x.png",
                                   "x.bw.gz", "x.csv.zst", NULL};
         *p; p++)
        cr_assert_eq(bird_format_choose(&f, promoter, NULL, *p), BIRD_EINVAL);
    for (const char *const *p =
             (const char *const[]){"x.csv.gz", "x.vcf.zst", "x.zst", "x.bcf.gz",
                                   "x.bw", NULL};
         *p; p++)
        cr_assert_eq(bird_format_choose(&f, variant, NULL, *p), BIRD_EINVAL);
    cr_assert_str_eq(guessed(promoter, "x.bw"), "bigwig");
    cr_assert_str_eq(guessed(promoter, "x.bedgraph.zst"), "bedgraph");
    cr_assert_str_eq(guessed(variant, "x.tsv.zst"), "tsv");
    cr_assert_str_eq(guessed(BIRD_TRACK_CHROMATIN, "x.bw"), "bigwig");
    cr_assert_str_eq(guessed(BIRD_TRACK_CHROMATIN, "x"), "tsv");
}

/* Lines of x.bed.gz in a region, through its index. */
static int count_lines(const char *index, const char *region)
{
    const char *file = path_of("x.bed.gz");
    kstring_t line = {0};
    BGZF *f;
    tbx_t *tbx;
    hts_itr_t *it;
    int n = 0;

    f = bgzf_open(file, "r");
    tbx = tbx_index_load2(file, path_of(index));
    cr_assert_not_null(f);
    cr_assert_not_null(tbx);
    it = tbx_itr_querys(tbx, region);
    cr_assert_not_null(it);
    while (tbx_bgzf_itr_next(f, tbx, it, &line) >= 0)
        n++;
    tbx_itr_destroy(it);
    tbx_destroy(tbx);
    bgzf_close(f);
    free(line.s);
    return n;
}

static bird_track *begin_indexed(int64_t longest_bp)
{
    bird_track_options o;
    bird_track *t = NULL;

    bird_track_options_default(&o);
    o.path = path_of("x.bed.gz");
    o.index = 1;
    o.longest_bp = longest_bp;
    o.command = "dnabird";
    WORKS(bird_track_open(&t, &o));
    return t;
}

Test(track, bgzipped_and_indexed)
{
    bird_track *t = begin_indexed(0);

    for (int i = 0; i < 3; i++)
        WORKS(bird_track_put(t, &rows[i]));
    WORKS(bird_track_close(t));
    cr_assert_eq(count_lines("x.bed.gz.tbi", "chr2:301-350"), 1);
    cr_assert_eq(count_lines("x.bed.gz.tbi", "chr1"), 1);
    cr_assert_eq(clean(), 2);
}

Test(track, an_empty_track_is_indexed_too)
{
    WORKS(bird_track_close(begin_indexed(0)));
    cr_assert_eq(clean(), 2);
}

Test(track, long_contigs_have_a_csi_index)
{
    bird_track_row r = rows[0];
    bird_track *t = begin_indexed(0);

    r.start = 1500000000, r.end = 1500001000, r.summit = r.start;
    WORKS(bird_track_put(t, &r));
    WORKS(bird_track_close(t));
    cr_assert_eq(count_lines("x.bed.gz.csi", "chr2:1500000001-1500000002"), 1);
    cr_assert_eq(clean(), 2);

    t = begin_indexed(((int64_t)1 << 29) + 1);
    WORKS(bird_track_put(t, &rows[0]));
    WORKS(bird_track_close(t));
    cr_assert(bird_file_exists(path_of("x.bed.gz.csi")));
    cr_assert_eq(clean(), 2);

    t = begin_indexed((int64_t)1 << 29);
    WORKS(bird_track_close(t));
    cr_assert(bird_file_exists(path_of("x.bed.gz.tbi")));
}

Test(track, an_index_of_the_other_kind_goes)
{
    WORKS(bird_file_write(path_of("x.bed.gz.csi"), "old", 3));
    WORKS(bird_track_close(begin_indexed(0)));
    cr_assert_not(bird_file_exists(path_of("x.bed.gz.csi")));
    cr_assert_eq(clean(), 2);
}

/* The file stands for itself: bgzip's end of file is in it, and an index of an
 * older file of this name, which would be wrong for it, is not beside it. */
static void expect_whole_without_index(const char *why)
{
    BGZF *f = NULL;

    cr_assert(strstr(bird_last_error(), why));
    cr_assert(strstr(bird_last_error(), "x.bed.gz is whole, but has no index"));
    f = bgzf_open(path_of("x.bed.gz"), "r");
    cr_assert_not_null(f);
    cr_assert_eq(bgzf_check_EOF(f), 1);
    cr_assert_eq(bgzf_close(f), 0);
    cr_assert_eq(clean(), 1);
}

Test(track, a_contig_twice_costs_the_index)
{
    bird_track *t = begin_indexed(0);

    WORKS(bird_file_write(path_of("x.bed.gz.csi"), "old", 3));
    WORKS(bird_track_put(t, &rows[0]));
    WORKS(bird_track_put(t, &rows[2]));
    WORKS(bird_track_put(t, &rows[0]));
    cr_assert_eq(bird_track_close(t), BIRD_EFORMAT);
    expect_whole_without_index("does a contig come twice");
}

Test(track, a_place_taken_by_a_folder_costs_the_index)
{
    bird_track *t = begin_indexed(0);

    cr_assert_eq(mkdir(path_of("x.bed.gz.tbi"), 0700), 0);
    cr_assert_eq(bird_track_close(t), BIRD_EIO);
    rmdir(path_of("x.bed.gz.tbi"));
    expect_whole_without_index("x.bed.gz.tbi");
}

Test(track, a_full_disk_is_told)
{
    bird_track_options o;
    bird_track *t = NULL;
    int rc = 0;

    bird_track_options_default(&o);
    o.path = "/dev/full";
    WORKS(bird_track_open(&t, &o));
    for (int i = 0; i < 100000 && !rc; i++)
        rc = bird_track_put(t, &rows[0]);
    FAILS(BIRD_EIO, rc, "/dev/full: No space left");
    bird_track_free(t);
    WORKS(bird_track_open(&t, &o));
    cr_assert_eq(bird_track_close(t), BIRD_EIO);
    o.path = ""; /* before a row is computed */
    FAILS(BIRD_EIO, bird_track_open(&t, &o), "No such file");
}

Test(track, score_is_rounded_and_capped)
{
    cr_assert_eq(bird_track_score(0.9994), 999);
    cr_assert_eq(bird_track_score(0.9996), 1000);
    cr_assert_eq(bird_track_score(7), 1000);
    WORKS(bird_track_score(-1));
    WORKS(bird_track_score(nan("")));
}
