/**
 * JSON through jansson, with the file and field in every message.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_BASE_JSON_H
#define BIRD_BASE_JSON_H

#include <jansson.h>
#include <stdint.h>

#include "dnabird/error.h"

/**
 * Parse a file, or n bytes of text that messages call `path`. Duplicate keys
 * are refused. The root must be an object.
 * Owner: *out is the caller's, json_decref().
 * Errors: BIRD_EIO, BIRD_EFORMAT (with line and column), BIRD_ENOMEM.
 */
BIRD_MUST_CHECK int bird_json_open(json_t **out, const char *path);
BIRD_MUST_CHECK int bird_json_parse(json_t **out, const char *text, size_t n,
                                    const char *path);

/** Replaces json_dumps(), which must not be used: NULL without memory, also if
 *  an allocation for an object failed since the last call. Free with free(). */
char *bird_json_dump(const json_t *root, size_t flags);

/** A string; bytes that are not UTF-8, which JSON cannot have, become %HH: names of
 *  files and contigs may have them. NULL without memory. */
json_t *bird_json_string(const char *s);

struct bird_out;

/** Write atomically, indented, in the order of insertion. */
BIRD_MUST_CHECK int bird_json_write(const json_t *root, const char *path);

/** The same under a temporary name: bird_out_commit() gives the final one. */
BIRD_MUST_CHECK int bird_json_begin(struct bird_out *out, const json_t *root,
                                    const char *path);

/**
 * Optional typed fields of an object: *out is unchanged if the field is absent
 * or null. Errors: BIRD_EFORMAT another type, or a value outside lo .. hi; the
 * message names path and field.
 */
BIRD_MUST_CHECK int bird_json_int(int64_t *out, const json_t *o,
                                  const char *field, int64_t lo, int64_t hi,
                                  const char *path);
BIRD_MUST_CHECK int bird_json_real(double *out, const json_t *o,
                                   const char *field, double lo, double hi,
                                   const char *path);
BIRD_MUST_CHECK int bird_json_bool(int *out, const json_t *o, const char *field,
                                   const char *path);
/** *out is borrowed from o. */
BIRD_MUST_CHECK int bird_json_text(const char **out, const json_t *o,
                                   const char *field, const char *path);

#endif
