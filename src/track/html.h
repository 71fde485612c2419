/**
 * A page that stands alone: no script, nothing fetched, light or dark as the
 * reader prefers, well-formed XML. Texts from outside are escaped.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRACK_HTML_H
#define BIRD_TRACK_HTML_H

#include <stdint.h>

#include "track/markup.h"

/** Head, style, and a heading with a line below it (NULL: none). */
void bird_html_begin(struct bird_markup *m, const char *title,
                     const char *below);
void bird_html_end(struct bird_markup *m);

/** A section; `note`, a sentence below its heading, may be NULL. */
void bird_html_section(struct bird_markup *m, const char *title,
                       const char *note);
void bird_html_section_end(struct bird_markup *m);

/** The same folded: the reader opens it. */
void bird_html_folded(struct bird_markup *m, const char *title);
void bird_html_folded_end(struct bird_markup *m);

/** Pictures side by side where there is room; a wide one takes the line. */
void bird_html_figures(struct bird_markup *m);
void bird_html_figure(struct bird_markup *m, int wide);
void bird_html_figure_end(struct bird_markup *m);
void bird_html_figures_end(struct bird_markup *m);

/** A row of large figures, each with what it is. */
void bird_html_tiles(struct bird_markup *m);
void bird_html_tile(struct bird_markup *m, const char *value, const char *what);
void bird_html_tiles_end(struct bird_markup *m);

/**
 * A table: begin, perhaps a head, rows, end; caption may be NULL. Cells that
 * read as numbers stand to the right, and so do names in the head from column
 * n_text on.
 */
void bird_html_table(struct bird_markup *m, const char *caption);
void bird_html_head(struct bird_markup *m, const char *const *cell, int64_t n,
                    int64_t n_text);
void bird_html_row(struct bird_markup *m, const char *const *cell, int64_t n);
/** A name and what it is, as text: tables of settings. */
void bird_html_pair(struct bird_markup *m, const char *name, const char *value);
void bird_html_table_end(struct bird_markup *m);

void bird_html_paragraph(struct bird_markup *m, const char *text);

#endif
