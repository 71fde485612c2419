/*
 * The FASTA stream: a state machine over blocks of bytes, so that memory does
 * not depend on the length of lines or records.
 * SPDX-License-Identifier: MIT
 */
#include "seq/fastx.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/timer.h"
#include "seq/alphabet.h"
#include "seq/contigs.h"

enum { BLOCK_BYTES = 1 << 18, NAME_MAX_BYTES = 4096 };

enum state {
    AT_TOP,   /* before the first '>' */
    IN_NAME,  /* after '>' */
    IN_TITLE, /* the rest of the header line */
    IN_SEQUENCE,
    AT_BORDER, /* a '>' was read; the contig's end was returned */
    AT_END
};

struct bird_fastx {
    struct bird_input in;
    enum state state;
    int flags, rc;
    const unsigned char *table; /* output base for every byte */

    unsigned char *block; /* (BLOCK_BYTES) */
    int64_t at, n_block;  /* next byte, bytes in the block */
    int64_t block_offset; /* offset of block[0] in the uncompressed file */
    int64_t line;         /* line of the next byte, from 1 */

    int64_t contig; /* -1 before the first */
    struct bird_text name;
    struct bird_map *names; /* names of all records so far */
    char *seq;              /* (n), cap_seq */
    unsigned char *mask;    /* (n), cap_mask; unused without BIRD_FASTX_MASK */
    int64_t start, n, cap_seq, cap_mask, piece_max;

    struct bird_fai_layout layout;
    int64_t line_bases, line_bytes; /* of the line being read */
    int line_blank;                 /* it contains white space */
    int closed; /* a short or blank line was read: only the last may be one */
};

static int reader_new(bird_fastx **out, int flags)
{
    bird_fastx *r = calloc(1, sizeof(*r));
    int64_t cap = 0;
    int rc = 0;

    if (!r)
        return bird_fail_memory(sizeof(*r));
    r->flags = flags;
    r->table = flags & BIRD_FASTX_RAW   ? bird_letter_same
               : flags & BIRD_FASTX_ANY ? bird_letter_any
                                        : bird_letter_fold;
    r->piece_max = BIRD_PIECE_MAX;
    r->contig = -1;
    r->line = 1;
    rc = bird_array_grow(&r->block, &cap, BLOCK_BYTES, 1);
    if (rc) {
        bird_fastx_free(r);
        return rc;
    }
    *out = r;
    return 0;
}

int bird_fastx_open(bird_fastx **out, const char *path, int flags)
{
    bird_fastx *r = NULL;
    int rc = reader_new(&r, flags);

    if (rc)
        return rc;
    rc = bird_input_open(&r->in, path);
    if (!rc && r->in.is_bigbed)
        rc = bird_fail(BIRD_EUNSUPPORTED,
                       "%s: a bigBed file, which holds intervals: sequence is "
                       "read from FASTA",
                       path);
    if (rc) {
        bird_fastx_free(r);
        return rc;
    }
    *out = r;
    return 0;
}

int bird_fastx_open_memory(bird_fastx **out, const char *name, const void *data,
                           int64_t n, int flags)
{
    bird_fastx *r = NULL;
    int rc = reader_new(&r, flags);

    if (rc)
        return rc;
    if ((rc = bird_input_open_memory(&r->in, name, data, n))) {
        bird_fastx_free(r);
        return rc;
    }
    *out = r;
    return 0;
}

void bird_fastx_free(bird_fastx *r)
{
    if (!r)
        return;
    bird_input_close(&r->in);
    bird_text_free(&r->name);
    bird_names_free(r->names);
    free(r->block);
    free(r->seq);
    free(r->mask);
    free(r);
}

void bird_fastx_progress(const bird_fastx *r, int64_t *done, int64_t *total)
{
    *done = bird_input_tell(&r->in);
    *total = r->in.size;
}

void bird_fastx_layout(const bird_fastx *r, struct bird_fai_layout *out)
{
    *out = r->layout;
    out->length = r->start + r->n;
}

void bird_fastx_piece_max(bird_fastx *r, int64_t n)
{
    r->piece_max = n;
}

struct bird_input *bird_fastx_input(bird_fastx *r)
{
    return &r->in;
}

/* ---- failures ------------------------------------------------------------ */

static int fail_top(const bird_fastx *r, int c)
{
    const char *what = "sequence or other text before the first '>' line";

    if (c == '@')
        what = "a FASTQ file, it seems; convert it to FASTA";
    else if (!isprint(c))
        what = "binary data";
    return bird_fail(BIRD_EFORMAT, "%s: line %lld: not FASTA: %s", r->in.name,
                     (long long)r->line, what);
}

static int fail_base(const bird_fastx *r, int c)
{
    long long line = (long long)r->line, at = (long long)(r->start + r->n + 1);
    const char *rest = (const char *)r->block + r->at;
    char byte[16];

    snprintf(byte, sizeof(byte), isprint(c) ? "'%c'" : "byte 0x%02x", c);
    if (bird_letter_any[c])
        return bird_fail(BIRD_EFORMAT,
                         "%s: line %lld: record '%s' holds %s at position "
                         "%lld, which is not a nucleotide code: %s",
                         r->in.name, line, r->name.s, byte, at,
                         bird_bases_advice(rest, r->n_block - r->at));
    return bird_fail(BIRD_EFORMAT,
                     "%s: line %lld: record '%s' holds %s at position %lld, "
                     "which is not a base: not FASTA, or a damaged "
                     "file",
                     r->in.name, line, r->name.s, byte, at);
}

static int fail_name(const bird_fastx *r, const char *what)
{
    return bird_fail(BIRD_EFORMAT, "%s: line %lld: record %lld %s", r->in.name,
                     (long long)r->line, (long long)r->contig + 1, what);
}

/* ---- lines of an index --------------------------------------------------- */

/* The line ends: do all lines so far have equal numbers of bases and bytes?
 * A .fai requires that, except for the last line. */
static void layout_line(bird_fastx *r, int at_end)
{
    struct bird_fai_layout *l = &r->layout;

    if (!r->line_bases)
        r->closed |= l->line_bases > 0;
    else if (r->closed || (l->line_bases && r->line_bases > l->line_bases))
        l->uneven = 1;
    else if (!l->line_bases) {
        l->line_bases = r->line_bases;
        l->line_bytes = at_end ? r->line_bases + 1 : r->line_bytes;
    } else if (r->line_bases < l->line_bases || r->line_bytes != l->line_bytes)
        r->closed = 1;
    r->line_bases = r->line_bytes = 0;
    r->line_blank = 0;
}

/* k bases at r->at are about to be read. */
static void layout_bases(bird_fastx *r, int64_t k)
{
    if (!r->line_bases && !r->layout.line_bases)
        r->layout.offset = r->block_offset + r->at;
    if (r->line_blank)
        r->layout.uneven = 1;
    r->line_blank = 0;
    r->line_bases += k;
    r->line_bytes += k;
}

/* ---- the states ---------------------------------------------------------- */

/* White space, then the first '>'. A byte order mark is skipped. */
static int take_top(bird_fastx *r)
{
    if (!r->block_offset && !r->at && r->n_block >= 3 &&
        !memcmp(r->block, "\xef\xbb\xbf", 3))
        r->at = 3;
    for (; r->at < r->n_block; r->at++) {
        int c = r->block[r->at];

        if (c == '>') {
            r->state = AT_BORDER;
            return 0;
        }
        if (!bird_is_blank(c))
            return fail_top(r, c);
        r->line += c == '\n';
    }
    return 0;
}

/* At '>': forget the state of the previous contig. */
static void begin_contig(bird_fastx *r)
{
    r->at++;
    r->contig++;
    r->start = r->n = 0;
    bird_text_clear(&r->name);
    r->layout = (struct bird_fai_layout){.record = r->line};
    r->line_bases = r->line_bytes = 0;
    r->line_blank = r->closed = 0;
    r->state = IN_NAME;
}

static int take_name(bird_fastx *r)
{
    for (; r->at < r->n_block; r->at++) {
        int c = r->block[r->at], rc;
        char letter = (char)c;

        if (c == '\n' || c == '\r' || (bird_is_blank(c) && r->name.n)) {
            if (!r->name.n)
                return fail_name(r, "has no name after '>'");
            r->state = IN_TITLE;
            return bird_names_add(&r->names, r->in.name, r->name.s, r->line);
        }
        if (bird_is_blank(c))
            continue;
        if (bird_is_control(letter))
            return fail_name(r, "has a control byte in its name: not FASTA, "
                                "or a damaged file");
        if (r->name.n == NAME_MAX_BYTES)
            return fail_name(r, "has a name of over 4096 bytes: not FASTA?");
        if ((rc = bird_text_put(&r->name, &letter, 1)))
            return rc;
    }
    return 0;
}

static void take_title(bird_fastx *r)
{
    const unsigned char *p = r->block + r->at, *end;
    size_t n = (size_t)(r->n_block - r->at);

    end = memchr(p, '\n', n);
    if (end)
        n = (size_t)(end - p);
    if (memchr(p, '\r', n)) /* CRLF, or CR alone */
        end = memchr(p, '\r', n);
    if (!end) {
        r->at = r->n_block;
        return;
    }
    r->at = end - r->block + 1;
    if (*end == '\n')
        r->line++;
    else if (r->at < r->n_block && r->block[r->at] == '\n') {
        r->at++;
        r->line++;
    }
    r->layout.offset = r->block_offset + r->at;
    r->state = IN_SEQUENCE;
}

/* Copy a run of one or more bases into the piece. */
static int take_bases(bird_fastx *r)
{
    const unsigned char *p = r->block + r->at, *table = r->table;
    unsigned char *q;
    int64_t i = 0, m = r->n_block - r->at;
    int rc;

    if (m > r->piece_max - r->n)
        m = r->piece_max - r->n;
    if ((rc = bird_array_grow(&r->seq, &r->cap_seq, r->n + m, 1)))
        return rc;
    q = (unsigned char *)r->seq + r->n;
    while (i < m && (q[i] = table[p[i]]))
        i++;
    layout_bases(r, i);
    if (r->flags & BIRD_FASTX_MASK) {
        if ((rc = bird_array_grow(&r->mask, &r->cap_mask, r->n + m, 1)))
            return rc;
        for (int64_t j = 0; j < i; j++)
            r->mask[r->n + j] = p[j] >= 'a' && p[j] <= 'z';
    }
    r->n += i;
    r->at += i;
    return 0;
}

/* Until the block ends (0), the piece is full or the contig ends (1). */
static int take_sequence(bird_fastx *r)
{
    while (r->at < r->n_block) {
        int c = r->block[r->at];

        if (c == '\n') {
            r->line++;
            r->line_bytes++;
            layout_line(r, 0);
            r->at++;
        } else if (bird_is_blank(c)) {
            r->line_bytes++;
            r->line_blank = 1 + (c == '\r');
            r->at++;
        } else if (c == '>' && (!r->line_bytes || r->line_blank == 2)) {
            layout_line(r, 1);
            r->state = AT_BORDER;
            return 1;
        } else if (!r->table[c]) {
            return fail_base(r, c);
        } else if (r->n == r->piece_max) {
            return 1;
        } else {
            int rc = take_bases(r);

            if (rc)
                return rc;
        }
    }
    return 0;
}

/* Read another block. At the end of the file the state shows what is
 * missing. */
static int refill(bird_fastx *r)
{
    int rc;

    r->block_offset += r->n_block;
    r->at = r->n_block = 0;
    rc = bird_input_read(&r->in, r->block, BLOCK_BYTES, &r->n_block);
    if (rc)
        return r->contig < 0 ? rc
                             : bird_fail_in(rc, "after line %lld, record '%s'",
                                            (long long)r->line,
                                            r->name.s ? r->name.s : "");
    if (!r->block_offset && r->n_block >= 2 && r->block[0] == 0x1f &&
        r->block[1] == 0x8b)
        return bird_fail(BIRD_EFORMAT,
                         "%s: the compressed file is cut short: fetch or "
                         "write it again",
                         r->in.name);
    return 0;
}

static int finish(bird_fastx *r)
{
    int rc;

    if (r->state == AT_END)
        return 0;
    if (r->state == AT_TOP)
        return bird_fail(BIRD_EFORMAT, "%s: not FASTA: %s", r->in.name,
                         r->block_offset ? "nothing but blanks"
                                         : "the file is empty");
    if (r->state == IN_NAME && !r->name.n)
        return fail_name(r, "has no name after '>'");
    if (r->state == IN_NAME &&
        (rc = bird_names_add(&r->names, r->in.name, r->name.s, r->line)))
        return rc;
    if (r->state != IN_SEQUENCE)
        r->layout.offset = r->block_offset;
    layout_line(r, 1);
    r->state = AT_END;
    return 1;
}

static int advance(bird_fastx *r)
{
    int rc = 0;

    r->start += r->n;
    r->n = 0;
    if (r->state == AT_BORDER)
        begin_contig(r);
    while (!rc) {
        if (r->state != AT_END && r->at == r->n_block && (rc = refill(r)))
            return rc;
        if (r->state == AT_END || !r->n_block)
            return finish(r);
        if (r->state == AT_TOP) {
            rc = take_top(r);
            if (!rc && r->state == AT_BORDER)
                begin_contig(r);
        } else if (r->state == IN_NAME) {
            rc = take_name(r);
        } else if (r->state == IN_TITLE) {
            take_title(r);
        } else {
            rc = take_sequence(r);
        }
    }
    return rc;
}

int bird_fastx_next(bird_fastx *r, bird_piece *out)
{
    enum bird_phase before;
    int rc;

    if (r->rc)
        return bird_fail(r->rc, "%s: reading stopped at an earlier error",
                         r->in.name);
    before = bird_timer_enter(BIRD_PHASE_READ);
    rc = advance(r);
    bird_timer_leave(before);
    if (rc < 0)
        r->rc = rc;
    if (rc > 0)
        *out = (bird_piece){
            .contig = r->contig,
            .name = r->name.s,
            .start = r->start,
            .n = r->n,
            .seq = r->seq,
            .mask = r->flags & BIRD_FASTX_MASK ? r->mask : NULL,
            .last = r->state == AT_BORDER || r->state == AT_END,
        };
    return rc;
}
