/**
 * The table of output formats, and what their writers share.
 *
 * A format is a row of the table: its name for -O, the endings of its file
 * names, the commands that write it, the content it takes, its container and
 * index, and functions that put a header and rows to one output object. A new
 * format is a name in BIRD_FORMATS and a file that defines bird_format_NAME; no
 * other file names it.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRACK_WRITER_H
#define BIRD_TRACK_WRITER_H

#include "base/text.h"
#include "dnabird/reference.h"
#include "dnabird/track.h"
#include "track/output.h"

struct bird_vcf;
struct bird_vcf_record;

/* clang-format off */
/** The formats; the first that a command writes is its default. */
#define BIRD_FORMATS(row)                                                  \
    row(vcf) row(tsv_bins) row(bed) row(bedgraph) row(bigwig) row(gff3)    \
    row(tsv) row(windows) row(vcf_bgzip) row(bcf_plain) row(bcf)           \
    row(tsv_alleles) row(kipoi) row(bed_alleles) row(svg) row(table)
/* clang-format on */

/** How the parts of a sharded output are joined. */
enum bird_join {
    BIRD_JOIN_CAT,    /* concatenated; only the first has a header */
    BIRD_JOIN_CONCAT, /* by bcftools concat; every part has the header */
    BIRD_JOIN_NONE    /* not at all: the format is not written in parts */
};

/** The content that a command gives to a format. */
enum bird_content {
    BIRD_CONTENT_CALLS,    /* runs of windows or bins above the threshold */
    BIRD_CONTENT_SEGMENTS, /* one value along the sequence */
    BIRD_CONTENT_WINDOWS,  /* every window, scored or not */
    BIRD_CONTENT_CELLS,    /* rows of cells, in any order */
    BIRD_CONTENT_PICTURE,  /* text of a picture */
    BIRD_CONTENT_FIELDS,   /* records: all columns as INFO */
    BIRD_CONTENT_ALLELES,  /* records: all columns, one row for each allele */
    BIRD_CONTENT_SCORES,   /* the same, only scores */
    BIRD_CONTENT_LARGEST   /* the same, only the largest difference */
};

enum bird_cell_type {
    BIRD_CELL_TEXT,    /* NULL is missing */
    BIRD_CELL_INTEGER, /* a negative one is missing */
    BIRD_CELL_SIGNED,  /* an integer; INT64_MIN is missing */
    BIRD_CELL_REAL,    /* NAN is missing */
    BIRD_CELL_FLOAT,   /* the same, nine digits: reads back as the same float */
    BIRD_CELL_DOUBLE,  /* 17 digits: reads back as the same double */
    BIRD_CELL_FLAG     /* of INFO: 0 or 1 */
};

/** A typed column. Texts are borrowed. */
struct bird_column {
    const char *name; /* in tables */
    enum bird_cell_type type;
    int once; /* INFO: 1: one value for the record; 0: one for each ALT */
    const char *feature; /* scores: the feature; else NULL */
    const char *score;   /* scores: the score; else NULL */
    const char *id;      /* INFO: the name is PREFIX_id */
    const char *about;   /* INFO: the description */
};

/** By the column's type; integers and flags are in `integer`. */
struct bird_cell {
    double real;
    int64_t integer;
    const char *text;
};

/** What some formats need in addition to bird_track_options. Start with {0}. */
struct bird_track_extra {
    const struct bird_column *column; /* (n_column) of cells and records */
    int64_t n_column;
    const bird_genome *genome; /* for formats that begin with all contigs */
    const char *background;    /* a line of provenance, or NULL */
    int significant;           /* segments: six significant digits, not six
                                  decimals */
    int resumable, restart;    /* as of bird_output_options */
    int64_t from_bytes;   /* > 0: resume there; the header is already written */
    struct bird_vcf *vcf; /* records: their source */
    const char *prefix;   /* of INFO */
    int drop_genotypes;
    const char *const *header; /* (n_header) of VCF: texts of lines that
                                  describe features */
    int64_t n_header;
    const char *label;    /* before the names of score columns */
    const char *settings; /* what the numbers depend on: a line of tables,
                             whatever no_version says; or NULL */
    int any_order;        /* 1: rows need not be sorted */
    int headless; /* 1: a part after the first: no header if the format's
                             parts are joined by concatenation */
};

/** A track being written. */
struct bird_track {
    const struct bird_format *format;
    bird_track_options
        options; /* texts belong to the caller: valid for the header */
    struct bird_track_extra extra;
    struct bird_output *output;
    struct bird_text line; /* the current row as text */
    struct bird_text contig;
    int64_t start, largest_bp, n_row, record;
    void *own; /* belongs to the format */
};

/** A row of the table. Functions may be NULL. begin, put and record append text
 *  to t->line, which is written when they return. */
struct bird_format {
    const char *name;     /* for -O */
    const char *suffixes; /* ".bedgraph .bg", without .gz */
    const char *about;    /* for the help: "bed: calls, with ..." */
    unsigned commands;    /* BIRD_WRITES(...) joined by | */
    enum bird_content content;
    enum bird_container container;
    enum bird_index index;
    enum bird_join join;
    const char *library;    /* optional library that writes it; or NULL */
    int (*available)(void); /* 0, or BIRD_EUNSUPPORTED in this build */
    int needs_contigs;      /* the header lists all contigs: extra.genome */
    int (*begin)(
        struct bird_track *t); /* the header; not called when resumed */
    int (*put)(struct bird_track *t, const bird_track_row *row,
               const struct bird_cell *cell);
    /** n rows of cells (n, n_column); alt (n) the alleles, "." for none */
    int (*record)(struct bird_track *t, struct bird_vcf_record *r, int64_t n,
                  const char *const *alt, const struct bird_cell *cell);
    int (*end)(struct bird_track *t); /* before the output is closed */
    void (*free)(struct bird_track *t);
};
#define BIRD_WRITES(command) (1U << (command))

#define BIRD_FORMAT_ROW(name)                                                  \
    extern const struct bird_format bird_format_##name;
BIRD_FORMATS(BIRD_FORMAT_ROW)
#undef BIRD_FORMAT_ROW

/** Row i of the table; NULL at its end. */
const struct bird_format *bird_format_at(int i);

/**
 * Choose a command's format: by name; without a name by the path's ending, which
 * must be that of a format; a path without an ending has the default.
 * Errors: BIRD_EINVAL an unknown name or ending
 */
BIRD_MUST_CHECK int bird_format_choose(const struct bird_format **out,
                                       enum bird_track_command command,
                                       const char *name, const char *path);

/** 1: the path has an ending of the format, compressed or not */
int bird_format_ends(const struct bird_format *f, const char *path);

/** A command's format that takes this content; NULL: it has none. */
const struct bird_format *bird_format_of(enum bird_track_command command,
                                         enum bird_content content);

/** Check that this build can write the format to the path. Errors: BIRD_EINVAL,
 *  BIRD_EUNSUPPORTED */
BIRD_MUST_CHECK int bird_format_check(const struct bird_format *f,
                                      const char *path, int index);

/** Check that the format can be written in parts, such as "2/3" (NULL: not in
 *  parts). Errors: BIRD_EINVAL */
BIRD_MUST_CHECK int bird_format_check_shard(const struct bird_format *f,
                                            const char *shard);

/** bird_track_open() with a format of the table and its extra options (NULL:
 *  none; borrowed until the track is closed). */
BIRD_MUST_CHECK int bird_track_begin(bird_track **out,
                                     const struct bird_format *f,
                                     const bird_track_options *o,
                                     const struct bird_track_extra *x);

/** bird_track_put() with the cells of further columns; NULL: none. */
BIRD_MUST_CHECK int bird_track_put_with(bird_track *t,
                                        const bird_track_row *row,
                                        const struct bird_cell *cell);

/** A row of cells (n_column): contig, start and end of `row` are read. */
BIRD_MUST_CHECK int bird_track_put_cells(bird_track *t,
                                         const bird_track_row *row,
                                         const struct bird_cell *cell);

/** A record's rows: alt (n), cell (n, n_column). */
BIRD_MUST_CHECK int bird_track_put_record(bird_track *t,
                                          struct bird_vcf_record *r, int64_t n,
                                          const char *const *alt,
                                          const struct bird_cell *cell);

/** Put text unchanged: a picture, or a line that begins with '#'. */
BIRD_MUST_CHECK int bird_track_put_text(bird_track *t, const char *text,
                                        int64_t n);

/** Note the end of a contig or record in bp, to choose the kind of index. */
void bird_track_reach(bird_track *t, int64_t end);

/* --- for writers --------------------------------------------------------- */

/** Append the header to t->line: provenance lines if they are wanted, "#", the
 *  fixed columns, then those of cells. */
BIRD_MUST_CHECK int bird_track_header(struct bird_track *t, const char *fixed);
/** Append a tab and a cell to t->line; `missing` if it has no value. */
BIRD_MUST_CHECK int bird_track_cell(struct bird_track *t,
                                    enum bird_cell_type type,
                                    const struct bird_cell *cell,
                                    const char *missing);

/** The usual prefix of INFO fields, and most characters of one. */
#define BIRD_VCF_PREFIX "BIRD"
enum { BIRD_VCF_PREFIX_MOST = 32 };

/** Check that it is a letter, then letters and digits. Errors: BIRD_EINVAL */
BIRD_MUST_CHECK int bird_vcf_prefix_check(const char *prefix);

/** Append a number as VCF text: six significant digits. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_vcf_number(struct bird_text *out, double v);

/** BIRD_EINVAL unless value is a probability and the summit is in the call. */
BIRD_MUST_CHECK int bird_track_check_call(const bird_track_row *r);

/** A probability as a BED score: round(1000 p) within 0..1000. */
int bird_track_score(double probability);

#endif
