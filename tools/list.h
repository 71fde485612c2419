/**
 * Lists of files on the command line: names between commas.
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_TOOLS_LIST_H
#define DNABIRD_TOOLS_LIST_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/**
 * Cut at the commas. Owner: the caller, list_free(). NULL: out of memory, or
 * text is NULL (then *n is 0).
 */
static inline const char **list_split(int64_t *n, const char *text)
{
    const char **part, *c;
    size_t count = 1;
    char *copy, *at;

    *n = 0;
    if (!text)
        return NULL;
    for (c = text; *c; c++)
        count += *c == ',';
    part = calloc(count, sizeof(*part));
    copy = strdup(text);
    if (!part || !copy) {
        free(part);
        free(copy);
        return NULL;
    }
    for (at = copy; at; at = strchr(at, ',')) {
        if (*n)
            *at++ = '\0';
        part[(*n)++] = at;
    }
    return part;
}

/** NULL is fine. */
static inline void list_free(const char **part)
{
    if (part)
        free((char *)part[0]);
    free(part);
}

#endif
