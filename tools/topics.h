/**
 * The pages that `dnabird help TOPIC` prints. The build makes topics.c from
 * docs/formats.md and docs/scores.md (topics.awk).
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOOLS_TOPICS_H
#define BIRD_TOOLS_TOPICS_H

struct topic {
    const char *name;         /* "formats" */
    const char *about;        /* a few words */
    const char *const *lines; /* text without line feeds; ends with NULL */
};

/** Ends with a row whose name is NULL. */
extern const struct topic topics[];

#endif
