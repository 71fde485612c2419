/*
 * VCF made from the bytes by a grammar: headers with fields of every type and
 * number, alleles that mostly fit the reference, and now and then a stray
 * character. What is checked, fuzz_vcf.c says. SPDX-License-Identifier: MIT
 */
#define LLVMFuzzerTestOneInput vcf_input
#include "fuzz_vcf.c"
#undef LLVMFuzzerTestOneInput
#undef MUST

#include "fuzz_shape.h"

static int n_sample;

static void put_number(struct shape *s, int n)
{
    char text[16];

    snprintf(text, sizeof(text), "%d", n);
    put(s, text);
}

/* An INFO or FORMAT line. */
static void describe(struct shape *s, const char *kind)
{
    put(s, "##");
    put(s, kind);
    put(s, "=<ID=");
    ONE_OF(s, "AC", "AF", "DB", "GT", "DP", "BIRD_X", "END", "SVLEN", "AD", "1",
           "BIRD_Y", "");
    put(s, ",Number=");
    ONE_OF(s, "1", "A", "R", "G", ".", "0", "2", "-1", "x");
    put(s, ",Type=");
    ONE_OF(s, "Integer", "Float", "Flag", "String", "Character", "Real");
    ONE_OF(s, ",Description=\"x\"", ",Description=\"a, \\\"b\\\" >\"", "",
           ",Description=\"x\",Source=\"y\",IDX=3");
    put(s, ">\n");
}

static void header(struct shape *s)
{
    ONE_OF(s, "##fileformat=VCFv4.2\n", "##fileformat=VCFv4.3\n",
           "##fileformat=VCFv4.1\n", "");
    for (int i = choose(&s->c, 8); i > 0; i--)
        switch (choose(&s->c, 5)) {
        case 0:
            ONE_OF(s, "##contig=<ID=c,length=48>\n", "##contig=<ID=chr2>\n",
                   "##contig=<ID=2,length=4,assembly=x>\n",
                   "##contig=<ID=c,length=9999999999>\n", "##contig=<ID=>\n");
            break;
        case 1:
            ONE_OF(s, "##FILTER=<ID=q10,Description=\"low\">\n",
                   "##ALT=<ID=DEL,Description=\"x\">\n", "##source=x\n",
                   "##x=<ID=1,ID=2>\n", "##=\n");
            break;
        case 2:
            describe(s, "FORMAT");
            break;
        default:
            describe(s, "INFO");
        }
    n_sample = choose(&s->c, 3);
    put(s, "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO");
    if (n_sample)
        put(s, "\tFORMAT");
    for (int i = 0; i < n_sample; i++)
        put(s, i ? "\tb" : "\ta");
    put(s, "\n");
}

static void put_bases(struct shape *s, int n)
{
    for (; n > 0; n--)
        ONE_OF(s, "A", "C", "G", "T", "N", "a", "t", "R");
}

/* Bases of the contig from there, as they are. */
static void put_reference(struct shape *s, int at, int n)
{
    for (int i = at; i < at + n; i++) {
        char c[2] = {i >= 0 && i < N_CONTIG ? contig[i] : 'A', '\0'};

        put(s, c);
    }
}

static void alleles(struct shape *s, int pos)
{
    int n = 1 + choose(&s->c, 6), fits = choose(&s->c, 6);

    if (fits)
        put_reference(s, pos - 1, n);
    else
        put_bases(s, n);
    put(s, "\t");
    for (int i = choose(&s->c, 3); i >= 0; i--) {
        int kind = choose(&s->c, 8);

        if (kind < 3)
            put_reference(s, pos - 1, 1);
        if (kind < 6)
            put_bases(s, choose(&s->c, 5) + (kind > 2));
        else
            ONE_OF(s, ".", "*", "<DEL>", "<*>", "]c:7]A", "A[chr2:1[", "<",
                   "<INS:ME:ALU>", ".A", "");
        put(s, i ? "," : "");
    }
}

static void info(struct shape *s)
{
    for (int i = choose(&s->c, 4); i > 0; i--) {
        ONE_OF(s, "AC", "AF", "DB", "DP", "BIRD_X", "END", "SVLEN", "AD",
               "undefined", "1");
        if (choose(&s->c, 4)) {
            put(s, "=");
            ONE_OF(s, "1", "0.5", ".", "1,2", "a", "", "-2147483648", "nan",
                   "1e39", "1,2,3,4,5", ".,.", "%3B");
        }
        put(s, i > 1 ? ";" : "");
    }
    if (choose(&s->c, 2))
        put(s, ";.");
}

static void record(struct shape *s)
{
    int pos = choose(&s->c, 56) - 2;

    ONE_OF(s, "c", "c", "c", "chr2", "2", "chrUn", "", "c:1");
    put(s, "\t");
    put_number(s, pos);
    put(s, choose(&s->c, 32) ? "" : "9999999999");
    put(s, "\t");
    ONE_OF(s, ".", "rs1", "a;b", "");
    put(s, "\t");
    alleles(s, pos);
    put(s, "\t");
    ONE_OF(s, ".", "50", "1e9", "x", "-inf");
    put(s, "\t");
    ONE_OF(s, ".", "PASS", "q10", "q10;unknown", "");
    put(s, "\t");
    info(s);
    if (n_sample) {
        put(s, "\t");
        ONE_OF(s, "GT", "GT:DP", "DP", "GT:AD:1", ".", "");
    }
    for (int i = n_sample - (choose(&s->c, 16) == 15); i > 0; i--) {
        put(s, "\t");
        ONE_OF(s, "0/1", "0|1:3", ".", "./.:1,2:x", "1", "0/9:a:b:c",
               "1|2|3:.");
    }
    ONE_OF(s, "\n", "\n", "\n", "\n", "\r\n", "\n\n", "\tx\n", "");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct shape s = {.c = {data, size}};
    int stray = choose(&s.c, 8) == 7 ? choose(&s.c, 256) : -1;
    int at = choose(&s.c, 256);

    header(&s);
    for (int i = 0; s.c.n && i < 64; i++)
        record(&s);
    if (stray >= 0 && s.out.n)
        s.out.s[at * 7 % s.out.n] = (char)stray;
    vcf_input((const uint8_t *)s.out.s, (size_t)s.out.n);
    bird_text_free(&s.out);
    return 0;
}
