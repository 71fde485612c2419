/**
 * Inside pictures: named stretches in lanes below columns.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRACK_LANES_H
#define BIRD_TRACK_LANES_H

#include "track/page.h"

enum { BIRD_SPANS_SHOWN = 64 };

/** Where a picture's stretches go. */
struct bird_lanes {
    double left, size, right;   /* of the first column; of each; the edge */
    double high, notes_high;    /* of all lanes; of the lines below */
    int lane[BIRD_SPANS_SHOWN]; /* of each stretch; -1: it has no room */
    int64_t left_out;           /* how many have none */
};

/** Give each stretch the first lane in which it and its name have room. */
void bird_lanes_lay(struct bird_lanes *l, const struct bird_heat *h,
                    double left, double size, double right);

/** Draw them from y on, and their notes, a line each. */
void bird_lanes_put(struct bird_markup *m, const struct bird_heat *h,
                    const struct bird_lanes *l, double y);
void bird_lanes_put_notes(struct bird_markup *m, const struct bird_heat *h,
                          const struct bird_lanes *l, double y);

#endif
