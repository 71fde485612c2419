/* Start sites out of BED, GTF and GFF3. SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "seq/annotation.h"

/* The sites as "chrom:base strand line;", or the refusal. */
static const char *read_as(const char *name, const char *text,
                           const bird_transcript_filter *filter)
{
    static char out[1024];
    struct bird_start_sites s;
    struct bird_bed_line x;
    size_t n = 0;
    int rc;

    *out = '\0';
    rc = bird_start_sites_open_memory(&s, name, text, (int64_t)strlen(text),
                                      filter);
    while (!rc && (rc = bird_start_sites_next(&s, &x)) > 0) {
        n += (size_t)snprintf(out + n, sizeof(out) - n, "%s:%lld%c%lld;",
                              x.contig, (long long)x.start, x.strand,
                              (long long)x.line);
        rc = 0;
    }
    bird_start_sites_close(&s);
    return rc ? bird_last_error() : out;
}

static const char *read(const char *text, const char *feature,
                        const char *attributes)
{
    const bird_transcript_filter f = {feature, attributes};

    return read_as("x", text, &f);
}

static const char gtf[] =
    "#!genome-build R64\n"
    "1\ts\tgene\t11\t90\t.\t+\t.\tgene_id \"a\"; biotype \"coding\";\n"
    "1\ts\ttranscript\t11\t90\t.\t+\t.\tgene_id \"a\"; "
    "transcript_type \"coding\"; tag \"CCDS\"; tag \"a; b\"; level 2;\n"
    "1\ts\texon\t11\t50\t.\t+\t.\tgene_id \"a\";\n"
    "2\ts\ttranscript\t21\t40\t.\t-\t.\ttranscript_type \"lncRNA\";\n"
    "2\ts\tmRNA\t1\t2\t.\t-\t.\t\n";

static const char gff3[] =
    "##gff-version 3\n"
    "chr%31\ts\tregion\t1\t900\t.\t.\t.\t.\n"
    "chr1\ts\tmRNA\t11\t90\t.\t+\t.\tID=t1;tag=CCDS,a%3B b;type=coding\n"
    "chr1\ts\texon\t11\t50\t.\t+\t.\tParent=t1\n"
    "chr%31\ts\ttranscript\t21\t40\t.\t-\t.\tID=t2;type=a%2Cb;\n"
    "###\n"
    "##FASTA\n>chr1\nACGT\n";

#define IS(got, want) cr_assert_str_eq(got, want)
#define SAYS(got, word)                                                        \
    do {                                                                       \
        const char *g = got;                                                   \
                                                                               \
        cr_assert(strstr(g, word), "'%s' lacks '%s'", g, word);                \
    } while (0)

Test(start_sites, transcripts_of_both_formats)
{
    IS(read(gtf, NULL, NULL), "1:10+3;2:39-5;");
    IS(read(gff3, NULL, NULL), "chr1:10+3;chr1:39-5;");
    IS(read_as("x.gff", gff3, NULL), "chr1:10+3;chr1:39-5;");
    IS(read("chr1\t10\t20\ta\t0\t+\nchr1\t10\t20\ta\t0\t-\n", NULL, NULL),
       "chr1:10+1;chr1:19-2;");
}

Test(start_sites, features_are_chosen_by_type)
{
    IS(read(gtf, "gene", NULL), "1:10+2;");
    IS(read(gtf, "exon,mRNA", NULL), "1:10+4;2:1-6;");
    IS(read(gff3, "transcript", NULL), "chr1:39-5;");
    SAYS(read(gtf, "CDS", NULL), "none of its 5 features is a CDS");
    SAYS(read(gtf, "CDS", NULL), "gene,transcript,exon,mRNA");
}

Test(start_sites, attributes_must_all_match)
{
    IS(read(gtf, NULL, "transcript_type=coding"), "1:10+3;");
    IS(read(gtf, NULL, "tag=CCDS"), "1:10+3;");
    IS(read(gtf, NULL, "tag=a; b\ntag=CCDS\nlevel=2"), "1:10+3;");
    SAYS(read(gtf, NULL, "tag=CCDS\ntranscript_type=lncRNA"), "none of its");
    SAYS(read(gtf, NULL, "tag=CCD"), "none of its");
    IS(read(gff3, NULL, "tag=a; b\ntag=CCDS"), "chr1:10+3;");
    IS(read(gff3, NULL, "type=a,b"), "chr1:39-5;");
    SAYS(read(gtf, NULL, "coding"), "is not KEY=VALUE");
    SAYS(read(gtf, NULL, "a=b\n=c"), "'=c' is not KEY=VALUE");
}

Test(start_sites, names_decide_where_lines_do_not)
{
    static const char bare[] = "c\ts\tmRNA\t1\t5\t.\t+\t.\t.\n";

    IS(read_as("x.gff3.gz", bare, NULL), "c:0+1;");
    SAYS(read_as("x.gtf.gz", bare, NULL), "is a transcript:");
    SAYS(read_as("x.gtf", "chr1\t10\t20\n", NULL), "3 columns where GTF");
    SAYS(read_as("x.bed", "chr1\t10\n", NULL), "2 columns where BED");
    /* a file that is misnamed is read by what is in it */
    IS(read_as("x.gtf", gff3, NULL), "chr1:10+3;chr1:39-5;");
    IS(read_as("x.bed", gtf, NULL), "1:10+3;2:39-5;");
}

#define LINE(columns) "#\nc\ts\ttranscript\t" columns "\n"

Test(start_sites, what_is_wrong_is_said_with_its_line)
{
    static const char *const wrong[][2] = {
        {LINE("0\t5\t.\t+\t.\tx \"y\";"), "'0', '5'"},
        {LINE("5\t4\t.\t+\t.\tx \"y\";"), "the end 4 lies before the start 5"},
        {LINE("1\t9223372036854775807\t.\t+\t.\tx \"y\";"), "whole numbers"},
        {LINE("1\t99999999999999999999\t.\t+\t.\tx \"y\";"), "whole numbers"},
        {LINE("1\t5\t.\t.\t.\tx \"y\";"), "+ or - in column 7"},
        {LINE("1\t5\t.\t?\t.\tx=y"), "+ or - in column 7"},
        {LINE("1\t5\t.\t+\t.\tx \"y"), "cannot read the attribute 'x'"},
        {LINE("1\t5\t.\t+\t.\tx \"y\"; z;"), "cannot read the attribute 'z"},
        {LINE("1\t5\t.\t+\t.\tx=y;z"), "cannot read the attribute 'z'"},
        {LINE("1\t5\t.\t+\t."), "8 columns where GTF and GFF3 have 9"},
        {"#\n\ts\tmRNA\t1\t5\t.\t+\t.\tx=1\n", "no sequence name"},
        {"#\nc\t1\t5\tx\t0\t.\n", "+ or - in column 6"},
    };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        SAYS(read_as("x", wrong[i][0], NULL), wrong[i][1]);
        SAYS(bird_last_error(), "x: line 2: ");
    }
}

/* Features whole as "chrom:start-end strand type id<parent name;", or the
 * refusal. */
static const char *read_whole(const char *text, const char *types)
{
    static char out[1024];
    const bird_transcript_filter f = {types, NULL};
    struct bird_annotated x = {0};
    struct bird_start_sites s;
    size_t n = 0;
    int rc;

    *out = '\0';
    rc = bird_start_sites_open_memory(&s, "x", text, (int64_t)strlen(text), &f);
    while (!rc && (rc = bird_annotated_next(&s, &x)) > 0) {
        n += (size_t)snprintf(
            out + n, sizeof(out) - n, "%s:%lld-%lld%c%s %s<%s %s;", x.at.contig,
            (long long)x.at.start, (long long)x.at.end, x.at.strand, x.type,
            x.id.s, x.parent.s, x.name.s);
        rc = 0;
    }
    bird_annotated_free(&x);
    bird_start_sites_close(&s);
    return rc ? bird_last_error() : out;
}

Test(start_sites, features_whole_with_their_names)
{
    cr_assert_str_eq(
        read_whole("1\ts\tgene\t11\t90\t.\t+\t.\tgene_id \"a\"; gene_name "
                   "\"A b\";\n"
                   "1\ts\texon\t11\t20\t.\t+\t.\tgene_id \"a\"; exon_id "
                   "\"e\";\n"
                   "1\ts\tCDS\t11\t20\t.\t+\t0\tgene_id \"a\";\n",
                   "gene,exon"),
        "1:10-90+gene a< A b;1:10-20+exon <a ;");
    cr_assert_str_eq(
        read_whole("##gff-version 3\n"
                   "c%31\ts\tgene\t1\t9\t.\t-\t.\tID=g%3B;Name=N\n"
                   "c1\ts\tmRNA\t1\t9\t.\t-\t.\tID=t;Parent=g%3B,other\n",
                   "gene,mRNA"),
        "c1:0-9-gene g;< N;c1:0-9-mRNA t<g; ;");
    cr_assert_str_eq(read_whole("c\t1\t9\tsite\t0\t-\nc\t3\t4\n", NULL),
                     "c:1-9- < site;c:3-4. < ;");
    cr_assert_str_eq(read_whole("c\t1\t9\nc\t9\t1\n", NULL),
                     "x: line 2: the end 1 is not after the start 9 (BED "
                     "counts from 0)");
    cr_assert_str_eq(read_whole(gtf, "tRNA"), ""); /* none is no mistake */
}
