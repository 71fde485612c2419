/*
 * VCF and BCF through htslib: records one after the other.
 *
 * Of VCF text only the first eight columns are looked at and the line is kept
 * unchanged, so that what a program does not know passes through as bytes.
 * SPDX-License-Identifier: MIT
 */
#include "seq/vcf_in.h"

#include <errno.h>
#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/kseq.h>
#include <htslib/kstring.h>
#include <htslib/vcf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/rng.h"
#include "seq/contigs.h"
#include "seq/input.h"
#include "seq/intervals.h"
#include "seq/vcf_index.h"

enum { N_COLUMN = 8, LINE_MAX_BYTES = 1 << 30 };

struct bird_vcf {
    htsFile *fp;
    bcf_hdr_t *header;
    char *name;
    int64_t n_record, size;
    int is_bcf, is_file;
    int64_t n_tab; /* of every line, by the header's samples */
    kstring_t line;
    struct bird_vcf_index *index; /* only records of some intervals; or NULL */
};

void bird_vcf_record_free(struct bird_vcf_record *r)
{
    bird_text_free(&r->line);
    bird_text_free(&r->cut);
    if (r->hts)
        bcf_destroy(r->hts);
    free(r->alt);
    *r = (struct bird_vcf_record){0};
}

static int fail_file(const struct bird_vcf *v, const char *what)
{
    return bird_fail(BIRD_EFORMAT, "%s: %s", v->name, what);
}

static int fail_record(const struct bird_vcf *v, const char *what)
{
    char span[512];

    if (v->index) {
        bird_vcf_index_span(v->index, span, sizeof(span));
        return bird_fail(BIRD_EFORMAT, "%s: a record at or before %s: %s",
                         v->name, span, what);
    }
    if (v->is_bcf)
        return bird_fail(BIRD_EFORMAT, "%s: record %lld: %s", v->name,
                         (long long)v->n_record, what);
    return bird_fail(BIRD_EFORMAT, "%s: record %lld (line %lld): %s", v->name,
                     (long long)v->n_record, (long long)v->fp->lineno, what);
}

static int read_header(struct bird_vcf *v)
{
    enum htsExactFormat f = hts_get_format(v->fp)->format;

    if (f != vcf && f != bcf)
        return fail_file(v, "neither VCF nor BCF, or cut short: its first line "
                            "is not ##fileformat=VCFv4.x");
    v->is_bcf = f == bcf;
    errno = 0;
    v->header = bcf_hdr_read(v->fp);
    /* htslib passes over a line that there is no memory for */
    if (errno == ENOMEM)
        return bird_fail_in(bird_fail_memory(0), "%s", v->name);
    if (!v->header)
        return fail_file(v, "the header cannot be read: a line of it is "
                            "malformed, #CHROM is missing, or the file is cut "
                            "short");
    /* The file begins with ##fileformat. If htslib ran out of memory while it
     * read this line, it adds the line again after others. */
    if (!v->is_bcf && (!v->header->nhrec ||
                       strcmp(v->header->hrec[0]->key, "fileformat") != 0))
        return bird_fail_in(bird_fail_memory(0), "%s", v->name);
    v->n_tab = bcf_hdr_nsamples(v->header);
    v->n_tab = v->n_tab ? N_COLUMN + v->n_tab : N_COLUMN - 1;
    return 0;
}

/* Takes the file over, whatever happens. */
static int attach(struct bird_vcf **out, const struct bird_source_file *o)
{
    struct bird_vcf *v = calloc(1, sizeof(*v));
    int rc;

    if (!v || !(v->name = strdup(o->name))) {
        hclose_abruptly(o->file);
        free(v);
        return bird_fail_memory(sizeof(*v));
    }
    v->size = o->size;
    v->is_file = o->is_file;
    errno = 0;
    v->fp = hts_hopen(o->file, o->name, "r");
    if (!v->fp) {
        rc = errno && errno != ENOEXEC
                 ? bird_fail(BIRD_EIO, "%s: %s", o->name, strerror(errno))
                 : fail_file(v, "neither VCF nor BCF");
        hclose_abruptly(o->file);
    } else {
        rc = read_header(v);
    }
    if (rc)
        bird_vcf_free(v);
    else
        *out = v;
    return rc;
}

int bird_vcf_open(struct bird_vcf **out, const char *path)
{
    struct bird_source_file o;
    int rc = bird_hfile_open(&o, path);

    return rc ? rc : attach(out, &o);
}

int bird_vcf_open_memory(struct bird_vcf **out, const char *name,
                         const void *data, int64_t n)
{
    struct bird_source_file o;
    int rc = bird_hfile_open_memory(&o, name, data, n);

    return rc ? rc : attach(out, &o);
}

void bird_vcf_free(struct bird_vcf *v)
{
    if (!v)
        return;
    bird_vcf_index_free(v->index); /* it borrows names of the header */
    if (v->header)
        bcf_hdr_destroy(v->header);
    if (v->fp && hts_close(v->fp))
        errno = 0; /* only read: nothing is lost */
    free(v->line.s);
    free(v->name);
    free(v);
}

/* What decompresses; NULL: plain text. */
static BGZF *bgzf_of(const struct bird_vcf *v)
{
    return v->fp->is_bgzf ? v->fp->fp.bgzf : NULL;
}

/* A bgzip file ends with an empty block; without it, a cut at the border of
 * two blocks would pass for a whole file. */
static int at_end(const struct bird_vcf *v)
{
    BGZF *b = bgzf_of(v);

    if (b && bgzf_compression(b) == 2 && b->no_eof_block)
        return fail_file(v, "the file is cut short (the closing block of "
                            "bgzip is missing): fetch or write it again");
    return 0;
}

static int fail_read(const struct bird_vcf *v)
{
    BGZF *b = bgzf_of(v);
    char span[512];

    if (v->index) {
        bird_vcf_index_span(v->index, span, sizeof(span));
        return bird_fail(BIRD_EFORMAT,
                         "%s: damaged at %s, or its index is another file's: "
                         "index it again (bcftools index -f), or fetch the "
                         "file again",
                         v->name, span);
    }
    if (b && b->errcode && bgzf_compression(b))
        return bird_fail(BIRD_EFORMAT,
                         "%s: after record %lld: the compressed data are "
                         "damaged or cut short: fetch or write the file again",
                         v->name, (long long)v->n_record);
    return bird_fail(BIRD_EFORMAT,
                     "%s: after record %lld: damaged or cut short: fetch or "
                     "write the file again",
                     v->name, (long long)v->n_record);
}

/* Room for n alternative alleles. */
static int reserve_alt(struct bird_vcf_record *r, int64_t n)
{
    return bird_array_grow(&r->alt, &r->cap_alt, n, sizeof(*r->alt));
}

static int parse_pos(int64_t *out, const char *s)
{
    int64_t v = 0;
    int i;

    for (i = 0; s[i] >= '0' && s[i] <= '9' && i < 18; i++)
        v = 10 * v + (s[i] - '0');
    if (!i || s[i])
        return 0;
    *out = v - 1;
    return 1;
}

/* The end of a line's record: INFO/END if that lies after POS, else the last base
 * of REF. The indices of tabix and bcftools use the same rule. */
static int64_t end_of_line(const struct bird_vcf_record *r)
{
    const char *s = r->line.s + r->info, *end = s + r->info_n;
    int64_t v = 0;

    while (s && end - s >= 4 && memcmp(s, "END=", 4) != 0) {
        s = memchr(s, ';', (size_t)(end - s));
        s += s != NULL;
    }
    if (s && end - s >= 4)
        v = strtoll(s + 4, NULL, 10);
    return v > r->pos ? v : r->pos + (int64_t)strlen(r->ref);
}

/* Divide ALT at its commas. */
static int split_alt(struct bird_vcf_record *r, char *alt)
{
    int64_t n = 1;
    int rc;

    r->n_alt = 0;
    if (!strcmp(alt, "."))
        return 0;
    for (const char *s = alt; *s; s++)
        n += *s == ',';
    if ((rc = reserve_alt(r, n)))
        return rc;
    for (char *s = alt; s;)
        r->alt[r->n_alt++] = strsep(&s, ",");
    return 0;
}

static int cut_line(struct bird_vcf *v, struct bird_vcf_record *r)
{
    int64_t at[N_COLUMN + 1] = {0}, n = 0;
    char *s;
    int rc;

    for (int64_t i = 0; i < r->line.n; i++) {
        if (r->line.s[i] == '\0')
            return fail_record(v, "holds a NUL byte: not text");
        if (r->line.s[i] == '\t' && ++n <= N_COLUMN)
            at[n] = i + 1;
    }
    if (n < N_COLUMN - 1)
        return fail_record(v, "has fewer than 8 columns: cut short, or not "
                              "divided by tabs");
    if (n != v->n_tab)
        return fail_record(v, "has another number of columns than the header");
    if (n == N_COLUMN - 1)
        at[N_COLUMN] = r->line.n + 1;
    r->info = at[N_COLUMN - 1];
    r->info_n = at[N_COLUMN] - 1 - r->info;
    bird_text_clear(&r->cut);
    if ((rc = bird_text_put(&r->cut, r->line.s, at[5])))
        return rc;
    s = r->cut.s;
    for (int i = 1; i <= 5; i++)
        s[at[i] - 1] = '\0';
    r->contig = s;
    r->id = s + at[2];
    r->ref = s + at[3];
    if (!*r->contig)
        return fail_record(v, "has no contig name");
    if (!parse_pos(&r->pos, s + at[1]))
        return fail_record(v, "POS is not a whole number from 0");
    if (!*r->ref)
        return fail_record(v, "has no REF");
    r->end = end_of_line(r);
    return split_alt(r, s + at[4]);
}

/* Bytes of plain text before the next line; -1 of compressed text, whose end
 * is known by other means. */
static int64_t plain_at(const struct bird_vcf *v)
{
    return bgzf_of(v) ? -1 : (int64_t)htell(v->fp->fp.hfile);
}

static int next_line(struct bird_vcf *v, struct bird_vcf_record *r)
{
    int64_t from;
    int got, rc;

    do {
        from = plain_at(v);
        got = hts_getline(v->fp, KS_SEP_LINE, &v->line);
        /* hts_getline() also returns the line cut by damaged data */
        if (got < -1 || (bgzf_of(v) && bgzf_of(v)->errcode))
            return fail_read(v);
        if (got == -1)
            return at_end(v);
    } while (v->line.l == 0); /* blank lines say nothing */
    v->n_record++;
    r->number = v->index ? 0 : v->n_record;
    if (from >= 0 && plain_at(v) - from == (int64_t)v->line.l)
        return fail_record(v, "the file is cut short: its last line has no "
                              "end; fetch or write it again (if it is whole, "
                              "add the line end)");
    if (v->line.l > LINE_MAX_BYTES)
        return fail_record(v, "is over 1 GiB");
    if (v->line.s[0] == '#')
        return fail_record(v, "a header line is among the records: join "
                              "files with bcftools concat");
    bird_text_clear(&r->line);
    rc = bird_text_put(&r->line, v->line.s, (int64_t)v->line.l);
    if (!rc)
        rc = cut_line(v, r);
    return rc ? rc : 1;
}

static int next_bcf(struct bird_vcf *v, struct bird_vcf_record *r)
{
    bcf1_t *b;
    int got, rc;

    if (!r->hts && !(r->hts = bcf_init()))
        return bird_fail_memory(sizeof(*b));
    b = r->hts;
    got = bcf_read(v->fp, v->header, b);
    if (got == -1)
        return at_end(v);
    if (got < -1)
        return fail_read(v);
    v->n_record++;
    r->number = v->index ? 0 : v->n_record;
    if (b->errcode || bcf_unpack(b, BCF_UN_STR) < 0 || b->rid < 0 ||
        b->rid >= v->header->n[BCF_DT_CTG])
        return fail_record(v, "is malformed");
    r->contig = bcf_hdr_id2name(v->header, b->rid);
    if (!r->contig)
        return fail_record(v, "is malformed: its contig has no name");
    r->pos = b->pos;
    r->id = b->d.id;
    r->n_alt = b->n_allele > 1 ? b->n_allele - 1 : 0;
    r->ref = b->n_allele ? b->d.allele[0] : ".";
    r->end = r->pos + (b->rlen > 0 ? b->rlen : (int64_t)strlen(r->ref));
    if ((rc = reserve_alt(r, r->n_alt)))
        return rc;
    for (int64_t i = 0; i < r->n_alt; i++)
        r->alt[i] = b->d.allele[i + 1];
    return 1;
}

static int next_indexed(struct bird_vcf *v, struct bird_vcf_record *r)
{
    int got, takes = 0;

    do {
        if ((got = bird_vcf_index_seek(v->index, bgzf_of(v))) <= 0)
            return got;
        got = v->is_bcf ? next_bcf(v, r) : next_line(v, r);
        if (!got)
            bird_vcf_index_end(v->index);
        else if (got > 0)
            takes = bird_vcf_index_takes(v->index, r->contig, r->pos, r->end);
    } while (got >= 0 && !takes);
    return got < 0 ? got : takes;
}

int bird_vcf_next(struct bird_vcf *v, struct bird_vcf_record *r)
{
    if (v->index)
        return next_indexed(v, r);
    return v->is_bcf ? next_bcf(v, r) : next_line(v, r);
}

int bird_vcf_limit(struct bird_vcf *v, struct bird_text *why,
                   const struct bird_intervals *in, struct bird_contig_map *map)
{
    BGZF *b = bgzf_of(v);
    int rc;

    if (!v->is_file || v->n_record || !b || bgzf_compression(b) != 2)
        return 0;
    rc = bird_vcf_index_open(&v->index, why, v->name,
                             v->is_bcf ? v->header : NULL);
    if (rc <= 0)
        return rc;
    if (!bgzf_check_EOF(b)) {
        b->no_eof_block = 1;
        return at_end(v);
    }
    rc = bird_vcf_index_limit(v->index, in, map);
    return rc ? rc : 1;
}

int bird_vcf_is_limited(const struct bird_vcf *v)
{
    return v->index != NULL;
}

const char *bird_vcf_indexed_contig(const struct bird_vcf *v, int64_t i)
{
    return v->index ? bird_vcf_index_contig(v->index, i) : NULL;
}

const char *bird_vcf_where(char out[BIRD_VCF_WHERE],
                           const struct bird_vcf_record *r)
{
    char number[32] = "";

    if (r->number)
        snprintf(number, sizeof(number), " %lld", (long long)r->number);
    snprintf(out, BIRD_VCF_WHERE, "record%s at %.400s:%lld", number, r->contig,
             (long long)r->pos + 1);
    return out;
}

uint64_t bird_vcf_mix(uint64_t a, const struct bird_vcf *v,
                      const struct bird_vcf_record *r)
{
    const bcf1_t *b = r->hts;

    if (!v->is_bcf)
        return bird_mix_bytes(a, r->line.s, r->line.n);
    /* what htslib takes out of the record's first bytes, and the rest */
    a = bird_mix(a, (uint64_t)b->rid);
    a = bird_mix(a, (uint64_t)b->pos);
    a = bird_mix(a, (uint64_t)b->rlen);
    a = bird_mix_bytes(a, &b->qual, (int64_t)sizeof(b->qual));
    a = bird_mix(a, (uint64_t)b->n_allele << 32 | b->n_info);
    a = bird_mix(a, (uint64_t)b->n_fmt << 32 | b->n_sample);
    a = bird_mix_bytes(a, b->shared.s, (int64_t)b->shared.l);
    return bird_mix_bytes(a, b->indiv.s, (int64_t)b->indiv.l);
}

int bird_vcf_header_text(struct bird_text *out, const struct bird_vcf *v)
{
    kstring_t s = {0};
    int rc = bcf_hdr_format(v->header, 0, &s) ? bird_fail_memory(0) : 0;

    bird_text_clear(out);
    if (!rc)
        rc = bird_text_put(out, s.s, (int64_t)s.l);
    free(s.s);
    return rc;
}

const char *bird_vcf_name(const struct bird_vcf *v)
{
    return v->name;
}

int bird_vcf_is_file(const struct bird_vcf *v)
{
    return v->is_file;
}

int bird_vcf_is_bcf(const struct bird_vcf *v)
{
    return v->is_bcf;
}

void *bird_vcf_header(const struct bird_vcf *v)
{
    return v->header;
}

int64_t bird_vcf_samples(const struct bird_vcf *v)
{
    return bcf_hdr_nsamples(v->header);
}

int64_t bird_vcf_contig_count(const struct bird_vcf *v)
{
    return v->header->n[BCF_DT_CTG];
}

const char *bird_vcf_contig(const struct bird_vcf *v, int64_t i,
                            int64_t *length)
{
    const bcf_idpair_t *p = &v->header->id[BCF_DT_CTG][i];

    *length = p->val ? (int64_t)p->val->info[0] : 0;
    return p->key;
}

int bird_vcf_declare(struct bird_vcf *v, const char *name, int64_t length)
{
    if (bcf_hdr_printf(v->header, "##contig=<ID=%s,length=%lld>", name,
                       (long long)length) ||
        bcf_hdr_sync(v->header))
        return bird_fail(BIRD_EINVAL,
                         "%s: contig '%s' cannot be declared in its header",
                         v->name, name);
    return 0;
}

void bird_vcf_progress(const struct bird_vcf *v, int64_t *done, int64_t *total)
{
    BGZF *b = bgzf_of(v);

    if (v->index) {
        bird_vcf_index_progress(v->index, done, total);
        return;
    }
    *done = htell(b ? b->fp : v->fp->fp.hfile);
    *total = v->size;
}
