/**
 * Filling a data set row by row, for the readers of labelled sequences.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_DATA_DATASET_H
#define BIRD_DATA_DATASET_H

#include "base/text.h"
#include "dnabird/dataset.h"

/**
 * A data set being read. Label texts are kept until the end, because they are
 * words as soon as one of them is not a number.
 */
struct bird_dataset_builder {
    struct bird_dataset d;
    const struct bird_dataset_options *o;
    const char *path;
    int64_t cap_row, cap_base, cap_text, cap_target, cap_contig, cap_weight;
    struct bird_text labels;      /* label texts, each ended by NUL */
    int64_t *label_at, cap_label; /* (n) index in labels; -1: none */
    int64_t cap_line;
    const char *label_column; /* where labels are, for messages */
};

/**
 * Add a row; `line` and `column` are for messages. Bases become upper case and U
 * becomes T; a character that a FASTA line may not hold (seq/alphabet.h) is an
 * error, so that no protein is learned.
 */
BIRD_MUST_CHECK int bird_dataset_add(struct bird_dataset_builder *b,
                                     const char *seq, int64_t len, int64_t line,
                                     const char *column);
/**
 * Append a text of token ids to the bases, with one blank between two ids, for
 * bird_dataset_add() with the option ids; *len becomes its length. Errors:
 * BIRD_EFORMAT not ids; BIRD_ERANGE an id that the vocabulary does not have
 */
BIRD_MUST_CHECK int bird_dataset_put_ids(struct bird_dataset_builder *b,
                                         const char *text, int64_t *len,
                                         int64_t line, const char *column);

/** Ids of one row; start with {0}. Owner: the caller, free(). */
struct bird_ids {
    int32_t *id; /* (n) */
    int64_t n, cap;
};
/** Read the text of a row of ids. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_ids_read(struct bird_ids *out, const char *text,
                                  int64_t len);

/** Give the row added last a label text, a name. */
BIRD_MUST_CHECK int bird_dataset_put_label(struct bird_dataset_builder *b,
                                           const char *label);
BIRD_MUST_CHECK int bird_dataset_put_name(struct bird_dataset_builder *b,
                                          const char *name);
/** Index of a contig's name, added when new. */
BIRD_MUST_CHECK int bird_dataset_contig(int32_t *out,
                                        struct bird_dataset_builder *b,
                                        const char *name);

/** Copies of n names become the names of the labels. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_dataset_name_labels(struct bird_dataset *d,
                                             const char *const *name,
                                             int64_t n);

/** BIRD_ERANGE: row i, of so many token ids or bp, has more than `most` tokens.
 *  @param path  the file of d */
BIRD_MUST_CHECK int bird_dataset_fail_long(const bird_dataset *d, int64_t i,
                                           const char *path, int64_t n,
                                           int64_t most);

/* The readers: fill b from b->path. */
BIRD_MUST_CHECK int bird_dataset_read_table(struct bird_dataset_builder *b,
                                            char separator);
BIRD_MUST_CHECK int bird_dataset_read_bins(struct bird_dataset_builder *b);

/** The classes of bases, when all rows were read: of the label texts, or of
 *  the intervals that the options name. Errors: BIRD_EFORMAT a text of another
 *  length, a class that the model does not have; BIRD_EINVAL no class at all */
BIRD_MUST_CHECK int bird_dataset_class_bases(struct bird_dataset_builder *b);

/** The classes of the answers of kind CLASS, one a row, or of kind BASES, one
 *  for each base whose class is known, row after row. Errors: BIRD_ENOMEM
 *  @param[out] out (n) the caller's, free() */
BIRD_MUST_CHECK int bird_dataset_classes(int32_t **out, int64_t *n,
                                         const bird_dataset *d);

/** Classes of the bases of row i, kind BASES; borrowed. */
static inline const uint8_t *bird_dataset_base_class(const bird_dataset *d,
                                                     int64_t i)
{
    return d->base_class + d->row[i].at;
}

/** Does the file begin like labelled bins? 0 when it cannot be read. */
int bird_is_bins(const char *path);

/** The format that the file's name, or its begin, says: one of those of
 *  bird_dataset_options, or "". */
const char *bird_dataset_format(const char *path);

/**
 * Of labelled bins, after bird_dataset_mark_fraction() with the same share and
 * seed: mark, too, the rows that begin within a row's length of a block that is
 * held out. Those left share no base with the rows that the fraction marked.
 *
 * @param mark (n) changed
 */
void bird_dataset_mark_near(uint8_t *mark, const bird_dataset *d,
                            double fraction, uint64_t seed);

/**
 * In how many rows of kind MULTI each label is known, and is 1.
 * Errors: BIRD_ENOMEM
 *
 * @param[out] known,positive (n_label)
 */
BIRD_MUST_CHECK int bird_labels_count(int64_t *known, int64_t *positive,
                                      const bird_dataset *d);

/** Mean and standard deviation of the known values of label k; 0 where there is
 *  none, or none differs. */
void bird_dataset_scale(double *mean, double *sd, const bird_dataset *d,
                        int64_t k);

/**
 * Leave labels out of a data set of kind MULTI; the others keep their order.
 * Rows without a known label stay.
 * Errors: BIRD_ENOMEM, d is as it was
 *
 * @param keep (n_label) 1: stays; at least one
 */
BIRD_MUST_CHECK int bird_labels_keep(bird_dataset *d, const uint8_t *keep);

#endif
