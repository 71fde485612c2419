/*
 * Any bytes as VCF or BCF, plain, gzip or bgzip: records must be what the
 * header says, an allele that fits the reference must have a normal form with
 * the same haplotype, and what is read must be writable as VCF and, where BCF
 * can hold it, as BCF; a refusal must name the file.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "seq/alphabet.h"
#include "seq/contigs.h"
#include "seq/vcf_in.h"
#include "track/writer.h"
#include "variant/allele.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(x)                                                                \
    do {                                                                       \
        if (!(x))                                                              \
            abort();                                                           \
    } while (0)

/* Repeats, so that there is something to move to the left; N and IUPAC. */
static const char contig[] = "ACACACACTTTTTGGACGACGACGNNRYACGTTTTGACATGCATGCAT";
enum { N_CONTIG = sizeof(contig) - 1 };

static bird_genome *genome;
static char folder[] = "/tmp/fuzz_vcf.XXXXXX";

static void remove_genome(void)
{
    static const char *const name[] = {"g.fa", "g.fa.fai"};
    char path[64];

    bird_genome_free(genome);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, name[i]);
        unlink(path);
    }
    rmdir(folder);
}

static void make_genome(void)
{
    char path[64];
    FILE *f;

    MUST(mkdtemp(folder));
    atexit(remove_genome);
    snprintf(path, sizeof(path), "%s/g.fa", folder);
    f = fopen(path, "w");
    MUST(f && fprintf(f, ">c\n%s\n>chr2\nACGT\n", contig) > 0 && !fclose(f));
    MUST(!bird_genome_open(&genome, path));
}

/* The contig with `from` .. `to` replaced, in upper case. */
static void put_haplotype(struct bird_text *t, int64_t from, int64_t to,
                          const char *alt, int64_t n)
{
    bird_text_clear(t);
    MUST(!bird_text_put(t, contig, from));
    MUST(!bird_text_put(t, alt, n));
    MUST(!bird_text_put(t, contig + to, N_CONTIG - to));
    for (int64_t i = 0; i < t->n; i++)
        t->s[i] = (char)bird_letter_fold[(unsigned char)t->s[i]];
}

static void check_normal(const struct bird_vcf_record *r, const char *alt)
{
    struct bird_contig_cache s = {0};
    struct bird_change c = {.start = r->pos};
    struct bird_text a = {0}, b = {0};
    int64_t n = (int64_t)strlen(r->ref);
    int rc = bird_change_normal(&c, &s, genome, r->ref, alt);

    MUST(rc >= 0);
    put_haplotype(&a, r->pos, r->pos + n, alt, (int64_t)strlen(alt));
    if (rc) {
        MUST(c.start >= 0 && c.start <= c.end && c.end <= N_CONTIG);
        put_haplotype(&b, c.start, c.end, c.alt.s, c.alt.n);
    } else {
        put_haplotype(&b, 0, 0, "", 0);
    }
    MUST(a.n == b.n && !memcmp(a.s, b.s, (size_t)a.n));
    bird_text_free(&a);
    bird_text_free(&b);
    bird_change_free(&c);
    bird_contig_cache_free(&s);
}

static void check_alleles(struct bird_contig_map *m,
                          const struct bird_vcf_record *r)
{
    int64_t n = (int64_t)strlen(r->ref), at;

    MUST(!bird_contig_map_find(m, &at, r->contig) && at >= -1 && at < 2);
    for (int64_t i = 0; i < r->n_alt; i++)
        MUST(bird_variant_status_name((int)bird_allele_kind(r->alt[i])));
    if (at || r->pos < 0 || n > N_CONTIG || r->pos > N_CONTIG - n ||
        bird_allele_check(r->ref, contig + r->pos) != BIRD_VARIANT_OK)
        return;
    for (int64_t i = 0; i < r->n_alt; i++)
        if (bird_allele_kind(r->alt[i]) == BIRD_VARIANT_OK)
            check_normal(r, r->alt[i]);
}

/* A number an allele, the flag of a record without. */
static int write_record(bird_track *t, struct bird_vcf_record *r,
                        struct bird_cell *cell)
{
    for (int64_t i = 0; i <= r->n_alt; i++) {
        cell[2 * i] = (struct bird_cell){.real = i & 1 ? (double)NAN : 0.5};
        cell[2 * i + 1] = (struct bird_cell){.integer = !r->n_alt};
    }
    return bird_track_put_record(t, r, r->n_alt, NULL, cell);
}

/* Read all records and write them. */
static int pass(struct bird_vcf *v, int bcf, int drop)
{
    static const struct bird_column column[] = {
        {.type = BIRD_CELL_REAL, .id = "X", .about = "a number"},
        {.type = BIRD_CELL_FLAG, .id = "Y", .about = "a flag"}};
    const bird_track_options o = {.path = "/dev/null"};
    const struct bird_track_extra x = {.column = column,
                                       .n_column = 2,
                                       .vcf = v,
                                       .prefix = "BIRD",
                                       .drop_genotypes = drop};
    struct bird_vcf_record r = {0};
    struct bird_contig_map *m = NULL;
    bird_track *t = NULL;
    struct bird_cell *cell = NULL;
    int64_t number = 0;
    int rc;

    MUST(!bird_contig_map_new(&m, genome, NULL));
    rc = bird_track_begin(&t, bcf ? &bird_format_bcf_plain : &bird_format_vcf,
                          &o, &x);
    while (!rc && (rc = bird_vcf_next(v, &r)) > 0) {
        MUST(r.number == ++number && r.pos >= -1 && r.n_alt >= 0);
        MUST(r.contig && *r.contig && r.id && r.ref && *r.ref);
        check_alleles(m, &r);
        cell = realloc(cell, (size_t)(r.n_alt + 1) * 2 * sizeof(*cell));
        MUST(cell);
        rc = write_record(t, &r, cell);
    }
    bird_track_free(t);
    bird_contig_map_free(m);
    bird_vcf_record_free(&r);
    free(cell);
    return rc;
}

/* Which way it is written, the input's length says: one way a run. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bird_vcf *v = NULL;
    int rc;

    if (!genome)
        make_genome();
    rc = bird_vcf_open_memory(&v, "x.vcf", data, (int64_t)size);
    if (!rc)
        rc = pass(v, size & 1, size >> 1 & 1);
    /* htslib asks for as much memory as a record says that it has */
    if (rc && rc != BIRD_ENOMEM)
        MUST(strstr(bird_last_error(), "x.vcf") ||
             strstr(bird_last_error(), "/dev/null"));
    bird_vcf_free(v);
    return 0;
}
