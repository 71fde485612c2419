/**
 * Failing calls: what fault_run wants of the library that is loaded before the
 * program, and what that saw. Both map this.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TEST_FAULT_H
#define BIRD_TEST_FAULT_H

#include <stdatomic.h>
#include <stdint.h>

/** Calls that are counted together. */
enum fault_kind {
    FAULT_NONE,
    FAULT_WRITE,
    FAULT_READ,
    FAULT_FSYNC,
    FAULT_RENAME,
    FAULT_OPEN,
    FAULT_CLOSE,
    FAULT_STAT,
    FAULT_SEEK,
    FAULT_FOLDER,   /* made, and read */
    FAULT_TRUNCATE, /* and room taken beforehand */
    FAULT_MMAP,
    FAULT_MALLOC,
    FAULT_THREAD,
    FAULT_KINDS
};

/** Instead of an errno: half of what is asked for is done. */
enum { FAULT_SHORT = -1 };

enum { FAULT_STACKS = 1 << 16, FAULT_WHAT = 256 };

/** Descriptors of the program that it is told by. */
enum { FAULT_FD_SHARED = 200, FAULT_FD_ASK, FAULT_FD_ANSWER };

struct fault {
    /* wanted */
    int kind, error;
    int from;   /* 1: that call and all later ones */
    int record; /* 1: note which allocations have a call stack of their own */
    char more[32]; /* an argument besides; or "" */
    int64_t at;    /* the call that fails, from 1; 0: none */
    /* seen */
    _Atomic int64_t calls;
    _Atomic int hit; /* calls that failed */
    int fd;          /* of the first of them; -1: by name */
    char what[FAULT_WHAT];
    char died_in[FAULT_WHAT]; /* the file whose code a signal ended */
    int64_t n_stack;
    int64_t first[FAULT_STACKS]; /* the call with which each stack came first */
};

#endif
