/**
 * From peaks of chromatin profiles to bins with labels: lists of profiles, peak
 * files, an external sort, and a sweep whose memory is that of the peaks over
 * one position.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_DATA_PEAKS_H
#define BIRD_DATA_PEAKS_H

#include <jansson.h>
#include <stdint.h>

#include "data/references.h"
#include "dnabird/dataset.h"
#include "dnabird/error.h"
#include "dnabird/features.h"
#include "seq/annotation.h"

struct bird_peak_source {
    char *path;      /* of a file of this profile's peaks, or NULL */
    char *id;        /* its name in column 4 of a common file, or NULL */
    int32_t profile; /* index into features */
};

/** Start with {0}. */
struct bird_profile_list {
    bird_features features;
    struct bird_peak_source *source; /* (n_source) */
    int64_t n_source, cap_source;
    int has_path, has_id; /* columns that the list has */
};

void bird_profile_list_free(struct bird_profile_list *l);

/**
 * Read a list: TSV with a header line of the columns name (required), class,
 * cell_type, factor, treatment, index, file, id; others are ignored. Rows of one
 * name are one profile with several sources. The path of a file is relative to
 * the folder of the list.
 * Errors: BIRD_EIO; BIRD_EFORMAT with file and line; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_profile_list_read(struct bird_profile_list *l,
                                           const char *path);

/** One profile for each file, named like the file without folder and endings.
 *  Errors: BIRD_EINVAL two files of one name. */
BIRD_MUST_CHECK int bird_profile_list_files(struct bird_profile_list *l,
                                            const char *const *path, int64_t n);

/** More distinct names than this are names of peaks, not of profiles. */
enum { BIRD_COLUMN_NAMES = 20000 };

/** Does column 4 of a file that is one profile look like profiles' names?
 *  Start with {0}. */
struct bird_column_guess {
    json_t *names; /* how often each name was read */
    int no;        /* 1: it does not: lines without a name, or too many names */
};

/** Look at a line. Errors: BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_column_guess_add(struct bird_column_guess *g,
                                          const struct bird_bed_line *line);
/** At the end of a file: the number of names, if each was read at least twice;
 *  else 0. Empties g for the next file. */
int64_t bird_column_guess_end(struct bird_column_guess *g);

/** The list at f->profiles, or (NULL) one of the distinct names in column 4 of
 *  the peak files, or one profile a file. Errors: as above; BIRD_EINVAL the
 *  list names no files, and none is given; or it names files, and others are
 *  given; or files with ids belong to several profiles */
BIRD_MUST_CHECK int bird_profile_list_open(struct bird_profile_list *l,
                                           const bird_profile_files *f);

/**
 * Where labels are not known (1): by a file, and where a profile has no peak on
 * a contig.
 * Owner: *unknown is the caller's.
 * Errors: BIRD_EIO; BIRD_EFORMAT, BIRD_EINVAL with file and line; BIRD_ENOMEM
 *
 * @param[out] unknown (ref->n, f->n)
 * @param path   TSV of labels (a name, or a choice as bird_features_select())
 *               and contigs ('*': all); NULL: none
 * @param n_peak (n_profile, ref->n) peaks of the first labels, which are
 *               profiles; NULL: a profile without peaks is known
 */
BIRD_MUST_CHECK int bird_label_masks(uint8_t **unknown, const bird_features *f,
                                     const struct bird_reference *ref,
                                     const char *path, const int64_t *n_peak,
                                     int64_t n_profile);

struct bird_peak {
    int64_t start, end; /* 0-based half-open, start < end */
    int32_t contig, profile;
};

struct bird_peak_sort;

/**
 * @param memory bytes to use, at least 64 KiB; @param folder where the
 * temporary file goes, which has no name and goes with the process
 */
BIRD_MUST_CHECK int bird_peak_sort_new(struct bird_peak_sort **out,
                                       int64_t memory, const char *folder);
void bird_peak_sort_free(struct bird_peak_sort *s);
/** Errors: BIRD_EIO the temporary file cannot be written. */
BIRD_MUST_CHECK int bird_peak_sort_add(struct bird_peak_sort *s,
                                       const struct bird_peak *p);
/** End adding; reading begins at the first peak. */
BIRD_MUST_CHECK int bird_peak_sort_finish(struct bird_peak_sort *s);
/** The next by contig, start, end, profile: 1, 0 at the end, or an error. */
BIRD_MUST_CHECK int bird_peak_sort_next(struct bird_peak_sort *s,
                                        struct bird_peak *out);

/** Start with {0} but for the borrowed parts. */
struct bird_peaks_in {
    const struct bird_profile_list *list;
    const struct bird_reference *ref;
    struct bird_peak_sort *sort;
    int64_t *n_peak;    /* (profiles, ref->n) peaks on each contig */
    int64_t n_line;     /* peaks read */
    int64_t n_other_id; /* of ids that the list does not have */
    int64_t n_contig;   /* on contigs that the reference does not have */
    int64_t n_behind;   /* that begin after their contig's end */
    int64_t n_clipped;  /* cut at their contig's end */
    char example[80];   /* such a contig, or "" */
    char guess[256];    /* notice of a file of one profile whose column 4 looks
                           like names of profiles, or "" */
};

/**
 * Read the peaks: of f->peaks when their column 4 names the profile, else of
 * each source's file.
 * Errors: BIRD_EIO; BIRD_EFORMAT with file and line; BIRD_EINVAL nothing is
 * left on the reference; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_peaks_read(struct bird_peaks_in *p,
                                    const bird_profile_files *f);
void bird_peaks_in_free(struct bird_peaks_in *p);

/** When a bin has a profile's label: at least `least` bases of its part
 *  lo .. hi (counted from the bin's start) lie in the union of the profile's
 *  peaks. */
struct bird_overlap_rule {
    int64_t lo, hi, least;
};

/**
 * "half" more than half of the bin (DeepSEA), "any" one base, "centre" its
 * middle base (Sei), or a share X with 0 < X <= 1: at least X of the bin
 * (Selene: 0.5).
 * Errors: BIRD_EINVAL
 */
BIRD_MUST_CHECK int bird_overlap_parse(struct bird_overlap_rule *out,
                                       const char *text, int64_t bin);

struct bird_bin_sweep;

/** Owner: peaks are borrowed, and read from their first one. */
BIRD_MUST_CHECK int bird_bin_sweep_new(struct bird_bin_sweep **out,
                                       struct bird_peak_sort *peaks,
                                       int64_t bin, int64_t n_profile,
                                       const struct bird_overlap_rule *rule);
void bird_bin_sweep_free(struct bird_bin_sweep *s);

/** A bin with labels; they live until the next one. */
struct bird_labelled_bin {
    int32_t contig;
    int64_t number;       /* it begins at number x bin bp */
    const int32_t *label; /* (n) profiles, rising */
    int64_t n;
};

/**
 * The next bin that has a label, in the order of contigs and positions.
 * @return 1, 0 at the end, or a negative bird_status
 */
BIRD_MUST_CHECK int bird_bin_sweep_next(struct bird_bin_sweep *s,
                                        struct bird_labelled_bin *out);

#endif
