/**
 * Peak files into the sort: profiles and contigs by number, odd peaks counted.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_PEAKS_IN_H
#define BIRD_TRAIN_PEAKS_IN_H

#include "data/peak_sort.h"
#include "data/profile_list.h"
#include "data/reference.h"

/** Start with {0} but for the borrowed parts. */
struct bird_peaks_in {
    const struct bird_profile_list *list;
    const struct bird_reference *ref;
    struct bird_peak_sort *sort;
    int64_t *n_peak;    /* (profiles, ref->n) peaks on each contig */
    int64_t n_line;     /* peaks read */
    int64_t n_other_id; /* of ids that the list does not have */
    int64_t n_contig;   /* on contigs that the reference does not have */
    int64_t n_behind;   /* wholly behind a contig's end */
    int64_t n_clipped;  /* that reached over it */
    char example[80];   /* such a contig, or "" */
    char guess[256];    /* a file of one profile whose column 4 looks like
                           names of several, as a sentence, or "" */
};

/**
 * Read the peaks: of each source's file, or, when n_common > 0, of these
 * files, whose column 4 names the profile.
 * Errors: BIRD_EIO; BIRD_EFORMAT with file and line; BIRD_EINVAL nothing is
 * left on the reference; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_peaks_read(struct bird_peaks_in *p,
                                    const char *const *common,
                                    int64_t n_common);
void bird_peaks_in_free(struct bird_peaks_in *p);

#endif
