/* fastx: every form a FASTA file may have, and every way it may be wrong. */
#include "seq_help.h"

#include <fcntl.h>

#include "base/text.h"
#include "seq/fastx.h"

TestSuite(fastx, .init = folder_new, .fini = folder_remove);

/* The stream as "name:letters;" with '|' where a record ends. */
static int gather(char *out, bird_fastx *r)
{
    bird_piece p;
    int rc;

    *out = '\0';
    while ((rc = bird_fastx_next(r, &p)) > 0) {
        out += strlen(out);
        if (!p.start)
            out += sprintf(out, "%lld %s:", (long long)p.contig, p.name);
        out += sprintf(out, "%.*s", (int)p.n, p.n ? p.seq : "");
        if (p.last)
            out += sprintf(out, "|");
    }
    return rc;
}

static void expect(const char *fasta, const char *want)
{
    for (int64_t piece = 1; piece < 12; piece++) {
        char got[4096];
        bird_fastx *r = NULL;

        WORKS(
            bird_fastx_open_memory(&r, "x", fasta, (int64_t)strlen(fasta), 0));
        bird_fastx_piece_max(r, piece);
        WORKS(gather(got, r));
        cr_assert_str_eq(got, want);
        bird_fastx_free(r);
    }
}

static void refuse(const char *fasta, int64_t n, const char *part)
{
    char got[4096];
    bird_fastx *r = NULL;
    bird_piece p;

    WORKS(bird_fastx_open_memory(&r, "bad.fa", fasta, n, 0));
    FAILS(BIRD_EFORMAT, gather(got, r), part);
    SAYS("bad.fa");
    FAILS(BIRD_EFORMAT, bird_fastx_next(r, &p), "earlier error");
    bird_fastx_free(r);
}

Test(fastx, records_and_names)
{
    expect(">a first\nACGT\nAC\n>b\tsecond one\nTT\n", "0 a:ACGTAC|1 b:TT|");
    expect("> a first\nACGT", "0 a:ACGT|");
    expect(">a\nAC\n>A\nGT\n", "0 a:AC|1 A:GT|");
    expect(">HLA:01>x\nAC\n", "0 HLA:01>x:AC|");
}

Test(fastx, empty_records_stay)
{
    expect(">a\n>b\n\n>c\nA\n>d", "0 a:|1 b:|2 c:A|3 d:|");
    expect(">a\n", "0 a:|");
}

Test(fastx, line_ends_and_blanks)
{
    expect(">a x\r\nAC\r\nGT\r\n\r\n>b\r\nGG\r\n", "0 a:ACGT|1 b:GG|");
    expect(">a x\rAC\rGT\r>b\rGG", "0 a:ACGT|1 b:GG|");
    expect("\n \n>a\n\nAC GT\n\t\nA\n\n\n>b\nC", "0 a:ACGTA|1 b:C|");
    expect("\xef\xbb\xbf>a\nAC\n", "0 a:AC|");
}

Test(fastx, letters_are_folded)
{
    expect(">a\nacgtuUnNrykmswbdhvxX-*.\n", "0 a:ACGTTTNNRYKMSWBDHVXX-*.|");
}

/* Letters of amino acids: refused with their place, but for tokenizers. */
Test(fastx, letters_that_are_no_nucleotide_codes)
{
    static const char others[] = "EFIJLOPQZefijlopqz";
    static const char protein[] =
        ">p\nMKLVINGKTLKGEITIEGAVSHH\n>q\nMSTNPKPQRK\n";
    char fasta[32], got[64];
    bird_fastx *r = NULL;

    for (const char *s = others; *s; s++) {
        int n = snprintf(fasta, sizeof(fasta), ">a\nAC\n>b\nAC\nG%cACGT\n", *s);

        refuse(fasta, n, "line 5: record 'b' holds '");
        refuse(fasta, n, "position 4");
        refuse(fasta, n, "N where");
    }
    refuse(protein, (int64_t)strlen(protein), "protein");
    WORKS(bird_fastx_open_memory(&r, "x", ">a\nACeQu\n", 9, BIRD_FASTX_ANY));
    WORKS(gather(got, r));
    cr_assert_str_eq(got, "0 a:ACEQT|");
    bird_fastx_free(r);
}

/* In a stream of any length, the first and last of many too. */
Test(fastx, names_come_once)
{
    struct bird_text t = {0};

    refuse(">a\nAC\n>b\nAC\n>a x\nGT\n", 21,
           "two records are named 'a' (lines 1 and 5)");
    refuse(">a\n>b\n>b", 8, "lines 2 and 3");
    refuse(">a\n>b\n>b\n", 9, "lines 2 and 3");
    refuse(">a\rACGT\r>a\rGT\r", 15, "two records are named 'a'");
    for (int i = 0; i < 300; i++)
        WORKS(bird_text_printf(&t, ">c%d\nA\n", i));
    WORKS(bird_text_printf(&t, ">c150\nA\n"));
    refuse(t.s, t.n, "two records are named 'c150' (lines 301 and 601)");
    bird_text_free(&t);
}

Test(fastx, mask_and_raw)
{
    const char *s = ">a\nACgtuN\n";
    bird_fastx *r = NULL;
    bird_piece p;

    WORKS(bird_fastx_open_memory(&r, "x", s, (int64_t)strlen(s),
                                 BIRD_FASTX_MASK));
    cr_assert_eq(bird_fastx_next(r, &p), 1);
    cr_assert_eq(p.n, 6);
    cr_assert_eq(memcmp(p.seq, "ACGTTN", 6), 0);
    cr_assert_eq(memcmp(p.mask, "\0\0\1\1\1\0", 6), 0);
    bird_fastx_free(r);
    WORKS(
        bird_fastx_open_memory(&r, "x", s, (int64_t)strlen(s), BIRD_FASTX_RAW));
    cr_assert_eq(bird_fastx_next(r, &p), 1);
    cr_assert_eq(memcmp(p.seq, "ACgtuN", 6), 0);
    cr_assert_null(p.mask);
    bird_fastx_free(r);
}

Test(fastx, refusals_name_file_line_and_record)
{
    refuse("ACGT\n>a\nAC\n", 11, "line 1: not FASTA: sequence");
    refuse("\n\nACGT\n", 7, "line 3");
    refuse("@r\nACGT\n+\nIIII\n", 15, "FASTQ");
    refuse("\x7f"
           "ELF\x02",
           5, "binary");
    refuse(">a\nAC\n>b\nA\0C\n", 13, "line 4: record 'b' holds byte 0x00");
    refuse(">a\nAC;GT\n", 9, "holds ';'");
    refuse(">a\nAC>GT\n", 9, "holds '>'");
    refuse(">a\nA\n>\nAC\n", 10, "line 3: record 2 has no name");
    refuse(">a\nA\n>  ", 8, "no name");
    refuse(">a\x01z\nA\n", 7, "control byte");
    refuse("", 0, "empty");
    refuse("\n \n", 3, "nothing but blanks");
}

Test(fastx, name_length_is_bounded)
{
    char s[6000];

    memset(s, 'x', sizeof(s));
    s[0] = '>';
    refuse(s, sizeof(s), "4096");
}

Test(fastx, missing_and_folder)
{
    bird_fastx *r = NULL;

    FAILS(BIRD_EIO, bird_fastx_open(&r, path_of("none.fa"), 0), "none.fa");
    FAILS(BIRD_EIO, bird_fastx_open(&r, folder, 0), "folder");
    cr_assert_null(r);
}

/* Contigs of several pieces in one line each, from all three forms. */
Test(fastx, long_lines_come_in_bounded_pieces)
{
    static const char *const modes[] = {"wu", "wg", "w"};
    int64_t n = 5 * BIRD_PIECE_MAX / 2;
    char *seq = letters_new(n), *fasta = fasta_new("long one", seq, n);

    for (int i = 0; i < 3; i++) {
        const char *path =
            file_with("long.fa", modes[i], fasta, (int64_t)strlen(fasta));
        bird_fastx *r = NULL;
        bird_piece p;
        int64_t at = 0, done, total;
        int rc;

        WORKS(bird_fastx_open(&r, path, 0));
        while ((rc = bird_fastx_next(r, &p)) > 0) {
            cr_assert_leq(p.n, BIRD_PIECE_MAX);
            cr_assert_eq(p.start, at);
            cr_assert_eq(memcmp(p.seq, seq + at, (size_t)p.n), 0);
            at += p.n;
            cr_assert_eq(p.last, at == n);
        }
        WORKS(rc);
        cr_assert_eq(at, n);
        bird_fastx_progress(r, &done, &total);
        cr_assert_eq(done, total);
        cr_assert_eq(total, file_size(path));
        bird_fastx_free(r);
    }
    free(seq);
    free(fasta);
}

/* A compressed file cut anywhere at all must be refused. */
Test(fastx, any_cut_of_a_compressed_file_is_noticed)
{
    static const char *const modes[] = {"wg", "w"};
    char *seq = letters_new(150000), *fasta = fasta_new("a", seq, 60);

    for (int i = 0; i < 2; i++) {
        const char *path =
            file_with("cut.fa.gz", modes[i], fasta, (int64_t)strlen(fasta));
        int64_t n = file_size(path), step = 1;
        char *bytes = malloc((size_t)n), *got = malloc(400000);
        FILE *f = fopen(path, "rb");

        cr_assert(f && bytes && got);
        cr_assert_eq(fread(bytes, 1, (size_t)n, f), (size_t)n);
        fclose(f);
        for (int64_t keep = n - 1; keep > 0; keep -= step) {
            bird_fastx *r = NULL;

            WORKS(bird_fastx_open_memory(&r, "cut", bytes, keep, 0));
            cr_assert_eq(gather(got, r), BIRD_EFORMAT, "%lld of %lld",
                         (long long)keep, (long long)n);
            bird_fastx_free(r);
            /* every length near the two ends, some in between */
            step = keep > n - 60 || keep < 40 ? 1 : 997;
        }
        free(bytes);
        free(got);
    }
    free(seq);
    free(fasta);
}

Test(fastx, cut_file_and_damaged_file_say_so)
{
    char *seq = letters_new(200000), *fasta = fasta_new("a", seq, 60), got[64];
    const char *path = file_with("x.fa.gz", "w", fasta, (int64_t)strlen(fasta));
    bird_fastx *r = NULL;
    bird_piece p;
    int rc;

    (void)got;
    cr_assert_eq(truncate(path, file_size(path) - 28), 0);
    WORKS(bird_fastx_open(&r, path, 0));
    while ((rc = bird_fastx_next(r, &p)) > 0)
        ;
    FAILS(BIRD_EFORMAT, rc, "closing block");
    SAYS("x.fa.gz");
    SAYS("record 'a'");
    bird_fastx_free(r);
    free(seq);
    free(fasta);
}

Test(fastx, standard_input)
{
    const char *path = file_text("in.fa", ">a\nACGT\n>b\nTT\n");
    char got[64];
    bird_fastx *r = NULL;
    int fd = open(path, O_RDONLY), old = dup(0);

    cr_assert_eq(dup2(fd, 0), 0);
    WORKS(bird_fastx_open(&r, "-", 0));
    WORKS(gather(got, r));
    cr_assert_str_eq(got, "0 a:ACGT|1 b:TT|");
    bird_fastx_free(r);
    dup2(old, 0);
    close(old);
    close(fd);
}

/* The end-of-file check must not depend on being able to seek. */
Test(fastx, cut_bgzip_through_a_pipe)
{
    const char *path = file_with("p.fa.gz", "w", ">a\nACGT\n", 8);
    char got[64], command[400];
    bird_fastx *r = NULL;
    FILE *f;
    int old = dup(0);

    cr_assert_eq(truncate(path, file_size(path) - 28), 0);
    snprintf(command, sizeof(command), "cat %s", path);
    f = popen(command, "r");
    cr_assert(f);
    cr_assert_eq(dup2(fileno(f), 0), 0);
    WORKS(bird_fastx_open(&r, "-", 0));
    FAILS(BIRD_EFORMAT, gather(got, r), "standard input");
    bird_fastx_free(r);
    pclose(f);
    dup2(old, 0);
    close(old);
}

Test(fastx, a_negative_size_is_refused)
{
    bird_fastx *r = NULL;

    FAILS(BIRD_EINVAL, bird_fastx_open_memory(&r, "x", ">a\nA\n", -1, 0),
          "x: -1 bytes");
    cr_assert_null(r);
}

static void layout_of(const char *fasta, struct bird_fai_layout *out)
{
    bird_fastx *r = NULL;
    bird_piece p;

    WORKS(bird_fastx_open_memory(&r, "x", fasta, (int64_t)strlen(fasta), 0));
    do
        cr_assert_eq(bird_fastx_next(r, &p), 1);
    while (!p.last);
    bird_fastx_layout(r, out);
    bird_fastx_free(r);
}

Test(fastx, layout_is_what_an_index_needs)
{
    static const char *const uneven[] = {
        ">a\nAC\nACG\n", ">a\nAC\nA\nAC\n",    ">a\nAC\n\nAC\n", ">a\nA C\n",
        ">a\n AC\nAC\n", ">a\nAC\r\nAC\nAC\n", ">a\nAC\rAC\n"};
    struct bird_fai_layout l;

    layout_of(">a x\nACGT\nACGT\nA\n", &l);
    cr_assert_eq(l.length, 9);
    cr_assert_eq(l.offset, 5);
    cr_assert_eq(l.line_bases, 4);
    cr_assert_eq(l.line_bytes, 5);
    cr_assert_not(l.uneven);
    layout_of(">a\r\nACGT\r\nAC\r\n\r\n>b\r\nA", &l);
    cr_assert_eq(l.offset, 4);
    cr_assert_eq(l.line_bytes, 6);
    cr_assert_not(l.uneven);
    layout_of(">a\nACGT", &l);
    cr_assert_eq(l.line_bytes, 5);
    for (size_t i = 0; i < sizeof(uneven) / sizeof(*uneven); i++) {
        layout_of(uneven[i], &l);
        cr_assert(l.uneven, "%s", uneven[i]);
    }
}
