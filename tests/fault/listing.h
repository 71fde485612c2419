/**
 * What files a run left: their names and sums. For programs of tests: what goes
 * wrong in here ends the program.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TEST_LISTING_H
#define BIRD_TEST_LISTING_H

#include <stdint.h>

enum { FILES = 512 };

struct file {
    char path[256];
    uint64_t sum;
    int vague; /* of two undisturbed runs two different ones */
};
struct listing {
    struct file at[FILES];
    int n;
};

void die(const char *what);

/** Everything in the folder at hand and in folders in it. */
void listing_read(struct listing *l);
const struct file *listing_find(const struct listing *l, const char *path);

/** The first of `a` that `b` has not, or has otherwise; NULL: none. */
const struct file *listing_other(const struct listing *a,
                                 const struct listing *b);

/** Empty a folder. */
void listing_remove(const char *folder);

/** A file, or a folder of files, of ../in. */
void listing_copy(const char *name);

#endif
