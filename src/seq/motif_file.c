/* Reading motifs: files of TRANSFAC, JASPAR and MEME.
 * SPDX-License-Identifier: MIT */
#include "seq/motif.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "seq/input.h"

#define SHIPPED "motifs/jaspar2024_vertebrates.txt.gz"

void bird_motifs_free(struct bird_motifs *m)
{
    for (int64_t i = 0; i < m->n; i++)
        free(m->at[i].tail);
    free(m->at);
    free(m->name);
    *m = (struct bird_motifs){0};
}

int bird_motifs_open(struct bird_motifs *out, const char *path)
{
    struct bird_text found = {0};
    int rc = 1;

    if (strcmp(path, "jaspar") == 0)
        rc = bird_data_find(&found, SHIPPED);
    if (rc == 1)
        rc = bird_motifs_read(out, found.n ? found.s : path);
    else if (!rc)
        rc = bird_fail(BIRD_EIO,
                       SHIPPED " is neither in $DNABIRD_DATA nor in %s: name a "
                               "file of motifs, or none",
                       bird_data_installed());
    bird_text_free(&found);
    return rc;
}

/* The motif that is being read. */
struct reading {
    struct bird_motifs *out;
    const char *path;
    struct bird_lines lines;
    struct bird_motif motif;
    double count[BIRD_MOTIF_WIDTH][4];
    int jaspar;    /* base of the next line in JASPAR's format; else 0 */
    int meme;      /* 1: a MEME file */
    int64_t rows;  /* MEME: positions that the motif still lacks */
    double n_site; /* MEME: counts of a position */
};

static int wrong(const struct reading *r, const char *what)
{
    return bird_fail(BIRD_EFORMAT, "%s:%lld: %s", r->path,
                     (long long)r->lines.line, what);
}

/* Long names are truncated: they are only shown. */
static void put_name(char *out, size_t size, const char *s)
{
    size_t n = strcspn(s, " \t");

    if (n >= size)
        n = size - 1;
    memcpy(out, s, n);
    out[n] = '\0';
}

static const char *skip_blanks(const char *s)
{
    return s + strspn(s, " \t");
}

static int add(struct reading *r)
{
    struct bird_motifs *m = r->out;
    int rc;

    if (!r->motif.width)
        return wrong(r, "a motif without positions");
    if (!r->motif.name[0])
        memcpy(r->motif.name, r->motif.id, sizeof(r->motif.id));
    rc = bird_array_grow(&m->at, &m->cap, m->n + 1, sizeof(*m->at));
    if (rc)
        return rc;
    rc = bird_motif_prepare(&r->motif, r->count);
    if (rc)
        return rc;
    m->at[m->n++] = r->motif;
    r->motif = (struct bird_motif){0};
    return 0;
}

/* More than any experiment's count. */
#define MOST_COUNT 1e9

/* Read at most `most` counts of a line, up to its end or ']': their number;
 * -1: not a count. */
static int numbers(double *out, int most, const char *s)
{
    int n = 0;

    for (s = skip_blanks(s); n < most && *s && *s != ']'; s = skip_blanks(s)) {
        char word[64];
        size_t len = strcspn(s, " \t]");

        if (len >= sizeof(word))
            return -1;
        memcpy(word, s, len);
        word[len] = '\0';
        if (bird_parse_double(out + n, word) || out[n] < 0 ||
            out[n] > MOST_COUNT)
            return -1;
        n++;
        s += len;
    }
    return n;
}

static int take_position(struct reading *r, const char *s)
{
    double c[4];

    s += strspn(s, "0123456789");
    /* a base of the consensus may follow */
    if (numbers(c, 4, s) != 4 || c[0] + c[1] + c[2] + c[3] <= 0)
        return wrong(r, "not a position and four counts");
    if (r->motif.width == BIRD_MOTIF_WIDTH)
        return wrong(r, "a motif of more than 64 positions");
    memcpy(r->count[r->motif.width++], c, sizeof(c));
    return 0;
}

/* "A [ 4 19 0 ]" of JASPAR's format, in the order A, C, G, T. */
static int take_base(struct reading *r, const char *s)
{
    double c[BIRD_MOTIF_WIDTH + 1];
    int b = r->jaspar - 1, n;

    s = skip_blanks(s);
    if (*s == "ACGT"[b])
        s = skip_blanks(s + 1);
    if (*s == '[')
        s++;
    n = numbers(c, BIRD_MOTIF_WIDTH + 1, s);
    if (n < 0)
        return wrong(r, "an invalid count: use 0 to 1e9");
    if (n < 1 || n > BIRD_MOTIF_WIDTH || (b && n != r->motif.width))
        return wrong(r, "not as many counts as positions, 64 at most");
    r->motif.width = n;
    for (int i = 0; i < n; i++)
        r->count[i][b] = c[i];
    if (++r->jaspar <= 4)
        return 0;
    r->jaspar = 0;
    for (int i = 0; i < n; i++)
        if (r->count[i][0] + r->count[i][1] + r->count[i][2] + r->count[i][3] <=
            0)
            return wrong(r, "a position without any count");
    return add(r);
}

/* A header with the base of each column. */
static int check_columns(struct reading *r, const char *s)
{
    static const char want[] = "ACGT";
    int n = 0;

    for (s = skip_blanks(s); *s && n < 4; s = skip_blanks(s + 1))
        if (*s != want[n++])
            return wrong(r, "columns are not of A, C, G, T");
    return 0;
}

/* The number after "w=" and the like in a line of MEME; `other`: none. */
static int read_setting(double *out, const struct reading *r, const char *s,
                        const char *key, double other)
{
    const char *at = strstr(s, key);
    double v;

    *out = other;
    if (!at)
        return 0;
    if (numbers(&v, 1, at + strlen(key)) != 1)
        return wrong(r, "an invalid number in a MEME matrix's header");
    *out = v;
    return 0;
}

/* "letter-probability matrix: alength= 4 w= 19 nsites= 17 E= 4.1e-009". */
static int begin_matrix(struct reading *r, const char *s)
{
    double n_base, width;
    int rc = read_setting(&n_base, r, s, "alength=", 4);

    if (!rc)
        rc = read_setting(&width, r, s, " w=", 0);
    if (!rc)
        rc = read_setting(&r->n_site, r, s, "nsites=", 20);
    if (rc)
        return rc;
    if (!r->motif.id[0] || r->motif.width)
        return wrong(r, "a matrix without a MOTIF line");
    if (n_base != 4)
        return wrong(r, "a matrix that is not of DNA: alength must be 4");
    if (!(width >= 1 && width <= BIRD_MOTIF_WIDTH))
        return wrong(r, "a matrix needs w=, from 1 to 64");
    r->n_site = r->n_site > 0 ? r->n_site : 20;
    r->rows = (int64_t)width;
    return 0;
}

/* Four probabilities, which become counts of the matrix's sites. */
static int take_row(struct reading *r, const char *s)
{
    double *c = r->count[r->motif.width];
    double sum = 0;

    if (numbers(c, 4, s) != 4)
        return wrong(r, "not four probabilities, of A, C, G and T");
    for (int b = 0; b < 4; b++) {
        sum += c[b];
        c[b] *= r->n_site;
    }
    if (sum < 0.98 || sum > 1.02)
        return wrong(r, "probabilities that do not add up to 1");
    r->motif.width++;
    return --r->rows ? 0 : add(r);
}

static int take_meme_line(struct reading *r, const char *s)
{
    static const char matrix[] = "letter-probability matrix:";

    s = skip_blanks(s);
    if (r->rows)
        return *s ? take_row(r, s) : 0;
    if (!strncmp(s, matrix, sizeof(matrix) - 1))
        return begin_matrix(r, s + sizeof(matrix) - 1);
    if (!strncmp(s, "ALPHABET=", 9) && strncmp(skip_blanks(s + 9), "ACGT", 4))
        return wrong(r, "the alphabet is not ACGT");
    if (strncmp(s, "MOTIF", 5) || !strchr(" \t", s[5]))
        return 0;
    if (r->motif.id[0])
        return wrong(r, "a motif without a matrix before this one");
    s = skip_blanks(s + 5);
    put_name(r->motif.id, sizeof(r->motif.id), s);
    put_name(r->motif.name, sizeof(r->motif.name),
             skip_blanks(s + strcspn(s, " \t")));
    return r->motif.id[0] ? 0 : wrong(r, "a motif without a name");
}

static int take_line(struct reading *r, const char *s)
{
    if (r->meme)
        return take_meme_line(r, s);
    if (!r->out->n && !r->motif.id[0] && !strncmp(s, "MEME version", 12)) {
        r->meme = 1;
        return 0;
    }
    if (r->jaspar)
        return take_base(r, s);
    if (r->motif.width && (*s == '>' || !strncmp(s, "AC", 2)))
        return wrong(r, "a motif begins before the last one ended (//)");
    if (s[0] == 'P' && (s[1] == 'O' || s[1] == '0'))
        return check_columns(r, s + 2);
    if (*s == '>') {
        s = skip_blanks(s + 1);
        put_name(r->motif.id, sizeof(r->motif.id), s);
        put_name(r->motif.name, sizeof(r->motif.name),
                 skip_blanks(s + strcspn(s, " \t")));
        r->jaspar = 1;
        return r->motif.id[0] ? 0 : wrong(r, "a motif without a name");
    }
    if (!strncmp(s, "AC", 2) && strchr(" \t", s[2]))
        put_name(r->motif.id, sizeof(r->motif.id), skip_blanks(s + 2));
    else if (!strncmp(s, "ID", 2) && strchr(" \t", s[2]))
        put_name(r->motif.name, sizeof(r->motif.name), skip_blanks(s + 2));
    else if (!strncmp(s, "//", 2))
        return r->motif.id[0] || r->motif.width ? add(r) : 0;
    else if (*s >= '0' && *s <= '9')
        return r->motif.id[0] ? take_position(r, s)
                              : wrong(r, "counts before a motif's name");
    return 0;
}

int bird_motifs_read(struct bird_motifs *out, const char *path)
{
    struct reading r = {.out = out, .path = path};
    const char *slash = strrchr(path, '/');
    int rc = bird_lines_open(&r.lines, path);

    *out = (struct bird_motifs){0};
    if (rc)
        return rc;
    out->name = strdup(slash ? slash + 1 : path);
    if (!out->name)
        rc = bird_fail_memory((int64_t)strlen(path));
    while (!rc && (rc = bird_lines_next(&r.lines)) == 1)
        rc = take_line(&r, r.lines.text.s ? r.lines.text.s : "");
    if (!rc && (r.jaspar || r.motif.width || (r.meme && r.motif.id[0])))
        rc = wrong(&r, "the file ends within a motif");
    if (!rc && !out->n)
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: no motif in TRANSFAC's, JASPAR's or MEME's format",
                       path);
    bird_lines_close(&r.lines);
    return rc;
}
