/* genome: random access with an index, without one, and with a wrong one. */
#include "seq_help.h"

#include <fcntl.h>

#include "base/text.h"

TestSuite(genome, .init = folder_new, .fini = folder_remove);

static const char two[] = ">a first\nACGTN\nacguR\nAC\n>empty\n>b\nTTTTT\nGG\n";

static int exists(const char *path)
{
    return !access(path, F_OK);
}

/* Every stretch of every contig of `two`. */
static void check_two(bird_genome *g)
{
    static const char *const seq[] = {"ACGTNACGTRAC", "", "TTTTTGG"};
    static const char *const raw[] = {"ACGTNacguRAC", "", "TTTTTGG"};
    char got[16];

    cr_assert_eq(bird_genome_count(g), 3);
    cr_assert_str_eq(bird_genome_name(g, 1), "empty");
    cr_assert_eq(bird_genome_find(g, "b"), 2);
    cr_assert_eq(bird_genome_find(g, "first"), -1);
    for (int64_t c = 0; c < 3; c++) {
        int64_t n = (int64_t)strlen(seq[c]);

        cr_assert_eq(bird_genome_length(g, c), n);
        for (int64_t i = 0; i <= n; i++)
            for (int64_t j = i; j <= n; j++) {
                WORKS(bird_genome_fetch(g, c, i, j, got));
                cr_assert_eq(memcmp(got, seq[c] + i, (size_t)(j - i)), 0);
                WORKS(bird_genome_fetch_raw(g, c, i, j, got));
                cr_assert_eq(memcmp(got, raw[c] + i, (size_t)(j - i)), 0);
            }
        FAILS(BIRD_ERANGE, bird_genome_fetch(g, c, 0, n + 1, got), "outside");
        FAILS(BIRD_ERANGE, bird_genome_fetch(g, c, -1, 0, got), "outside");
        FAILS(BIRD_ERANGE, bird_genome_fetch(g, c, 1, 0, got), "outside");
    }
    FAILS(BIRD_ERANGE, bird_genome_fetch(g, 3, 0, 0, got), "contig number 3");
    FAILS(BIRD_ERANGE, bird_genome_fetch(g, -1, 0, 0, got), "contig number");
}

Test(genome, index_is_written_beside_and_used_again)
{
    static const char *const modes[] = {"wu", "w"};

    for (int i = 0; i < 2; i++) {
        const char *path =
            file_with(i ? "x.fa.gz" : "x.fa", modes[i], two, sizeof(two) - 1);

        for (int k = 0; k < 2; k++) {
            bird_genome *g = NULL;

            WORKS(bird_genome_open(&g, path));
            cr_assert_null(bird_genome_notice(g));
            cr_assert_str_eq(bird_genome_path(g), path);
            check_two(g);
            bird_genome_free(g);
            cr_assert(exists(path_of(i ? "x.fa.gz.fai" : "x.fa.fai")));
        }
    }
    cr_assert(exists(path_of("x.fa.gz.gzi")));
    cr_assert_not(exists(path_of("x.fa.gzi")));
    cr_assert_not(exists(path_of("dnabird")));
}

/* What samtools faidx writes for such a file (htslib 1.16). */
Test(genome, index_is_the_one_samtools_writes)
{
    const char *path = file_text("x.fa", ">a x\nACGT\nAC\n>b\r\nACG\r\nA");
    char text[200] = {0};
    bird_genome *g = NULL;
    FILE *f;

    WORKS(bird_genome_open(&g, path));
    bird_genome_free(g);
    f = fopen(path_of("x.fa.fai"), "r");
    cr_assert(f);
    cr_assert_gt(fread(text, 1, sizeof(text) - 1, f), 0);
    fclose(f);
    cr_assert_str_eq(text, "a\t6\t5\t4\t5\nb\t4\t17\t3\t5\n");
}

Test(genome, plain_gzip_is_held_in_memory_and_said_so)
{
    const char *path = file_with("x.fa.gz", "wg", two, sizeof(two) - 1);
    bird_genome *g = NULL;
    int64_t wanted[] = {2, 1};

    WORKS(bird_genome_open(&g, path));
    cr_assert(strstr(bird_genome_notice(g), "bgzip"));
    cr_assert(strstr(bird_genome_notice(g), path));
    check_two(g);
    bird_genome_free(g);
    WORKS(bird_genome_open(&g, path));
    FAILS(BIRD_ERANGE, bird_genome_hold(g, (int64_t[]){3}, 1), "number 3");
    WORKS(bird_genome_hold(g, wanted, 2));
    WORKS(bird_genome_hold(g, wanted, 0));
    check_two(g);
    bird_genome_free(g);
    cr_assert_not(exists(path_of("x.fa.gz.fai")));
}

Test(genome, uneven_lines_are_held_in_memory)
{
    const char *path = file_text("x.fa", ">a\nACG\n\nTNacguRAC\n>empty\n>b\n"
                                         "TTTTTG\nG\n");
    bird_genome *g = NULL;

    WORKS(bird_genome_open(&g, path));
    cr_assert(strstr(bird_genome_notice(g), "uneven"));
    check_two(g);
    bird_genome_free(g);
}

Test(genome, a_held_file_that_changes_is_noticed)
{
    const char *path = file_with("x.fa.gz", "wg", two, sizeof(two) - 1);
    bird_genome *g = NULL;
    char got[8];

    WORKS(bird_genome_open(&g, path));
    file_with("x.fa.gz", "wg", ">a\nACG\n", 7);
    FAILS(BIRD_EIO, bird_genome_fetch(g, 2, 0, 3, got), "changed");
    bird_genome_free(g);
}

Test(genome, standard_input_is_held_in_memory)
{
    int fd = open(file_text("in.fa", two), O_RDONLY), old = dup(0);
    bird_genome *g = NULL;

    cr_assert_eq(dup2(fd, 0), 0);
    WORKS(bird_genome_open(&g, "-"));
    cr_assert(strstr(bird_genome_notice(g), "standard input"));
    check_two(g);
    bird_genome_free(g);
    dup2(old, 0);
    close(old);
    close(fd);
}

/* Permissions do not stop root, a folder in the index's place does. */
static const char *blocked(const char *name, const char *mode)
{
    const char *path = file_with(name, mode, two, sizeof(two) - 1);
    char index[300];

    snprintf(index, sizeof(index), "%s.fai", path);
    cr_assert_eq(mkdir(index, 0777), 0);
    snprintf(index, sizeof(index), "%s.gzi", path);
    cr_assert_eq(mkdir(index, 0777), 0);
    return path;
}

Test(genome, index_that_cannot_lie_beside_goes_to_the_cache)
{
    const char *path = blocked("x.fa.gz", "w");
    bird_genome *g = NULL;

    for (int i = 0; i < 2; i++) {
        WORKS(bird_genome_open(&g, path));
        cr_assert_null(bird_genome_notice(g));
        check_two(g);
        bird_genome_free(g);
        cr_assert(exists(path_of("dnabird")));
    }
}

Test(genome, index_that_can_lie_nowhere_stays_in_memory)
{
    const char *const paths[] = {blocked("x.fa", "wu"),
                                 blocked("x.fa.gz", "w")};

    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    for (int i = 0; i < 2; i++) {
        bird_genome *g = NULL;

        WORKS(bird_genome_open(&g, paths[i]));
        cr_assert(strstr(bird_genome_notice(g), "rebuilt each time"));
        check_two(g);
        bird_genome_free(g);
    }
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", "relative", 1);
    for (int i = 0; i < 2; i++) {
        bird_genome *g = NULL;

        WORKS(bird_genome_open(&g, paths[i]));
        check_two(g);
        bird_genome_free(g);
    }
}

Test(genome, home_cache_is_made)
{
    const char *path = blocked("x.fa", "wu");
    bird_genome *g = NULL;

    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", folder, 1);
    WORKS(bird_genome_open(&g, path));
    cr_assert_null(bird_genome_notice(g));
    bird_genome_free(g);
    cr_assert(exists(path_of(".cache/dnabird")));
}

/* Indices that belong to another file, or to none. */
Test(genome, index_that_does_not_fit_is_not_used_nor_replaced)
{
    static const char *const wrong[] = {
        "a\t11\t9\t5\t6\nempty\t0\t31\t0\t0\nb\t7\t34\t5\t6\n",
        "a\t12\t9\t5\t6\nempty\t0\t31\t0\t0\nb\t8\t34\t5\t6\n",
        "a\t12\t9\t5\t6\nempty\t0\t31\t0\t0\nc\t7\t34\t5\t6\n",
        "a\t12\t9\t5\t6\nb\t7\t34\t5\t6\n",
        "a\t12\t9\t5\t6\nempty\t0\t31\t0\t0\n",
        "a\t12\t9\t0\t6\n",
        "a\t4611686018427387904\t9\t1\t9\n",
        "a\t2305843009213693951\t9\t1\t2305843009213693951\n",
        "a\t12\t9\t5\t4\n",
        "a\t-12\t9\t5\t6\n",
        "a\t12\t9\t5\n",
        "a 12 9 5 6\n",
        "\t12\t9\t5\t6\n",
        "rubbish",
        "",
    };
    const char *path = file_text("x.fa", two);

    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        bird_genome *g = NULL;
        int64_t size = file_size(file_text("x.fa.fai", wrong[i]));

        WORKS(bird_genome_open(&g, path));
        if (i) /* the cache has one now */
            cr_assert_null(bird_genome_notice(g));
        else
            cr_assert(strstr(bird_genome_notice(g), "does not fit"));
        check_two(g);
        bird_genome_free(g);
        cr_assert_eq(file_size(path_of("x.fa.fai")), size);
    }
}

/* Two contigs of one length exchanged behind the first ones: by the time. */
Test(genome, index_of_an_older_file_is_compared_in_full)
{
    struct bird_text t = {0};
    bird_genome *g = NULL;
    struct timespec old[2] = {{1000, 0}, {1000, 0}};
    char base = 0;

    for (int k = 0; k < 2; k++) {
        bird_text_clear(&t);
        for (int i = 0; i < 80; i++) {
            int j = k && (i == 70 || i == 71) ? 141 - i : i;

            WORKS(bird_text_printf(&t, ">s%03d\n%c\n", j, "ACGT"[j % 4]));
        }
        WORKS(bird_genome_open(&g, file_text("x.fa", t.s)));
        WORKS(bird_genome_fetch(g, bird_genome_find(g, "s070"), 0, 1, &base));
        cr_assert_eq(base, 'G'); /* 70 % 4 */
        bird_genome_free(g);
        cr_assert_eq(utimensat(AT_FDCWD, path_of("x.fa.fai"), old, 0), 0);
    }
    bird_text_free(&t);
}

Test(genome, index_with_a_right_table_is_used)
{
    const char *path = file_text("x.fa", two);
    bird_genome *g = NULL;

    file_text("x.fa.fai", "a\t12\t9\t5\t6\nempty\t0\t31\t0\t0\nb\t7\t34\t5\t6"
                          "\n");
    WORKS(bird_genome_open(&g, path));
    cr_assert_null(bird_genome_notice(g));
    check_two(g);
    bird_genome_free(g);
    cr_assert_not(exists(path_of("dnabird")));
}

Test(genome, damage_under_a_good_index_is_noticed_on_fetching)
{
    const char *path = file_text("x.fa", two);
    bird_genome *g = NULL;
    char got[16];
    FILE *f;

    WORKS(bird_genome_open(&g, path));
    bird_genome_free(g);
    f = fopen(path, "r+");
    cr_assert(f);
    cr_assert_eq(fseek(f, 11, SEEK_SET), 0);
    cr_assert_eq(fputc('\0', f), 0);
    fclose(f);
    WORKS(bird_genome_open(&g, path));
    FAILS(BIRD_EFORMAT, bird_genome_fetch(g, 0, 0, 12, got),
          "'a' cannot be read at 1-12");
    bird_genome_free(g);
}

/* A letter of amino acids, with and without an index; raw too. */
Test(genome, letters_that_are_no_nucleotide_codes)
{
    const char *fasta[] = {">a\nACGT\nACEQ\nu\n", ">a\nACG\nTACEQ\nu\n"};

    for (int i = 0; i < 2; i++) {
        bird_genome *g = NULL;
        char got[16];

        WORKS(bird_genome_open(&g, file_text(i ? "u.fa" : "e.fa", fasta[i])));
        WORKS(bird_genome_fetch(g, 0, 0, 6, got));
        FAILS(BIRD_EFORMAT, bird_genome_fetch(g, 0, 1, 9, got),
              "record 'a' holds 'E' at position 7");
        FAILS(BIRD_EFORMAT, bird_genome_fetch_raw(g, 0, 6, 9, got),
              "position 7");
        bird_genome_any_characters(g);
        WORKS(bird_genome_fetch(g, 0, 1, 9, got));
        cr_assert(!memcmp(got, "CGTACEQT", 8));
        bird_genome_free(g);
    }
}

static int open_fails(const char *path)
{
    bird_genome *g = NULL;
    int rc = bird_genome_open(&g, path);

    cr_assert_null(g);
    return rc;
}

Test(genome, what_cannot_be_opened)
{
    char *seq = letters_new(200000), *fasta = fasta_new("a", seq, 60);
    const char *path;

    FAILS(BIRD_EIO, open_fails(path_of("none.fa")), "none.fa");
    FAILS(BIRD_EIO, open_fails(folder), "folder");
    FAILS(BIRD_EFORMAT, open_fails(file_text("e.fa", "")), "e.fa");
    FAILS(BIRD_EFORMAT, open_fails(file_with("b.fa", "wu", "\1\2\3", 3)),
          "binary");
    FAILS(BIRD_EFORMAT, open_fails(file_text("d.fa", ">a\nA\n>b\nC\n>a\nG\n")),
          "two records are named 'a' (lines 1 and 5)");
    cr_assert_not(exists(path_of("d.fa.fai")));
    FAILS(BIRD_EFORMAT,
          open_fails(file_with("d.fa.gz", "wg", ">a\nA\n>a\nG\n", 10)), "'a'");
    for (int i = 0; i < 2; i++) {
        path =
            file_with("t.fa.gz", i ? "w" : "wg", fasta, (int64_t)strlen(fasta));
        cr_assert_eq(truncate(path, file_size(path) - 28), 0);
        FAILS(BIRD_EFORMAT, open_fails(path), "cut short");
        cr_assert_not(exists(path_of("t.fa.gz.fai")));
        cr_assert_not(exists(path_of("t.fa.gz.gzi")));
    }
    free(seq);
    free(fasta);
}

/* A bgzip file with the index of a longer or another one: htslib would seek
   behind a block's end, and end the process there. */
Test(genome, bgzip_that_is_not_what_its_index_says)
{
    char *seq = letters_new(300000), *fasta = fasta_new("a", seq, 60);
    char *path = strdup(path_of("t.fa.gz")), *plain, got[100];
    int64_t n = (int64_t)strlen(fasta), whole;
    bird_genome *g = NULL;

    file_with("t.fa.gz", "w", fasta, n);
    WORKS(bird_genome_open(&g, path));
    bird_genome_free(g);
    whole = file_size(path);
    for (int k = 1; k < 8; k++) {
        cr_assert_eq(truncate(path, whole * (8 - k) / 8), 0);
        FAILS(BIRD_EFORMAT, open_fails(path), "cut short");
    }
    /* whole, and with the blocks of another file: behind this one's end, and,
       the other way round, in it */
    plain = strdup(fasta);
    for (int64_t i = 3; i < n; i++)
        plain[i] = plain[i] == '\n' ? '\n' : 'A';
    for (int k = 0; k < 2; k++) {
        file_with("t.fa.gz", "w", k ? fasta : plain, n);
        WORKS(bird_genome_open(&g, path));
        WORKS(bird_genome_fetch(g, 0, 290000, 290100, got));
        for (int i = 0; i < 100; i++)
            cr_assert_eq(got[i], k ? seq[290000 + i] : 'A');
        bird_genome_free(g);
        unlink(path_of("t.fa.gz.fai"));
        unlink(path_of("t.fa.gz.gzi"));
        file_with("t.fa.gz", "w", plain, n);
        WORKS(bird_genome_open(&g, path));
        bird_genome_free(g);
    }
    free(plain);
    free(path);
    free(seq);
    free(fasta);
}

/* Long enough for several fetches and bgzip blocks. */
Test(genome, long_contigs)
{
    static const char *const modes[] = {"wu", "w", "wg"};
    int64_t n = 2500000;
    char *seq = letters_new(n), *fasta = fasta_new("a", seq, 61);
    char *got = malloc((size_t)n);

    cr_assert(got);
    for (int i = 0; i < 3; i++) {
        char name[16];
        bird_genome *g = NULL;

        snprintf(name, sizeof(name), "long%d.fa", i);
        WORKS(bird_genome_open(
            &g, file_with(name, modes[i], fasta, (int64_t)strlen(fasta))));
        memset(got, 0, (size_t)n);
        WORKS(bird_genome_fetch(g, 0, 0, n, got));
        cr_assert_eq(memcmp(got, seq, (size_t)n), 0);
        for (int64_t at = 0; at < n - 100; at += 99991) {
            WORKS(bird_genome_fetch(g, 0, at, at + 100, got));
            cr_assert_eq(memcmp(got, seq + at, 100), 0);
        }
        bird_genome_free(g);
    }
    free(seq);
    free(fasta);
    free(got);
}

Test(genome, another_name_is_a_customary_one_only)
{
    static const char *const texts[] = {">chr1\nAC\n>2\nAC\n>MT\nAC\n",
                                        ">1\nAC\n>chr2\nAC\n>chrM\nAC\n"};
    char text[400], longer[256];

    for (int k = 0; k < 2; k++) {
        bird_genome *g = NULL;

        WORKS(bird_genome_open(&g, file_text(k ? "b.fa" : "a.fa", texts[k])));
        cr_assert_eq(bird_genome_find_alias(g, "1"), 0);
        cr_assert_eq(bird_genome_find_alias(g, "chr1"), 0);
        cr_assert_eq(bird_genome_find_alias(g, "2"), 1);
        cr_assert_eq(bird_genome_find_alias(g, "chr2"), 1);
        cr_assert_eq(bird_genome_find_alias(g, "M"), 2);
        cr_assert_eq(bird_genome_find_alias(g, "chrM"), 2);
        cr_assert_eq(bird_genome_find_alias(g, "chrMT"), 2);
        cr_assert_eq(bird_genome_find_alias(g, "chrchr1"), -1);
        cr_assert_eq(bird_genome_find_alias(g, "chr"), -1);
        bird_genome_free(g);
    }
    /* a long name is not cut to one that is there */
    memset(longer, 'x', 254);
    longer[254] = '\0';
    snprintf(text, sizeof(text), ">chr%.200s\nAC\n", longer);
    {
        bird_genome *g = NULL;

        WORKS(bird_genome_open(&g, file_text("c.fa", text)));
        cr_assert_eq(bird_genome_find_alias(g, longer), -1);
        cr_assert_eq(bird_genome_find_alias(g, longer + 54), 0);
        bird_genome_free(g);
    }
}

/* ---- beyond 2^31 ---------------------------------------------------------- */

static char base_at(int64_t i)
{
    return "ACGT"[(i * 7 + i / 11 + i / 4096) % 4];
}

/* A contig of 2^31 + 1,000 bases, `line` a line, and a short one behind it.
 * The bases before `from` are a hole in the file: nobody reads them. 0 when
 * the file system has no room for such a file. */
static int write_big(const char *path, int64_t length, int64_t line,
                     int64_t from)
{
    int64_t ends = (length + line - 1) / line, next = 5 + length + ends;
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), fits;
    char text[200];
    FILE *f;

    cr_assert_geq(fd, 0);
    fits = !ftruncate(fd, next);
    for (int64_t i = from; fits && i < length; i++) {
        char base[2] = {base_at(i), '\n'};
        int end = i % line == line - 1 || i == length - 1;

        fits = pwrite(fd, base, (size_t)(1 + end), 5 + i + i / line) == 1 + end;
    }
    fits = fits && pwrite(fd, ">big\n", 5, 0) == 5 &&
           pwrite(fd, ">next\nACGTN\n", 12, next) == 12;
    cr_assert_eq(close(fd), 0);
    snprintf(text, sizeof(text),
             "big\t%lld\t5\t%lld\t%lld\nnext\t5\t%lld\t5\t6\n",
             (long long)length, (long long)line, (long long)line + 1,
             (long long)next + 6);
    f = fopen(path_of("big.fa.fai"), "w");
    cr_assert(f);
    fputs(text, f);
    fclose(f);
    return fits;
}

Test(genome, contigs_longer_than_2_31)
{
    const int64_t two_31 = (int64_t)1 << 31, length = two_31 + 1000;
    const int64_t lines[] = {1000, length};
    const char *path = path_of("big.fa");
    char got[900];

    for (int k = 0; k < 2; k++) {
        bird_genome *g = NULL;

        if (!write_big(path, length, lines[k], two_31 - 500))
            cr_skip_test("no file of 2 GiB with a hole can be made here");
        WORKS(bird_genome_open(&g, path));
        cr_assert_null(bird_genome_notice(g));
        cr_assert_eq(bird_genome_length(g, 0), length);
        for (int64_t i = two_31 - 500; i <= length - 900; i += 50) {
            WORKS(bird_genome_fetch(g, 0, i, i + 900, got));
            for (int64_t j = 0; j < 900; j++)
                cr_assert_eq(got[j], base_at(i + j), "%lld",
                             (long long)(i + j));
        }
        FAILS(BIRD_ERANGE, bird_genome_fetch(g, 0, length, length + 1, got),
              "outside");
        WORKS(bird_genome_fetch(g, 1, 0, 5, got));
        cr_assert_eq(memcmp(got, "ACGTN", 5), 0);
        bird_genome_free(g);
    }
}
