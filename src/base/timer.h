/**
 * Where the time of a run goes: named phases. Every moment of a thread belongs
 * to one phase, the innermost that it entered; so phases add up. The default
 * build has none of this: the calls below compile to nothing. With
 * `meson setup -Dtimer=true` the benchmarks print the phases.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_BASE_TIMER_H
#define BIRD_BASE_TIMER_H

#include <time.h>

enum bird_phase {
    BIRD_PHASE_REST,     /* no phase was entered */
    BIRD_PHASE_WAIT,     /* the parallel loop, outside of its tasks' phases */
    BIRD_PHASE_OPEN,     /* model folder: weights, digest */
    BIRD_PHASE_READ,     /* bytes of files to sequence */
    BIRD_PHASE_TOKENIZE, /* sequence to tokens */
    BIRD_PHASE_ENCODER,  /* forward, in inference */
    BIRD_PHASE_HEAD,     /* head, probabilities or loss; forward and backward */
    BIRD_PHASE_WRITE,    /* rows to files */
    BIRD_PHASE_FORWARD,  /* the encoder in training */
    BIRD_PHASE_BACKWARD,
    BIRD_PHASE_RECOMPUTE, /* layers that run again for the backward pass */
    BIRD_PHASE_UPDATE,    /* the optimizer's step */
    BIRD_PHASES
};

#ifdef BIRD_TIMER
enum { BIRD_TIMER_ON = 1 };

/** Zero all phases; this thread leads. Not while a parallel loop runs. The
 *  clock is the caller's: CLOCK_MONOTONIC, or the processor's time. */
void bird_timer_start(clockid_t clock);

/** Seconds of a phase since the start: those of the leading thread, and those
 *  of the tasks of parallel loops over the number of threads. */
double bird_timer_seconds(enum bird_phase p);

/** From now on this thread's time is that phase's; returns the phase before,
 *  for bird_timer_leave(). */
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

/** Back to the phase that bird_timer_enter() returned. */
static inline void bird_timer_leave(enum bird_phase before)
{
    (void)bird_timer_enter(before);
}

#endif
