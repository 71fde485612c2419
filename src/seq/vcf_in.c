/*
 * VCF and BCF through htslib: records one after the other, those of some
 * intervals by the file's index, and what a line of VCF needs on its way to
 * BCF.
 *
 * Of VCF text only the first eight columns are looked at and the line is kept
 * as it stands, so that what a program does not know passes through as bytes.
 * With an index, intervals that lie near each other are one span, so that no
 * block of the file is read for each of them. The index names the chunks of
 * the file where records of a span may stand; they are read as a whole file
 * is, record by record, from a chunk's start to its end, or to the first
 * record behind the span. Spans are taken in the order in which their contigs
 * stand in the file. A record that reaches into a second span was met in the
 * first.
 *
 * More than 800 lines, because the index works on the reader's file and
 * nothing else uses it.
 * SPDX-License-Identifier: MIT
 */
#include "seq/vcf_in.h"

#include <assert.h>
#include <errno.h>
#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/kseq.h>
#include <htslib/kstring.h>
#include <htslib/tbx.h>
#include <htslib/vcf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/rng.h"
#include "seq/contigs.h"
#include "seq/input.h"
#include "seq/intervals.h"

struct bird_vcf_index;

enum { GAP = 1 << 14 }; /* bp between intervals of one span: a bin */

struct span {
    int tid; /* the index's number of the contig */
    int64_t start, end;
    uint64_t offset; /* of the contig in the file */
};

struct bird_vcf_index {
    const char *path;
    tbx_t *tbx;     /* of VCF */
    hts_idx_t *csi; /* of BCF */
    const char **name;
    int n_name;
    struct span *span; /* (n), at: the one being read */
    int64_t n, cap, at;
    hts_pair64_t *chunk; /* (n_chunk) of it, i: the one being read */
    int64_t n_chunk, cap_chunk, i;
    int begun; /* 0: the file is not in chunk i yet; 1: before its first
                  record; 2: behind it */
    int64_t done_bp, all_bp, pos;
};

static void index_free(struct bird_vcf_index *x)
{
    if (!x)
        return;
    if (x->tbx)
        tbx_destroy(x->tbx);
    if (x->csi)
        hts_idx_destroy(x->csi);
    free((void *)x->name);
    free(x->span);
    free(x->chunk);
    free(x);
}

/* --- opening ------------------------------------------------------------- */

/* Names by number; they are the index's or the header's. */
static int list_names(struct bird_vcf_index *x, const bcf_hdr_t *header)
{
    int rc;

    if (x->tbx) {
        x->name = tbx_seqnames(x->tbx, &x->n_name);
        return x->name || !x->n_name ? 0 : bird_fail_memory(0);
    }
    assert(header); /* of BCF, whose index has no names */
    x->n_name = header->n[BCF_DT_CTG];
    rc = bird_array_new(&x->name, x->n_name, sizeof(*x->name));
    for (int i = 0; !rc && i < x->n_name; i++)
        x->name[i] = header->id[BCF_DT_CTG][i].key;
    return rc;
}

/* Is it an index of VCF records that htslib can read? */
static int load(struct bird_vcf_index *x, const char *index, int is_bcf)
{
    if (is_bcf)
        x->csi = bcf_index_load3(x->path, index, HTS_IDX_SILENT_FAIL);
    else
        x->tbx = tbx_index_load3(x->path, index, HTS_IDX_SILENT_FAIL);
    if (x->tbx && (x->tbx->conf.preset & 0xffff) != TBX_VCF) {
        tbx_destroy(x->tbx);
        x->tbx = NULL;
    }
    return x->csi || x->tbx;
}

/* Load path + ending. @return 1, 0: none, or one that is of no use */
static int try_index(struct bird_vcf_index *x, struct bird_text *why,
                     const char *ending, const bcf_hdr_t *header)
{
    struct bird_text index = {0};
    struct stat file, its;
    const char *what = NULL;
    int rc = bird_text_printf(&index, "%s%s", x->path, ending), got = 0;

    if (rc || stat(index.s, &its) || stat(x->path, &file))
        goto done;
    if (its.st_mtime < file.st_mtime)
        what = "is older than the file";
    else if (!load(x, index.s, header != NULL))
        what = "is not an index that can be read";
    else
        got = 1;
    if (what && !why->n)
        rc = bird_text_printf(why,
                              "%s %s and was not used: all of %s is read; "
                              "index it again (bcftools index -f)",
                              index.s, what, x->path);
done:
    bird_text_free(&index);
    return rc ? rc : got;
}

/* Load the index beside a file. One that is older than the file is not taken.
 * @param header of a BCF; NULL: VCF
 * @param why    gets the sentence on an index that is there and not taken
 * @return 1 with *out, or 0: no index */
static int index_open(struct bird_vcf_index **out, struct bird_text *why,
                      const char *path, const bcf_hdr_t *header)
{
    struct bird_vcf_index *x = calloc(1, sizeof(*x));
    int rc;

    if (!x)
        return bird_fail_memory(sizeof(*x));
    x->path = path;
    rc = try_index(x, why, ".csi", header);
    if (!rc && !header)
        rc = try_index(x, why, ".tbi", header);
    if (rc == 1 && (rc = list_names(x, header)) == 0) {
        bird_text_clear(why);
        *out = x;
        return 1;
    }
    index_free(x);
    return rc;
}

/* Contigs that it knows, by their names in the file; NULL behind the last. */
static const char *index_contig(const struct bird_vcf_index *x, int64_t i)
{
    return i < x->n_name ? x->name[i] : NULL;
}

/* --- spans --------------------------------------------------------------- */

/* Chunks that may hold records of a span, in the file's order. */
static int find_chunks(struct bird_vcf_index *x, int tid, int64_t start,
                       int64_t end)
{
    hts_itr_t *it = x->tbx ? tbx_itr_queryi(x->tbx, tid, start, end)
                           : bcf_itr_queryi(x->csi, tid, start, end);
    int rc = 0;

    x->n_chunk = x->i = x->begun = 0;
    if (!it)
        return 0; /* none of this contig */
    rc = bird_array_grow(&x->chunk, &x->cap_chunk, it->n_off + 1,
                         sizeof(*x->chunk));
    for (; !rc && it->off && x->n_chunk < it->n_off; x->n_chunk++) {
        x->chunk[x->n_chunk].u = it->off[x->n_chunk].u;
        x->chunk[x->n_chunk].v = it->off[x->n_chunk].v;
    }
    hts_itr_destroy(it);
    return rc;
}

static int add_contig(struct bird_vcf_index *x, const struct bird_intervals *in,
                      int tid, int64_t contig)
{
    int64_t i = bird_intervals_first(in, contig, 0);
    int rc = 0;

    if (i == in->n || in->at[i].contig != contig ||
        (rc = find_chunks(x, tid, 0, HTS_POS_MAX)) || !x->n_chunk)
        return rc;
    while (!rc && i < in->n && in->at[i].contig == contig) {
        struct span s = {
            .tid = tid, .start = in->at[i].start, .offset = x->chunk[0].u};

        i = bird_intervals_span(&s.end, in, i, GAP);
        rc = bird_array_grow(&x->span, &x->cap, x->n + 1, sizeof(*x->span));
        if (rc)
            break;
        x->span[x->n++] = s;
        x->all_bp += s.end - s.start;
    }
    return rc;
}

static int by_offset(const void *a, const void *b)
{
    const struct span *r = a, *s = b;

    if (r->offset != s->offset)
        return r->offset < s->offset ? -1 : 1;
    return (r->start > s->start) - (r->start < s->start);
}

/* Look for records of these intervals, whose contigs the map finds. */
static int index_limit(struct bird_vcf_index *x,
                       const struct bird_intervals *in,
                       struct bird_contig_map *map)
{
    int rc = 0;

    for (int i = 0; !rc && i < x->n_name; i++) {
        int64_t contig = -1;

        if (x->name[i])
            rc = bird_contig_map_find(map, &contig, x->name[i]);
        if (!rc && contig >= 0)
            rc = add_contig(x, in, i, contig);
    }
    if (rc)
        return rc;
    if (x->n)
        qsort(x->span, (size_t)x->n, sizeof(*x->span), by_offset);
    x->at = -1;
    x->n_chunk = x->i = 0;
    return 0;
}

/* --- reading ------------------------------------------------------------- */

static int next_span(struct bird_vcf_index *x)
{
    if (x->at >= 0)
        x->done_bp += x->span[x->at].end - x->span[x->at].start;
    if (++x->at >= x->n)
        return 0;
    x->pos = x->span[x->at].start;
    return find_chunks(x, x->span[x->at].tid, x->span[x->at].start,
                       x->span[x->at].end);
}

/* Bring the file to the next record that may be one of them.
 * @return 1, or 0: there are no more */
static int index_seek(struct bird_vcf_index *x, BGZF *f)
{
    while (x->at < x->n) {
        if (x->i >= x->n_chunk) {
            int rc = next_span(x);

            if (rc)
                return rc;
            continue;
        }
        if (!x->begun) {
            x->begun = 1;
            if ((uint64_t)bgzf_tell(f) != x->chunk[x->i].u &&
                bgzf_seek(f, (int64_t)x->chunk[x->i].u, SEEK_SET) < 0)
                return bird_fail(BIRD_EFORMAT,
                                 "%s: cannot be read where its index says: "
                                 "damaged, or the index is another file's",
                                 x->path);
            return 1;
        }
        if ((uint64_t)bgzf_tell(f) < x->chunk[x->i].v)
            return 1;
        x->i++;
        x->begun = 0;
    }
    return 0;
}

/* The file ended: so does the span that is being read. */
static void index_end(struct bird_vcf_index *x)
{
    x->i = x->n_chunk;
}

/* Is the record that was read there, start .. end of a contig, one of them?
 * Each is so once, in the order of the file. */
static int index_takes(struct bird_vcf_index *x, const char *contig,
                       int64_t start, int64_t end)
{
    const struct span *s = &x->span[x->at];
    int is_first = x->begun == 1, here = !strcmp(contig, x->name[s->tid]);

    x->begun = 2;
    if (is_first && !here)
        return bird_fail(BIRD_EFORMAT,
                         "%s: its index says that records of '%s' are where "
                         "one of '%s' is: index it again (bcftools index -f)",
                         x->path, x->name[s->tid], contig);
    if (!here || start >= s->end) {
        index_end(x); /* all that follow lie behind */
        return 0;
    }
    x->pos = start > x->pos ? start : x->pos;
    if (end <= s->start)
        return 0;
    return x->at == 0 || s[-1].tid != s->tid || start >= s[-1].end;
}

/* "chr1:5-900", the span that is being read. */
static void index_span(const struct bird_vcf_index *x, char *out, size_t size)
{
    const struct span *s = &x->span[x->at];

    snprintf(out, size, "%s:%" PRId64 "-%" PRId64, x->name[s->tid],
             s->start + 1, s->end);
}

/* Base pairs of the intervals done, and in all. */
static void index_progress(const struct bird_vcf_index *x, int64_t *done,
                           int64_t *total)
{
    *total = x->all_bp;
    *done = x->done_bp;
    if (x->at >= 0 && x->at < x->n)
        *done += x->pos - x->span[x->at].start;
}

/* ---- records ------------------------------------------------------------ */

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
        index_span(v->index, span, sizeof(span));
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
    /* the file begins with it, by the test of the format; htslib reads it once
     * more where there was no memory, and puts it behind others */
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
    index_free(v->index); /* it borrows names of the header */
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
        index_span(v->index, span, sizeof(span));
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

/* Where a line's record ends: where INFO has an END behind POS there, else with
 * REF's last letter, as in the field's indices. */
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
        return fail_record(v, "POS is not a whole number");
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
        /* of what cannot be decompressed the line that it cuts comes too */
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
        if ((got = index_seek(v->index, bgzf_of(v))) <= 0)
            return got;
        got = v->is_bcf ? next_bcf(v, r) : next_line(v, r);
        if (!got)
            index_end(v->index);
        else if (got > 0)
            takes = index_takes(v->index, r->contig, r->pos, r->end);
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
    rc = index_open(&v->index, why, v->name, v->is_bcf ? v->header : NULL);
    if (rc <= 0)
        return rc;
    if (!bgzf_check_EOF(b)) {
        b->no_eof_block = 1;
        return at_end(v);
    }
    rc = index_limit(v->index, in, map);
    return rc ? rc : 1;
}

int bird_vcf_is_limited(const struct bird_vcf *v)
{
    return v->index != NULL;
}

const char *bird_vcf_indexed_contig(const struct bird_vcf *v, int64_t i)
{
    return v->index ? index_contig(v->index, i) : NULL;
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
        index_progress(v->index, done, total);
        return;
    }
    *done = htell(b ? b->fp : v->fp->fp.hfile);
    *total = v->size;
}

/* ---- to BCF ------------------------------------------------------------- */

static int fail_undeclared(const struct bird_vcf *v,
                           const struct bird_vcf_record *r, const char *what,
                           const char *id, int64_t n)
{
    char where[BIRD_VCF_WHERE];

    return bird_fail(BIRD_EUNSUPPORTED,
                     "%s: %s has %s %.*s that the header "
                     "does not declare, which BCF cannot hold: declare it, or "
                     "write VCF (-O z)",
                     v->name, bird_vcf_where(where, r), what, (int)n, id);
}

/* htslib has added the first line behind n_line for what the header lacked. */
static int fail_added(const struct bird_vcf *v, const struct bird_vcf_record *r,
                      int n_line)
{
    const bcf_hdr_t *header = v->header;
    bcf_hrec_t *line = header->nhrec > n_line ? header->hrec[n_line] : NULL;
    int at = line ? bcf_hrec_find_key(line, "ID") : -1;
    const char *id = at < 0 ? "" : line->vals[at];

    return fail_undeclared(v, r, line ? line->key : "tag", id,
                           (int64_t)strlen(id));
}

int bird_vcf_parse(struct bird_vcf *v, struct bird_vcf_record *r)
{
    char where[BIRD_VCF_WHERE];
    bcf_hdr_t *header = v->header;
    kstring_t s = {0};
    int n_line = header->nhrec, rc = 0;
    bcf1_t *b;

    if (v->is_bcf)
        return 0;
    if (!r->hts && !(r->hts = bcf_init()))
        return bird_fail_memory(sizeof(*b));
    b = r->hts;
    if (kputsn(r->line.s, (size_t)r->line.n, &s) < 0) {
        free(s.s);
        return bird_fail_memory((size_t)r->line.n);
    }
    b->errcode = 0;
    if (vcf_parse(&s, header, b) < 0 ||
        (b->errcode & ~(BCF_ERR_CTG_UNDEF | BCF_ERR_TAG_UNDEF)))
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: %s is malformed after its fifth column", v->name,
                       bird_vcf_where(where, r));
    else if (b->errcode & BCF_ERR_CTG_UNDEF)
        rc = fail_undeclared(v, r, "a contig", r->contig,
                             (int64_t)strlen(r->contig));
    else if (b->errcode)
        rc = fail_added(v, r, n_line);
    free(s.s);
    return rc;
}

/* A FILTER of a line that the header does not have becomes one of it. */
static int declare_filters(struct bird_vcf *v, const char *s, int64_t n)
{
    bcf_hdr_t *header = v->header;

    for (int64_t i = 0, k; i < n; i += k + 1) {
        char id[256];

        for (k = 0; i + k < n && s[i + k] != ';'; k++)
            ;
        if (!k || k >= (int64_t)sizeof(id))
            continue; /* the record itself says what is wrong */
        memcpy(id, s + i, (size_t)k);
        id[k] = '\0';
        if (!strcmp(id, ".") ||
            bcf_hdr_get_hrec(header, BCF_HL_FLT, "ID", id, NULL))
            continue;
        if (bcf_hdr_printf(header,
                           "##FILTER=<ID=%s,Description=\"not declared in the "
                           "input\">",
                           id) ||
            bcf_hdr_sync(header))
            return bird_fail(BIRD_EFORMAT, "%s: FILTER '%s' cannot be declared",
                             v->name, id);
    }
    return 0;
}

/* Keys of INFO (KEY=value;KEY) or FORMAT (KEY:KEY). */
static int check_keys(const struct bird_vcf *v, const struct bird_vcf_record *r,
                      int type, int64_t from, int64_t n, const char *ignore)
{
    bcf_hdr_t *header = v->header;
    const char *s = r->line.s + from, *word;
    char end = type == BCF_HL_INFO ? ';' : ':';
    size_t m = strlen(ignore);

    for (int64_t i = 0, k; i < n; i += k + 1) {
        char id[256];
        int64_t length;

        word = s + i;
        for (k = 0; i + k < n && word[k] != end; k++)
            ;
        for (length = 0; length < k && word[length] != '='; length++)
            ;
        if (!length || length >= (int64_t)sizeof(id) ||
            (length == 1 && *word == '.') ||
            (type == BCF_HL_INFO && length > (int64_t)m && word[m] == '_' &&
             !memcmp(word, ignore, m)))
            continue;
        memcpy(id, word, (size_t)length);
        id[length] = '\0';
        if (!bcf_hdr_get_hrec(header, type, "ID", id, NULL))
            return fail_undeclared(
                v, r, type == BCF_HL_INFO ? "an INFO field" : "a FORMAT field",
                id, length);
    }
    return 0;
}

int bird_vcf_ready_bcf(struct bird_vcf *v, const struct bird_vcf_record *r,
                       const char *ignore)
{
    int64_t at = r->info + r->info_n + 1, n = 0, from = r->info - 1;
    int rc;

    while (from > 0 && r->line.s[from - 1] != '\t')
        from--;
    rc = declare_filters(v, r->line.s + from, r->info - 1 - from);
    if (!rc)
        rc = check_keys(v, r, BCF_HL_INFO, r->info, r->info_n, ignore);
    while (at + n < r->line.n && r->line.s[at + n] != '\t')
        n++;
    return rc || at >= r->line.n ? rc
                                 : check_keys(v, r, BCF_HL_FMT, at, n, ignore);
}
