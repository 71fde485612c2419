/**
 * How far a long run is: one type of callback, for every function that takes
 * long.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_PROGRESS_H
#define DNABIRD_PROGRESS_H

#include <stdint.h>

struct bird_finetune_state;
struct bird_pretrain_state;

/** Numbers alone: how they are written is the caller's. Texts and pointers are
 *  borrowed for the call. */
typedef struct bird_progress {
    const char *what; /* the part of the run: "scoring", "training" */
    const char *unit; /* what is counted: "bp", "records", "steps"; "": nothing
                         is, it just goes on */
    int64_t done;     /* units so far */
    int64_t total;    /* units in all; -1: not known. Of a file it is estimated
                         by the share of its bytes that was read, so it moves;
                         it is never less than done */
    /* What a training has to say in addition, or NULL (dnabird/train.h). */
    const struct bird_finetune_state *finetune;
    const struct bird_pretrain_state *pretrain;
} bird_progress;

/**
 * Called now and then by the thread that called the library, never by two at
 * a time. Nonzero asks for an end: the function returns BIRD_ECANCELED as soon
 * as it can, a training after a checkpoint.
 */
typedef int bird_progress_call(void *context, const bird_progress *p);

#endif
