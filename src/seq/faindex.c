/*
 * Random access through htslib's faidx: find the index and check that it fits
 * the file, else make one and write it to the first location that is writable.
 * SPDX-License-Identifier: MIT
 */
#include "seq/reference.h"

#include <errno.h>
#include <htslib/bgzf.h>
#include <htslib/faidx.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/text.h"
#include "seq/alphabet.h"

enum {
    FETCH_BYTES = 1 << 20, /* htslib returns a copy: limit its size */
    GAP_BYTES = 1 << 16,   /* bytes between two contigs that are checked at
                              most */
    SMALL_GAP = 1024       /* a longer gap may hide a record */
};

/* Possible locations of an index. */
struct location {
    char *fai, *gzi;
    char *folder; /* folder to make first; NULL: beside the file */
};

static void location_free(struct location *p)
{
    free(p->fai);
    free(p->gzi);
    free(p->folder);
    *p = (struct location){0};
}

static int location_of(struct location *out, const char *stem)
{
    struct location p = {0};

    if (asprintf(&p.fai, "%s.fai", stem) < 0)
        p.fai = NULL;
    if (asprintf(&p.gzi, "%s.gzi", stem) < 0)
        p.gzi = NULL;
    if (!p.fai || !p.gzi) {
        location_free(&p);
        return bird_fail_memory(strlen(stem));
    }
    *out = p;
    return 0;
}

/* The name in the cache depends on the file's path, size and time, so that a
 * changed file never gets the index of an older one. */
static int location_in_cache(struct location *out, const char *path)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char key[PATH_MAX + 64], *real = realpath(path, NULL), hex[65];
    char stem[PATH_MAX + 96], *folder = NULL;
    struct stat st;
    int rc;

    if (!real || stat(path, &st)) {
        free(real);
        return bird_fail(BIRD_EIO, "%s: %s", path, strerror(errno));
    }
    snprintf(key, sizeof(key), "%s %lld %lld.%09ld", real,
             (long long)st.st_size, (long long)st.st_mtim.tv_sec,
             st.st_mtim.tv_nsec);
    free(real);
    bird_sha256(hex, key, strlen(key));
    if (base && base[0] == '/')
        snprintf(stem, sizeof(stem), "%s", base);
    else if (home && home[0] == '/')
        snprintf(stem, sizeof(stem), "%s/.cache", home);
    else
        return bird_fail(BIRD_EIO, "no cache folder: HOME is not set");
    rc = bird_path_join(&folder, stem, "dnabird");
    if (rc)
        return rc;
    snprintf(stem, sizeof(stem), "%s/%.32s", folder, hex);
    rc = location_of(out, stem);
    if (!rc)
        out->folder = folder, folder = NULL;
    free(folder);
    return rc;
}

/* Make the last two folders of the cache's path, unless they exist. */
static int cache_make(const struct location *p)
{
    char *slash = strrchr(p->folder, '/');
    int rc;

    *slash = '\0';
    rc = bird_folder_make(p->folder);
    *slash = '/';
    return rc ? rc : bird_folder_make(p->folder);
}

/* ---- an existing index --------------------------------------------------- */

/* One number and the tab or line end after it. */
static int take_number(int64_t *out, char **s, char end)
{
    char *stop;
    long long v;

    errno = 0;
    v = strtoll(*s, &stop, 10);
    if (stop == *s || errno || v < 0 || v > INT64_MAX / 4 || *stop != end)
        return 0;
    *out = v;
    *s = stop + (end != '\0');
    return 1;
}

/* Read the contig table of a .fai; 0, or an error: the index cannot be used. */
static int table_read(bird_genome *g, const char *fai)
{
    struct bird_text text = {0};
    char *line, *rest;
    int64_t number = 0;
    int rc = bird_file_read(&text, fai);

    if (!rc && (!text.n || memchr(text.s, '\0', (size_t)text.n)))
        rc = bird_fail(BIRD_EFORMAT, "%s: empty or binary", fai);
    rest = text.s;
    while (!rc && (line = strsep(&rest, "\n")) && (*line || rest)) {
        struct bird_fai_layout l = {.record = ++number};
        char *tab = strchr(line, '\t'), *s = tab ? tab + 1 : line;

        if (!tab || tab == line || !take_number(&l.length, &s, '\t') ||
            !take_number(&l.offset, &s, '\t') ||
            !take_number(&l.line_bases, &s, '\t') ||
            !take_number(&l.line_bytes, &s, '\0') ||
            l.line_bytes < l.line_bases || (l.length && !l.line_bases)) {
            rc = bird_fail(BIRD_EFORMAT, "%s: line %lld: malformed", fai,
                           (long long)number);
        } else {
            *tab = '\0';
            rc = bird_contig_add(g, line, &l);
        }
    }
    bird_text_free(&text);
    return rc;
}

/* First byte after the last base; -1 on overflow. */
static int64_t layout_end(const struct bird_fai_layout *l)
{
    int64_t lines, bytes;

    if (!l->length)
        return l->offset;
    lines = (l->length - 1) / l->line_bases;
    if (__builtin_mul_overflow(lines, l->line_bytes, &bytes) ||
        __builtin_add_overflow(bytes, l->offset, &bytes) ||
        __builtin_add_overflow(bytes, (l->length - 1) % l->line_bases + 1,
                               &bytes))
        return -1;
    return bytes;
}

/* Read n bytes at an offset of the uncompressed file, fewer at its end; -1
 * if it cannot be read. */
static int64_t read_bytes_at(const struct bird_genome *g, struct bird_input *in,
                             int64_t at, char *out, int64_t n)
{
    if (!bird_gzi_holds(&g->gzi, at) || bgzf_useek(in->fp, at, SEEK_SET) < 0)
        return -1;
    return bgzf_read(in->fp, out, (size_t)n);
}

/* The bytes between two contigs: from the last base of the first, if any, to
 * the first base of the second, or to the end of the file. */
struct gap {
    int64_t from, to; /* from is the last base of the contig before */
    int base_before;
    char *s;
    int64_t n; /* bytes in s */
};

static int gap_read(struct gap *gap, const struct bird_genome *g,
                    struct bird_input *in)
{
    int64_t want = gap->to - gap->from;

    if (want > GAP_BYTES)
        want = GAP_BYTES;
    gap->n = read_bytes_at(g, in, gap->from, gap->s, want);
    return gap->n >= gap->base_before &&
           (!gap->base_before || bird_letter_same[(unsigned char)gap->s[0]]);
}

/* Do they hold exactly one header line of that name, and white space? */
static int gap_fits(struct gap *gap, const struct bird_genome *g,
                    struct bird_input *in, const char *name)
{
    int64_t k = (int64_t)strlen(name), want = gap->to - gap->from, n, i;
    const char *s = gap->s;

    if (!gap_read(gap, g, in))
        return 0;
    n = gap->n;
    i = gap->base_before;
    if (n != (want < GAP_BYTES ? want : GAP_BYTES))
        return 0;
    if (!gap->from && n >= 3 && !memcmp(s, "\xef\xbb\xbf", 3))
        i = 3;
    while (i < n && bird_is_blank(s[i]))
        i++;
    if (i == n || s[i++] != '>')
        return 0;
    while (i < n && bird_is_blank(s[i]))
        i++;
    if (n - i < k || memcmp(s + i, name, (size_t)k) != 0 ||
        (i + k < n && !bird_is_blank(s[i + k])))
        return 0;
    for (i += k; i + 1 < n; i++) /* a second record in between? */
        if (s[i] == '\n' && !bird_is_blank(s[i + 1]))
            return 0;
    return n < want || i >= n || bird_is_blank(s[n - 1]);
}

/* Only white space up to the end of the file? */
static int tail_fits(struct gap *gap, const struct bird_genome *g,
                     struct bird_input *in)
{
    int fits;

    gap->to = gap->from + GAP_BYTES;
    fits = gap_read(gap, g, in) && gap->n < GAP_BYTES;
    for (int64_t i = gap->base_before; fits && i < gap->n; i++)
        fits = bird_is_blank(gap->s[i]);
    return fits;
}

/* Does the contig table describe this file? Gaps between contigs must hold
 * one header each, and the file must end with the last contig. every: compare the
 * names of all headers, not only of those that are quick to read. */
static int table_fits(const bird_genome *g, struct bird_input *in, int every)
{
    struct gap gap = {.s = malloc(GAP_BYTES)};
    int fits = gap.s && g->n;

    for (int64_t i = 0; i < g->n && fits; i++) {
        const struct bird_fai_layout *l = &g->contigs[i].layout;
        int64_t end = layout_end(l);

        gap.to = l->offset;
        fits = end >= 0 && gap.to > gap.from + gap.base_before;
        if (fits &&
            (every || i < 64 || i == g->n - 1 || gap.to - gap.from > SMALL_GAP))
            fits = gap_fits(&gap, g, in, g->contigs[i].name);
        gap.base_before = l->length > 0;
        gap.from = end - gap.base_before;
    }
    fits = fits && tail_fits(&gap, g, in);
    free(gap.s);
    return fits;
}

/* Was the file changed after its index was made? */
static int is_newer(const char *path, const char *index)
{
    struct stat file, other;

    return stat(path, &file) || stat(index, &other) ||
           file.st_mtim.tv_sec > other.st_mtim.tv_sec ||
           (file.st_mtim.tv_sec == other.st_mtim.tv_sec &&
            file.st_mtim.tv_nsec > other.st_mtim.tv_nsec);
}

/* Open with this index if it exists and fits: 1, else 0 or an error. */
static int location_use(bird_genome *g, const struct location *p)
{
    struct bird_input in = {0};
    int rc, fits = 0, bgzip;

    if ((rc = bird_input_open(&in, g->path)))
        return rc;
    bgzip = bird_input_kind(&in) == BIRD_INPUT_BGZIP;
    if (!p->fai || access(p->fai, R_OK) || (bgzip && access(p->gzi, R_OK)))
        goto done;
    if (bgzip && (rc = bird_gzi_open(&g->gzi, g->path, p->gzi)) <= 0)
        goto done;
    rc = 0;
    if (table_read(g, p->fai) ||
        (bgzip && bgzf_index_load(in.fp, p->gzi, NULL)) ||
        !table_fits(g, &in, is_newer(g->path, p->fai)))
        goto done;
    g->fai = fai_load3(g->path, p->fai, p->gzi, 0);
    fits = g->fai != NULL;
done:
    if (!fits) {
        bird_contigs_clear(g);
        bird_gzi_close(&g->gzi);
    }
    bird_input_close(&in);
    return rc ? rc : fits;
}

/* ---- a new index --------------------------------------------------------- */

/* Make the contig table by reading the file; *uneven: no index can describe
 * its lines. `r` ends at the end of the file, with its block offsets. */
static int scan(bird_genome *g, bird_fastx *r, int *uneven)
{
    bird_piece p;
    int rc;

    *uneven = 0;
    while ((rc = bird_fastx_next(r, &p)) > 0) {
        struct bird_fai_layout l;

        if (!p.last)
            continue;
        bird_fastx_layout(r, &l);
        *uneven |= l.uneven;
        if ((rc = bird_contig_add(g, p.name, &l)))
            break;
    }
    return rc;
}

static int table_text(const bird_genome *g, struct bird_text *out)
{
    int rc = 0;

    for (int64_t i = 0; i < g->n && !rc; i++) {
        const struct bird_fai_layout *l = &g->contigs[i].layout;

        rc = bird_text_printf(out, "%s\t%lld\t%lld\t%lld\t%lld\n",
                              g->contigs[i].name, (long long)l->length,
                              (long long)l->offset, (long long)l->line_bases,
                              (long long)l->line_bytes);
    }
    return rc;
}

/* Block offsets first: an index is complete once its .fai exists. */
static int location_write(const struct location *p, struct bird_input *in,
                          const struct bird_text *table)
{
    char *temporary;
    int bad, rc = p->folder ? cache_make(p) : 0;

    if (rc)
        return rc;
    if (bird_input_kind(in) == BIRD_INPUT_BGZIP) {
        if (asprintf(&temporary, "%s.tmp%ld", p->gzi, (long)getpid()) < 0)
            return bird_fail_memory(strlen(p->gzi));
        bird_leftover_file(temporary);
        bad = bgzf_index_dump(in->fp, temporary, NULL) ||
              rename(temporary, p->gzi);
        if (bad)
            unlink(temporary);
        bird_leftover_keep(temporary);
        free(temporary);
        if (bad)
            return bird_fail(BIRD_EIO, "%s: cannot be written", p->gzi);
    }
    return bird_file_write_beside(p->fai, table->s, (size_t)table->n);
}

/* Files without a name, for an index that cannot be written anywhere. */
static int load_unnamed(bird_genome *g, struct bird_input *in,
                        const struct bird_text *table)
{
    char fai[64], gzi[64];
    int fd[2] = {memfd_create("fai", MFD_CLOEXEC),
                 memfd_create("gzi", MFD_CLOEXEC)};
    int rc = 0;

    snprintf(fai, sizeof(fai), "/proc/self/fd/%d", fd[0]);
    snprintf(gzi, sizeof(gzi), "/proc/self/fd/%d", fd[1]);
    if (fd[0] >= 0 && fd[1] >= 0 &&
        write(fd[0], table->s, (size_t)table->n) == table->n &&
        (bird_input_kind(in) != BIRD_INPUT_BGZIP ||
         !bgzf_index_dump(in->fp, gzi, NULL)))
        g->fai = fai_load3(g->path, fai, gzi, 0);
    rc = bird_genome_note(g,
                          "%s: its index can be written neither beside it nor "
                          "in a cache folder and is rebuilt each time: run "
                          "samtools faidx",
                          g->path);
    for (int i = 0; i < 2; i++)
        if (fd[i] >= 0)
            close(fd[i]);
    return rc;
}

/* Write the index to the first writable location, and load it. */
static int index_put(bird_genome *g, struct bird_input *in,
                     const struct location *locations, int n_location)
{
    struct bird_text table = {0};
    int rc = table_text(g, &table);

    for (int i = 0; i < n_location && !rc && !g->fai; i++)
        if (locations[i].fai && !location_write(locations + i, in, &table))
            g->fai = fai_load3(g->path, locations[i].fai, locations[i].gzi, 0);
    if (!rc && !g->fai)
        rc = load_unnamed(g, in, &table);
    bird_text_free(&table);
    return rc;
}

static int index_make(bird_genome *g, const struct location *locations,
                      int n_location)
{
    bird_fastx *r = NULL;
    enum bird_input_kind kind;
    int uneven = 0, rc = bird_fastx_open(&r, g->path, BIRD_FASTX_RAW);

    if (rc)
        return rc;
    kind = bird_input_kind(bird_fastx_input(r));
    if (kind == BIRD_INPUT_BGZIP &&
        bgzf_index_build_init(bird_fastx_input(r)->fp)) {
        rc = bird_fail_memory(sizeof(BGZF));
        goto done;
    }
    if ((rc = scan(g, r, &uneven)))
        goto done;
    if (kind == BIRD_INPUT_GZIP || kind == BIRD_INPUT_ZSTD)
        rc = bird_genome_note(g,
                              "%s: %s has no random access, so the "
                              "contigs wanted are held in memory, one byte a "
                              "base: compress it with bgzip instead",
                              g->path,
                              kind == BIRD_INPUT_GZIP ? "plain gzip" : "zstd");
    else if (uneven)
        rc = bird_genome_note(g,
                              "%s: its lines are of uneven length, which no "
                              "index can describe, so the contigs wanted are "
                              "held in memory, one byte a base: write it with "
                              "even lines",
                              g->path);
    else
        rc = index_put(g, bird_fastx_input(r), locations, n_location);
done:
    bird_fastx_free(r);
    return rc;
}

int bird_faindex_open(bird_genome *g)
{
    struct location locations[2] = {{0}, {0}};
    int rc = location_of(&locations[0], g->path), stale;

    if (rc || (rc = location_use(g, &locations[0])))
        goto done;
    if (location_in_cache(&locations[1], g->path))
        locations[1] = (struct location){0};
    else if ((rc = location_use(g, &locations[1])))
        goto done;
    stale = bird_file_exists(locations[0].fai);
    /* another process may have made it since */
    if (stale && (rc = location_use(g, &locations[0])))
        goto done;
    if (stale) /* an index that does not fit is not replaced */
        location_free(&locations[0]);
    rc = index_make(g, locations, 2);
    if (!rc && g->fai && stale)
        rc = bird_genome_note(g,
                              "%s.fai does not fit %s (or its .gzi is "
                              "missing) and was not used: run samtools faidx "
                              "again",
                              g->path, g->path);
done:
    location_free(&locations[0]);
    location_free(&locations[1]);
    return rc < 0 ? rc : 0;
}

void bird_faindex_close(bird_genome *g)
{
    if (g->fai)
        fai_destroy(g->fai);
    g->fai = NULL;
    bird_gzi_close(&g->gzi);
}

/* Can htslib seek to base pos of the contig? */
static int is_there(const bird_genome *g, int64_t contig, int64_t pos)
{
    const struct bird_fai_layout *l = &g->contigs[contig].layout;

    return bird_gzi_holds(&g->gzi, l->offset +
                                       pos / l->line_bases * l->line_bytes +
                                       pos % l->line_bases);
}

int bird_faindex_fetch(bird_genome *g, int64_t contig, int64_t start,
                       int64_t end, char *out)
{
    const char *name = g->contigs[contig].name;

    while (start < end) {
        int64_t want = end - start < FETCH_BYTES ? end - start : FETCH_BYTES;
        int64_t good = 0;
        hts_pos_t n = 0;
        char *s = NULL;

        if (is_there(g, contig, start))
            s = faidx_fetch_seq64(g->fai, name, start, start + want - 1, &n);

        while (s && good < want && good < n &&
               bird_letter_same[(unsigned char)s[good]])
            good++;
        if (s && good == want)
            memcpy(out, s, (size_t)want);
        free(s);
        if (good < want)
            return bird_fail(BIRD_EFORMAT,
                             "%s: contig '%s' cannot be read at %lld-%lld: "
                             "the file is damaged, or its index (.fai, .gzi) "
                             "belongs to another: run samtools faidx again",
                             g->path, name, (long long)start + 1,
                             (long long)start + want);
        start += want;
        out += want;
    }
    return 0;
}
