/**
 * Progress of a run: one type of callback for all long-running functions.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_PROGRESS_H
#define DNABIRD_PROGRESS_H

#include <stdint.h>

#include "dnabird/error.h"

BIRD_BEGIN_C

struct bird_finetune_state;
struct bird_pretrain_state;

/** Only numbers: the caller formats them. Strings and pointers are borrowed for
 *  the call. */
typedef struct bird_progress {
    const char *what; /* the part of the run: "scoring", "training" */
    const char *unit; /* unit: "bp", "records", "steps"; "": nothing is
                         counted */
    int64_t done;     /* units so far */
    int64_t total;    /* total units, the same in every call; -1: unknown */
    /* Further values of a training, or NULL (dnabird/train.h). */
    const struct bird_finetune_state *finetune;
    const struct bird_pretrain_state *pretrain;
    /* Where the total is unknown: share of the input's bytes that is done, above
     * 0 and up to 1; 0: unknown. */
    double share;
} bird_progress;

/**
 * Called from time to time by the thread that called the library, never by two
 * threads at once. A nonzero value requests a stop: the function returns
 * BIRD_ECANCELED as soon as it can, a training after a checkpoint.
 */
typedef int bird_progress_call(void *context, const bird_progress *p);

BIRD_END_C

#endif
