/**
 * Time of a run by named phase. At any time a thread is in one phase, the
 * innermost that it entered, so the phases add up. The default build has none
 * of this: the calls below compile to nothing. With `meson setup -Dtimer=true`
 * the benchmarks print the phases.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_BASE_TIMER_H
#define BIRD_BASE_TIMER_H

#include <time.h>

enum bird_phase {
    BIRD_PHASE_REST,     /* outside of all phases */
    BIRD_PHASE_WAIT,     /* the parallel loop, outside of its tasks' phases */
    BIRD_PHASE_OPEN,     /* model folder: weights, digest */
    BIRD_PHASE_READ,     /* reading sequence files */
    BIRD_PHASE_TOKENIZE, /* tokenizing */
    BIRD_PHASE_ENCODER,  /* forward, in inference */
    BIRD_PHASE_HEAD,     /* head, probabilities or loss; forward and backward */
    BIRD_PHASE_WRITE,    /* writing rows */
    BIRD_PHASE_FORWARD,  /* the encoder in training */
    BIRD_PHASE_BACKWARD,
    BIRD_PHASE_RECOMPUTE, /* layers recomputed for the backward pass */
    BIRD_PHASE_UPDATE,    /* the optimizer's step */
    BIRD_PHASES
};

#ifdef BIRD_TIMER
enum { BIRD_TIMER_ON = 1 };

/** Zero all phases and make this the leading thread. Not while a parallel loop
 *  runs. The caller chooses the clock: CLOCK_MONOTONIC, or processor time. */
void bird_timer_start(clockid_t clock);

/** Seconds of a phase since the start: those of the leading thread, plus those
 *  of parallel tasks divided by the number of threads. */
double bird_timer_seconds(enum bird_phase p);

/** Enter a phase; returns the previous one, for bird_timer_leave(). */
enum bird_phase bird_timer_enter(enum bird_phase p);
#else
enum { BIRD_TIMER_ON = 0 };

static inline void bird_timer_start(clockid_t clock)
{
    (void)clock;
}

static inline double bird_timer_seconds(enum bird_phase p)
{
    (void)p;
    return 0;
}

static inline enum bird_phase bird_timer_enter(enum bird_phase p)
{
    return p;
}
#endif

/** Return to the phase that bird_timer_enter() returned. */
static inline void bird_timer_leave(enum bird_phase before)
{
    (void)bird_timer_enter(before);
}

#endif
