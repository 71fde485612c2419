/* Chromatin data sets: made from peaks, written, read back.
 * SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <math.h>
#include <unistd.h>

#include "base/file.h"
#include "base/rng.h"
#include "data/labels_in.h"
#include "dnabird/train.h"
#include "seq_help.h"

/* Contig "20": 6000 bp, N at 3000 .. 3400; contig "X": 2050 bp. */
enum { LENGTH = 6000, LENGTH_X = 2050 };
static char *genome;

static void setup(void)
{
    char *fasta;

    folder_new();
    genome = letters_new(LENGTH);
    memset(genome + 3000, 'N', 400);
    cr_assert(
        asprintf(&fasta, ">20\n%s\n>X\n%.*s\n", genome, LENGTH_X, genome) > 0);
    file_text("ref.fa", fasta);
    free(fasta);
    file_text("list.tsv", "id\tname\tclass\tcell_type\tindex\n"
                          "1\tone\tTF\tK562\t130\n2\ttwo\tTF\tHepG2\t131\n"
                          "3\tthree\tHM\tK562\t.\n");
    /* one: 20:1000-1200 whole, 20:1200-1300 half a bin, and over N; two: a
     * union of 90 bp whose sum is 130; three: on X alone */
    file_text("peaks.bed", "chr20\t1000\t1200\t1\nchr20\t3000\t3200\t1\n"
                           "chr20\t1200\t1300\t1\n"
                           "chr20\t1400\t1460\t2\nchr20\t1420\t1490\t2\n"
                           "chr20\t1899\t2102\t2\n"
                           "X\t900\t2050\t3\nX\t900\t1300\t2\n");
}

static void teardown(void)
{
    free(genome);
    folder_remove();
}

TestSuite(chromatin_data, .init = setup, .fini = teardown);

static const char *fasta[1], *peaks[1], *output;

static bird_chromatin_files files(void)
{
    fasta[0] = path_of("ref.fa");
    peaks[0] = path_of("peaks.bed");
    output = path_of("set.tsv.zst");
    return (bird_chromatin_files){.in.fasta = fasta,
                                  .in.n_fasta = 1,
                                  .in.profiles = path_of("list.tsv"),
                                  .in.peaks = peaks,
                                  .in.n_peaks = 1,
                                  .output = output};
}

static bird_chromatin_data_options options(void)
{
    bird_chromatin_data_options o;

    bird_chromatin_data_options_default(&o);
    return o;
}

/* "20:1000:0 20:1200:0,1 " : the rows of a file. */
static const char *rows_of(const char *path)
{
    static char out[8192];
    struct bird_labels_in in;
    struct bird_labels_bin b;
    int n = 0, more;

    WORKS(bird_labels_open(&in, path));
    out[0] = '\0';
    while ((more = bird_labels_next(&in, &b)) > 0) {
        n += snprintf(out + n, sizeof(out) - (size_t)n,
                      "%s:%ld:", in.contigs.name[b.contig], (long)b.start);
        for (int64_t i = 0; i < b.n; i++)
            n += snprintf(out + n, sizeof(out) - (size_t)n, "%d", b.label[i]);
        n += snprintf(out + n, sizeof(out) - (size_t)n, " ");
    }
    WORKS(more);
    bird_labels_close(&in);
    return out;
}

static int files_left(void)
{
    DIR *d = opendir(folder);
    struct dirent *e;
    int n = 0;

    while ((e = readdir(d)))
        n += !strncmp(e->d_name, "set", 3) || strstr(e->d_name, "tmp") ||
             !strncmp(e->d_name, "dnabird-peaks", 13);
    closedir(d);
    return n;
}

static void refused(const bird_chromatin_files *f,
                    const bird_chromatin_data_options *o, int code,
                    const char *part)
{
    FAILS(code, bird_chromatin_data_write(f, o, NULL), part);
    cr_assert_eq(files_left(), 0);
}

#define ON_20 "20:1000:0 20:1800:1 20:2000:1 "
#define ON_X  "X:1000:12 X:1200:2 X:1400:2 "

Test(chromatin_data, bins_of_the_union)
{
    bird_chromatin_files f = files();
    bird_chromatin_data_options o = options();
    bird_chromatin_tally t;

    WORKS(bird_chromatin_data_write(&f, &o, &t));
    /* not 20:1200 (100 bp are not more than half), not 20:1400 (the union has
     * 90 bp), not 20:3000, X:1600, X:1800 (N), not X:2000 (not whole) */
    cr_assert_str_eq(rows_of(output), ON_20 ON_X);
    cr_assert(t.n_part == 1 && t.part[0].n_row == 6 && t.part[0].n_label == 7 &&
              !t.part[0].n_background);
    cr_assert(t.unknown == 3 && !t.border && !t.elsewhere && !t.excluded);
    cr_assert(t.n_peak == 8 && t.n_profile == 3 && t.unknown_pairs == 2 &&
              !t.without_peak);
    WORKS(bird_chromatin_data_write(&f, NULL, NULL));
    cr_assert_str_eq(rows_of(output), ON_20 ON_X);
}

Test(chromatin_data, rules_keep_and_exclude)
{
    bird_chromatin_files f = files();
    bird_chromatin_data_options o = options();
    bird_chromatin_tally t;

    o.overlap = "0.5";
    WORKS(bird_chromatin_data_write(&f, &o, &t));
    cr_assert_str_eq(rows_of(output),
                     "20:1000:0 20:1200:0 20:1800:1 20:2000:1 X:800:12 "
                     "X:1000:12 X:1200:12 X:1400:2 ");
    o.overlap = "half";
    o.keep = "class:TF";
    f.exclude = file_text("x.bed", "chr20\t1199\t1201\nchr20\t2200\t2300\n");
    WORKS(bird_chromatin_data_write(&f, &o, &t));
    cr_assert_str_eq(rows_of(output), "20:1800:1 20:2000:1 X:1000:12 ");
    cr_assert_eq(t.excluded, 1);
    o.keep = "three";
    o.max_n = 1;
    WORKS(bird_chromatin_data_write(&f, &o, &t));
    cr_assert_str_eq(rows_of(output),
                     "X:1000:12 X:1200:2 X:1400:2 X:1600:2 X:1800:2 ");
}

Test(chromatin_data, regions_keep_their_borders_clear)
{
    bird_chromatin_files f = files();
    bird_chromatin_data_options o = options();
    bird_chromatin_tally t;
    struct bird_labels_in in;

    f.regions = file_text("r.bed", "chr20\t500\t2000\n");
    WORKS(bird_chromatin_data_write(&f, &o, &t));
    cr_assert_str_eq(rows_of(output), "20:1000:0 ");
    cr_assert(t.border == 2 && t.elsewhere == 6);
    WORKS(bird_labels_open(&in, output));
    cr_assert(in.regions && in.bin == 200 && in.context == 1000);
    bird_labels_close(&in);
    o.context = 200; /* the bin alone */
    WORKS(bird_chromatin_data_write(&f, &o, &t));
    cr_assert_str_eq(rows_of(output), "20:1000:0 20:1800:1 ");
}

Test(chromatin_data, parts_of_a_split)
{
    bird_chromatin_files f = files();
    bird_chromatin_data_options o = options();
    bird_chromatin_tally t;
    struct bird_labels_in in;
    char split[512];

    f.output = path_of("parts");
    f.split = "train=chr20,test=X";
    WORKS(bird_chromatin_data_write(&f, &o, &t));
    cr_assert_str_eq(t.part[1].name, "test");
    cr_assert_str_eq(rows_of(path_of("parts/train.tsv.zst")), ON_20);
    cr_assert_str_eq(rows_of(path_of("parts/test.tsv.zst")), ON_X);
    WORKS(bird_labels_open(&in, path_of("parts/test.tsv.zst")));
    cr_assert(!in.regions);
    bird_labels_close(&in);

    snprintf(split, sizeof(split), "a=%s,b=rest",
             file_text("a.bed", "20\t500\t2000\n"));
    f.split = split;
    WORKS(bird_chromatin_data_write(&f, &o, &t));
    cr_assert_str_eq(rows_of(path_of("parts/a.tsv.zst")), "20:1000:0 ");
    cr_assert_str_eq(rows_of(path_of("parts/b.tsv.zst")), ON_X);
    cr_assert_eq(t.border, 2);
    /* regions narrow the parts and make the rest */
    f.regions = file_text("r.bed", "20\t0\t6000\nX\t0\t2000\n");
    WORKS(bird_chromatin_data_write(&f, &o, &t));
    cr_assert_str_eq(rows_of(path_of("parts/a.tsv.zst")), "20:1000:0 ");
    cr_assert_str_eq(rows_of(path_of("parts/b.tsv.zst")), ON_X);
    cr_assert_eq(t.border, 4); /* X:1600 and X:1800 too */

    f.split = "a=chr20,b=nothing";
    refused(&f, &o, BIRD_EINVAL, "'nothing' is neither a file nor");
    f.split = "a=chr20,a=X";
    refused(&f, &o, BIRD_EINVAL, "part 'a' is given twice");
    f.split = "a";
    refused(&f, &o, BIRD_EINVAL, "split 'a'");
    f.split = "../a=X";
    refused(&f, &o, BIRD_EINVAL, "becomes the name of a file");
}

Test(chromatin_data, masks_say_what_is_not_known)
{
    bird_chromatin_files f = files();
    bird_chromatin_data_options o = options();
    bird_chromatin_tally t;
    struct bird_labels_in in;
    static const uint8_t want[6] = {0, 0, 1, 1, 0, 0}; /* 20, then X */
    static const uint8_t more[6] = {0, 1, 1, 1, 1, 0};

    WORKS(bird_chromatin_data_write(&f, &o, &t));
    WORKS(bird_labels_open(&in, output));
    cr_assert_arr_eq(in.unknown, want, 6);
    bird_labels_close(&in);

    f.mask = file_text("m.tsv", "# two: bad\ncell:HepG2\t*\n");
    WORKS(bird_chromatin_data_write(&f, &o, &t));
    cr_assert_str_eq(rows_of(output), "20:1000:0 X:1000:2 X:1200:2 X:1400:2 ");
    WORKS(bird_labels_open(&in, output));
    cr_assert_arr_eq(in.unknown, more, 6);
    bird_labels_close(&in);
    o.mask_empty = 0;
    f.mask = file_text("m.tsv", "one\tchrX\n");
    WORKS(bird_chromatin_data_write(&f, &o, &t));
    cr_assert_eq(t.unknown_pairs, 1);
    unlink(output);
    f.mask = file_text("m.tsv", "one chrX\n");
    refused(&f, &o, BIRD_EFORMAT, "m.tsv: line 1: a profile and a contig");
    f.mask = file_text("m.tsv", "nothing\tX\n");
    refused(&f, &o, BIRD_EINVAL, "m.tsv: line 1: no feature matches");
}

static int count_rows(const char *rows)
{
    int n = 0;

    for (; *rows; rows++)
        n += *rows == ' ';
    return n;
}

Test(chromatin_data, background_is_drawn_by_place)
{
    bird_chromatin_files f = files();
    bird_chromatin_data_options o = options();
    bird_chromatin_tally t;
    char half[8192];

    o.background = 1;
    WORKS(bird_chromatin_data_write(&f, &o, &t));
    cr_assert_eq(count_rows(rows_of(output)), 26);
    cr_assert_eq(t.part[0].n_background, 20);
    cr_assert(strstr(rows_of(output), "20:1600: 20:1800:1 20:2000:1 20:2200: "),
              "%s", rows_of(output));
    o.background = 0.5;
    WORKS(bird_chromatin_data_write(&f, &o, &t));
    strcpy(half, rows_of(output));
    cr_assert(t.part[0].n_background > 3 && t.part[0].n_background < 17);
    cr_assert_eq(count_rows(half), 6 + t.part[0].n_background);
    /* the same places are drawn when other bins are kept */
    o.keep = "three";
    WORKS(bird_chromatin_data_write(&f, &o, &t));
    for (char *row = strtok(half, " "); row; row = strtok(NULL, " "))
        if (row[strlen(row) - 1] == ':')
            cr_assert(strstr(rows_of(output), row), "%s", row);
    o.keep = NULL;
    o.seed = 2;
    WORKS(bird_chromatin_data_write(&f, &o, &t));
    cr_assert_str_neq(half, rows_of(output));
}

/* Peaks in any order through a file give the bytes of a sorting in memory. */
Test(chromatin_data, little_memory_gives_the_same_bytes)
{
    bird_chromatin_files f = files();
    bird_chromatin_data_options o = options();
    struct bird_text t = {0}, a = {0}, b = {0};
    struct bird_rng r;

    bird_rng_init(&r, 3, 0, 0);
    for (int i = 0; i < 5000; i++) {
        long start = (long)bird_rng_below(&r, 5900);

        WORKS(bird_text_printf(&t, "chr20\t%ld\t%ld\t%d\n", start,
                               start + 1 + (long)bird_rng_below(&r, 150),
                               1 + (int)bird_rng_below(&r, 3)));
    }
    WORKS(bird_file_write(path_of("peaks.bed"), t.s, (size_t)t.n));
    WORKS(bird_chromatin_data_write(&f, &o, NULL));
    WORKS(bird_file_read(&a, output));
    o.memory = 65536;
    WORKS(bird_chromatin_data_write(&f, &o, NULL));
    WORKS(bird_file_read(&b, output));
    cr_assert(a.n > 100 && a.n == b.n && !memcmp(a.s, b.s, (size_t)a.n));
    cr_assert_eq(files_left(), 1);
    bird_text_free(&t);
    bird_text_free(&a);
    bird_text_free(&b);
}

Test(chromatin_data, tables_of_positives_and_overlaps)
{
    bird_chromatin_files f = files();
    struct bird_text t = {0};

    f.summary = path_of("summary.tsv");
    f.overlaps = path_of("overlaps.tsv");
    WORKS(bird_chromatin_data_write(&f, NULL, NULL));
    WORKS(bird_file_read(&t, f.summary));
    cr_assert_str_eq(t.s,
                     "part\tprofile\tclass\tpeaks\tbins\tpositives\tshare\n"
                     "all\tone\tTF\t3\t3\t1\t0.333333\n"
                     "all\ttwo\tTF\t4\t6\t3\t0.500000\n"
                     "all\tthree\tHM\t1\t3\t3\t1.000000\n");
    WORKS(bird_file_read(&t, f.overlaps));
    cr_assert_str_eq(t.s, "profile_a\tprofile_b\tbins_a\tbins_b\tboth\t"
                          "jaccard\ntwo\tthree\t3\t3\t1\t0.200000\n");
    bird_text_free(&t);
}

Test(chromatin_data, files_may_be_profiles_or_stand_in_the_list)
{
    bird_chromatin_files f = files();
    const char *two[2];

    two[0] = file_text("A.narrowPeak", "20\t1000\t1200\t.\t9\t.\t1\t2\t3\t4\n");
    two[1] = file_text("B.bed", "20\t1000\t1150\n20\t1800\t2000\n");
    f.in.profiles = NULL;
    f.in.peaks = two;
    f.in.n_peaks = 2;
    WORKS(bird_chromatin_data_write(&f, NULL, NULL));
    cr_assert_str_eq(rows_of(output), "20:1000:01 20:1800:1 ");
    f.in.n_peaks = 0;
    f.in.profiles = file_text("l.tsv", "name\tfile\nb\tB.bed\n"
                                       "a\tA.narrowPeak\nb\tB.bed\n");
    WORKS(bird_chromatin_data_write(&f, NULL, NULL));
    cr_assert_str_eq(rows_of(output), "20:1000:01 20:1800:0 ");
}

Test(chromatin_data, what_is_wrong_is_said_and_leaves_nothing)
{
    bird_chromatin_files f = files();
    bird_chromatin_data_options o = options();

    o.context = 300;
    o.bin = 201;
    refused(&f, &o, BIRD_EINVAL, "as much of it on either side");
    o = options();
    o.max_n = 2;
    refused(&f, &o, BIRD_EINVAL, "between 0 and 1");
    o = options();
    o.overlap = "more";
    refused(&f, &o, BIRD_EINVAL, "overlap 'more'");
    o = options();
    o.keep = "class:XX";
    refused(&f, &o, BIRD_EINVAL, "class:XX");
    o = options();
    f.regions = file_text("r.bed", "chr20\t5000\t6000\n");
    refused(&f, &o, BIRD_EINVAL, "part 'all' has no bin");
    f = files();
    f.in.n_peaks = 0;
    refused(&f, &o, BIRD_EINVAL, "names no peak files");
    f = files();
    f.in.profiles = NULL;
    f.in.n_peaks = 0;
    refused(&f, &o, BIRD_EINVAL, "no peaks");
    f = files();
    file_text("peaks.bed", "chr20\t1\t2\t1\nchr20\tx\t2\t1\n");
    refused(&f, &o, BIRD_EFORMAT, "peaks.bed: line 2");
    fasta[0] = path_of("none.fa");
    refused(&f, &o, BIRD_EIO, "none.fa");
}

/* --- reading ------------------------------------------------------------- */

static bird_dataset_options reading(void)
{
    static char path[256];

    snprintf(path, sizeof(path), "%s/ref.fa", folder);
    return (bird_dataset_options){.reference = path};
}

Test(chromatin_data, bins_become_rows_with_letters_around)
{
    bird_chromatin_files f = files();
    bird_chromatin_data_options o = options();
    bird_dataset_options how = reading();
    bird_dataset d;
    char want[1601];
    float y[3];

    o.max_n = 1;
    WORKS(bird_chromatin_data_write(&f, &o, NULL));
    WORKS(bird_dataset_open(&d, output, &how));
    cr_assert(d.n == 9 && d.kind == BIRD_LABEL_MULTI && d.n_label == 3);
    cr_assert_str_eq(d.label_name[1], "two");
    cr_assert_eq(d.features.at[1].index, 131);
    cr_assert(d.row[0].start == 1000 && d.row[0].end == 1200 &&
              d.row[0].len == 1000);
    for (int64_t i = 0; i < d.n; i++) {
        int64_t limit = d.row[i].contig ? LENGTH_X : LENGTH;

        for (int64_t k = 0; k < 1000; k++) {
            int64_t at = d.row[i].start - 400 + k;

            want[k] = at < 0 || at >= limit ? 'N' : genome[at];
        }
        cr_assert(!memcmp(bird_dataset_seq(&d, i), want, 1000), "row %ld",
                  (long)i);
    }
    /* 20:1000 has one, not two; nothing is known of three */
    bird_dataset_labels(y, &d, 0);
    cr_assert(y[0] == 1 && y[1] == 0 && isnan(y[2]));
    for (int64_t i = 0; i < d.n; i++) {
        bird_dataset_labels(y, &d, i);
        for (int64_t k = 0; k < 3; k++) {
            float x = bird_dataset_label(&d, i, k);

            cr_assert(x == y[k] || (isnan(x) && isnan(y[k])));
        }
    }
    bird_dataset_free(&d);

    how.context_bp = 1600; /* no regions: any context will do */
    WORKS(bird_dataset_open(&d, output, &how));
    cr_assert(!memcmp(bird_dataset_seq(&d, 0), genome + 300, 1600));
    bird_dataset_free(&d);
    how.context_bp = 201;
    FAILS(BIRD_EINVAL, bird_dataset_open(&d, output, &how), "201 bp");
}

Test(chromatin_data, labels_are_chosen_and_ordered_by_name)
{
    static const char *const names[] = {"three", "new", "one"};
    bird_chromatin_files f = files();
    bird_dataset_options how = reading();
    bird_dataset d;
    float y[3];

    WORKS(bird_chromatin_data_write(&f, NULL, NULL));
    how.features = "class:TF";
    WORKS(bird_dataset_open(&d, output, &how));
    cr_assert(d.n_label == 2 && d.features.n == 2);
    cr_assert_eq(bird_dataset_label(&d, 1, 1), 1);
    bird_dataset_free(&d);
    how.label_name = names;
    how.n_label_name = 3;
    WORKS(bird_dataset_open(&d, output, &how));
    cr_assert_eq(d.n_label, 3);
    bird_dataset_labels(y, &d, 0); /* 20:1000 */
    cr_assert(isnan(y[0]) && isnan(y[1]) && y[2] == 1);
    bird_dataset_labels(y, &d, 3); /* X:1000 */
    cr_assert(y[0] == 1 && isnan(y[1]) && isnan(y[2]));
    bird_dataset_free(&d);
}

Test(chromatin_data, parts_of_rows_keep_letters_and_labels)
{
    bird_chromatin_files f = files();
    bird_dataset_options how = reading();
    bird_dataset d, part;
    uint8_t mark[6] = {0, 1, 0, 0, 1, 0}, stretch[6];
    float a[3], b[3];

    WORKS(bird_chromatin_data_write(&f, NULL, NULL));
    WORKS(bird_dataset_open(&d, output, &how));
    WORKS(bird_dataset_cut(&part, &d, mark, 1));
    cr_assert_eq(part.n, 2);
    for (int i = 0, from = 1; i < 2; i++, from = 4) {
        cr_assert(!memcmp(bird_dataset_seq(&part, i),
                          bird_dataset_seq(&d, from), 1000));
        bird_dataset_labels(a, &part, i);
        bird_dataset_labels(b, &d, from);
        for (int k = 0; k < 3; k++)
            cr_assert(a[k] == b[k] || (isnan(a[k]) && isnan(b[k])));
    }
    cr_assert_eq(part.contig_length[1], LENGTH_X);
    /* rows of one megabase fall on one side */
    for (uint64_t seed = 0; seed < 20; seed++) {
        WORKS(bird_dataset_mark_fraction(stretch, &d, 0.5, seed));
        cr_assert(stretch[0] == stretch[1] && stretch[1] == stretch[2]);
        cr_assert(stretch[3] == stretch[4] && stretch[4] == stretch[5]);
    }
    bird_dataset_free(&part);
    bird_dataset_free(&d);
}

Test(chromatin_data, bins_that_do_not_fit_are_refused)
{
    bird_chromatin_files f = files();
    bird_dataset_options how = reading();
    bird_dataset d;
    char *other;

    f.regions = file_text("r.bed", "20\t0\t6000\nX\t0\t2000\n");
    WORKS(bird_chromatin_data_write(&f, NULL, NULL));
    how.context_bp = 1200;
    FAILS(BIRD_EINVAL, bird_dataset_open(&d, output, &how),
          "make the data set with --context 1200");
    how.context_bp = 0;
    how.reference = NULL;
    FAILS(BIRD_EINVAL, bird_dataset_open(&d, output, &how),
          "need the reference");
    cr_assert(asprintf(&other, ">20\n%.5000s\n>X\n%.2050s\n", genome, genome) >
              0);
    how.reference = file_text("other.fa", other);
    FAILS(BIRD_ERANGE, bird_dataset_open(&d, output, &how),
          "20 has 6000 bp, but this one has 5000");
    free(other);
    how.reference = file_text("other.fa", ">5\nACGT\n");
    FAILS(BIRD_ERANGE, bird_dataset_open(&d, output, &how), "no contig '20'");
}

Test(chromatin_data, a_zstd_file_cut_short_is_noticed)
{
    bird_chromatin_files f = files();
    bird_dataset_options how = reading();
    struct bird_text t = {0};
    bird_dataset d;

    WORKS(bird_chromatin_data_write(&f, NULL, NULL));
    WORKS(bird_file_read(&t, output));
    for (int64_t n = t.n / 5; n < t.n; n += t.n / 5 + 1) {
        WORKS(bird_file_write(path_of("cut.tsv.zst"), t.s, (size_t)n));
        FAILS(BIRD_EFORMAT, bird_dataset_open(&d, path_of("cut.tsv.zst"), &how),
              "cut.tsv.zst");
    }
    t.s[t.n / 2] ^= 0x10;
    WORKS(bird_file_write(path_of("bad.tsv.zst"), t.s, (size_t)t.n));
    FAILS(BIRD_EFORMAT, bird_dataset_open(&d, path_of("bad.tsv.zst"), &how),
          "bad.tsv.zst");
    bird_text_free(&t);
}
