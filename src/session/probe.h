/**
 * A stopwatch inside a scan: every moment of the thread that leads it belongs
 * to one part, so the parts add up to the whole. Without one (NULL) these
 * functions do nothing.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PREDICT_PROBE_H
#define BIRD_PREDICT_PROBE_H

#include "dnabird/bench_scan.h"
#include "model/config.h"

/** Start with the first two, the rest 0; bird_probe_free(). */
struct bird_probe {
    double (*now)(void);
    int64_t max_bp; /* bird_bench_scan_options */
    enum bird_scan_part part;
    double since, second[BIRD_SCAN_PARTS];
    struct bird_config c;  /* of the model that was scanned with */
    int64_t weights_bytes; /* copies in lower precision included */
    int64_t n_bp, n_scored_bp;
    int64_t *length; /* (longest + 1) sequences computed by their tokens */
    int64_t longest, cap;
};

/** Begin anew: nothing counted, the moment belongs to the part. */
void bird_probe_start(struct bird_probe *p, enum bird_scan_part part);

/** From now on it is this part's time; returns the part before. */
enum bird_scan_part bird_probe_enter(struct bird_probe *p,
                                     enum bird_scan_part part);

/** Seconds by its clock; any thread. */
double bird_probe_now(const struct bird_probe *p);

/** So many seconds of one part were another's. */
void bird_probe_move(struct bird_probe *p, enum bird_scan_part from,
                     enum bird_scan_part to, double seconds);

/** A sequence of n tokens is computed. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_probe_length(struct bird_probe *p, int64_t n);

void bird_probe_free(struct bird_probe *p);

/** bird_promoter_scan() with a stopwatch, or NULL. */
BIRD_MUST_CHECK int
bird_promoter_scan_probed(bird_promoter_summary *out,
                          const bird_promoter_scan_options *o,
                          struct bird_probe *p);

#endif
