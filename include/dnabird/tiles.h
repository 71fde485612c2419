/**
 * Windows of W bp with stride S, over a stream or over regions.
 *
 * A contig of length L > W has windows at 0, S, 2S, ... as long as they fit; if
 * the last of these does not end at L, another window does. A contig of 0 < L
 * <= W is one window of L bp; an empty one has none. So the windows depend only
 * on L, W and S. They never cross contigs. For the other strand use
 * bird_reverse_complement(). Coordinates are 0-based half-open in base pairs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_TILES_H
#define DNABIRD_TILES_H

#include <stdint.h>

#include "dnabird/error.h"
#include "dnabird/intervals.h"
#include "dnabird/reference.h"

BIRD_BEGIN_C

/** Largest window and stride, bp. */
#define BIRD_WINDOW_MAX (INT64_C(1) << 40)

/** Number of windows of a contig of `length` bp; 0 if width or stride < 1. */
BIRD_API int64_t bird_window_count(int64_t length, int64_t width,
                                   int64_t stride);

/** Start and end of window i, 0 <= i < bird_window_count(). */
BIRD_API void bird_window_at(int64_t *start, int64_t *end, int64_t length,
                             int64_t width, int64_t stride, int64_t i);

/** One window. Pointers live until the next call. */
typedef struct bird_window {
    int64_t index;    /* number of the window, from 0 */
    int64_t contig;   /* index of the contig in its file */
    const char *name; /* of the contig */
    int64_t region;   /* index of the region, -1 when over a stream */
    int64_t start, end;
    const char *seq;   /* (end - start) bases, no NUL */
    int64_t n_unknown; /* characters other than A, C, G, T among them */
    int last;          /* 1: the last one of its contig or region */
} bird_window;

/** Counts so far. */
typedef struct bird_window_tally {
    int64_t n_contig; /* contigs (regions) finished, empty ones included */
    int64_t n_empty;  /* empty contigs */
    int64_t n_bp;     /* bases of the contigs (regions) so far */
    int64_t n_window;
} bird_window_tally;

typedef struct bird_windows bird_windows;

/**
 * Windows over a stream, in order, in the memory of one window and one piece.
 *
 * Owner   *out is the caller's, bird_windows_free(); r is borrowed: it must
 *         outlive the windows and must not be read otherwise
 * Errors  BIRD_EINVAL width or stride outside 1 .. BIRD_WINDOW_MAX
 */
BIRD_API BIRD_MUST_CHECK int bird_windows_stream(bird_windows **out,
                                                 bird_fastx *r, int64_t width,
                                                 int64_t stride);

/**
 * Windows of a contig that overlap a region of a genome, in the order of the
 * regions; if these are sorted, each window comes once.
 *
 * Owner   g and list are borrowed and must outlive the windows
 * Errors  BIRD_EINVAL; BIRD_ERANGE a region that bird_regions_resolve() has not
 *         resolved on g
 */
BIRD_API BIRD_MUST_CHECK int
bird_windows_regions(bird_windows **out, bird_genome *g,
                     const bird_regions *list, int64_t width, int64_t stride);

BIRD_API void bird_windows_free(bird_windows *w);

/**
 * The next window.
 *
 * Errors  those of bird_fastx_next() or bird_genome_fetch()
 *
 * @return 1 with *out filled, 0 at the end, or a negative bird_status
 */
BIRD_API BIRD_MUST_CHECK int bird_windows_next(bird_windows *w,
                                               bird_window *out);

BIRD_API void bird_windows_count(const bird_windows *w, bird_window_tally *out);

/**
 * The reverse complement of n bases. All IUPAC codes have their complement
 * (R-Y, K-M, B-V, D-H; S, W, N themselves; U gives A); case is kept, any other
 * character is unchanged. out may be seq itself.
 */
BIRD_API void bird_reverse_complement(char *out, const char *seq, int64_t n);

BIRD_END_C

#endif
