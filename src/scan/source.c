/* The sequences of a scan: a stream that is read once, or regions of an indexed
 * genome. A stream needs no index and no memory for a contig; regions need
 * random access. SPDX-License-Identifier: MIT */
#include "scan/source.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "dnabird/reference.h"

/* Make every contig a region. */
static int take_contigs(struct bird_source *s)
{
    int64_t n = bird_genome_count(s->genome);
    int rc = bird_array_grow(&s->regions.at, &s->regions.cap, n,
                             sizeof(*s->regions.at));

    for (int64_t i = 0; i < n && !rc; i++)
        s->regions.at[s->regions.n++] = (bird_region){
            .end = bird_genome_length(s->genome, i), .strand = '.', .index = i};
    return rc;
}

int bird_source_open(struct bird_source *s, const char *fasta,
                     const char *region, const char *regions, int divided)
{
    int rc;

    if (!region && !regions && !divided)
        return bird_fastx_open(&s->stream, fasta, 0);
    if ((rc = bird_genome_open(&s->genome, fasta)))
        return rc;
    return region || regions ? bird_regions_read(&s->regions, region, regions,
                                                 s->genome, BIRD_POINT_TO_END)
                             : take_contigs(s);
}

void bird_source_count(struct bird_source *s)
{
    s->total_bp = 0;
    for (int64_t i = 0; i < s->regions.n; i++)
        s->total_bp += s->regions.at[i].end - s->regions.at[i].start;
}

const char *bird_source_notice(const struct bird_source *s)
{
    const char *notice = s->genome ? bird_genome_notice(s->genome) : NULL;

    return notice ? notice : "";
}

/* Bases of the regions before a position; tiles may reach beyond a region. */
static int64_t regions_done(struct bird_source *s, int64_t region, int64_t end)
{
    const bird_region *r = s->regions.at;
    int64_t here;

    for (; s->region < region; s->region++)
        s->region_bp += r[s->region].end - r[s->region].start;
    here = end < r[region].end ? end : r[region].end;
    return s->region_bp + (here > r[region].start ? here - r[region].start : 0);
}

double bird_progress_share(int64_t done, int64_t n_read, int64_t byte,
                           int64_t n_byte)
{
    double share;

    if (n_byte <= 0 || byte <= 0 || n_read <= 0)
        return 0;
    share = (double)byte / (double)n_byte * ((double)done / (double)n_read);
    return share > 1 ? 1 : share;
}

int bird_source_report(struct bird_source *s,
                       const struct bird_source_position *at, int64_t n_read)
{
    bird_progress p = {"scoring", "bp", 0, s->total_bp, NULL, NULL, 0};

    if (!s->progress)
        return 0;
    if (s->stream) {
        int64_t byte, n_byte;

        bird_fastx_progress(s->stream, &byte, &n_byte);
        p.done = at->before + at->end;
        p.total = -1;
        p.share = bird_progress_share(p.done, n_read, byte, n_byte);
    } else {
        p.done = regions_done(s, at->region, at->end);
    }
    return s->progress(s->progress_context, &p)
               ? bird_fail(BIRD_ECANCELED, "stopped")
               : 0;
}

int bird_source_clip(const struct bird_source *s, int64_t *cursor,
                     int64_t contig, int64_t *start, int64_t *end,
                     int64_t limit)
{
    const bird_region *r = s->regions.at + *cursor;

    *end = limit;
    if (s->stream)
        return *start < limit;
    for (; *cursor < s->regions.n; ++*cursor, r++)
        if (r->index > contig || (r->index == contig && r->end > *start))
            break;
    if (*cursor == s->regions.n || r->index != contig || r->start >= limit)
        return 0;
    *start = r->start > *start ? r->start : *start;
    *end = r->end < limit ? r->end : limit;
    return *start < *end;
}

void bird_source_close(struct bird_source *s)
{
    bird_fastx_free(s->stream);
    bird_genome_free(s->genome);
    bird_regions_free(&s->regions);
    *s = (struct bird_source){0};
}

void bird_scan_note(char *text, size_t size, const char *sentence)
{
    size_t n = strlen(text);

    if (*sentence)
        snprintf(text + n, size - n, "%s%s", n ? "; " : "", sentence);
}

int bird_scan_differs(char *notice, size_t size,
                      const struct bird_scan_width *w, int n)
{
    char sentence[256] = "", width[80];
    int differs = 0;

    for (int i = 0; i < n; i++) {
        if (w[i].own < 1 || w[i].is == w[i].own)
            continue;
        snprintf(width, sizeof(width), "%s%s %lld (the model's: %lld)",
                 differs++ ? ", " : "", w[i].option, (long long)w[i].is,
                 (long long)w[i].own);
        strncat(sentence, width, sizeof(sentence) - strlen(sentence) - 1);
    }
    if (!differs)
        return 0;
    strncat(sentence,
            ": the model's thresholds and accuracy were measured with the "
            "model's own values",
            sizeof(sentence) - strlen(sentence) - 1);
    bird_scan_note(notice, size, sentence);
    return 1;
}

void bird_build_check(char *notice, size_t size, const json_t *meta,
                      const char *contig, int64_t length)
{
    json_t *genome = json_object_get(meta, "genome"), *v;
    const char *build = json_string_value(json_object_get(genome, "name"));
    const char *name;

    if (notice[0])
        return;
    json_object_foreach(json_object_get(genome, "contigs"), name, v)
    {
        if (bird_contig_compare(name, contig) ||
            json_integer_value(v) == length)
            continue;
        snprintf(notice, size,
                 "contig %s has %lld bp, but %lld in %s, on which the model "
                 "was trained: is this a different genome build?",
                 contig, (long long)length, (long long)json_integer_value(v),
                 build ? build : "the genome");
        return;
    }
}
