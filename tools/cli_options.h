/**
 * Options that several commands have, each written once: rows of an option
 * table, for opt_parse(). The argument of a macro is where the value is stored.
 *
 * The same letter means the same in every command; docs/cli.md has the table
 * of all of them, and a test compares it with what the program has.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TOOLS_CLI_OPTIONS_H
#define BIRD_TOOLS_CLI_OPTIONS_H

#include "cli.h"
#include "opt.h"

/* clang-format off */

/* Inputs and outputs. */
#define CLI_MODEL_OF(v, name)                                                  \
    {'m', "model", OPT_MODEL, v, "DIR",                                        \
     "model folder (default: " name ", which comes with dnabird)"}
#define CLI_MODEL(v) CLI_MODEL_OF(v, "regulatory")
#define CLI_START_MODEL(v) CLI_MODEL_OF(v, BIRD_MODEL_OF_STARTS)
#define CLI_ALLELE_MODEL(v) CLI_MODEL_OF(v, BIRD_MODEL_OF_ALLELES)
#define CLI_REFERENCE(v)                                                       \
    {'f', "reference", OPT_TEXT, v, "FASTA",                                   \
     "reference genome, plain or bgzipped"}
#define CLI_REFERENCES(v)                                                      \
    {'f', "reference", OPT_NAMES, v, "FILES",                                  \
     "reference FASTA; several separated by commas"}
#define CLI_REGION(v)                                                          \
    {'r', "region", OPT_LIST, v, "REGION",                                     \
     "only these regions, as chr:start-end, or chr:start to the end of the "   \
     "contig; several separated by commas, or -r again"}
#define CLI_REGIONS(v, help) {'R', "regions-file", OPT_ONCE, v, "BED", help}
#define CLI_SHARD(v, help) {0, "shard", OPT_TEXT, v, "I/N", help}
#define CLI_TRANSCRIPTS(f)                                                     \
    {0, "gtf-feature", OPT_TEXT, &(f)->feature, "TYPES",                       \
     "features of a GTF or GFF3 file that start at a start site (default: "    \
     "transcript; in GFF3 mRNA too)"},                                         \
    {0, "gtf-attribute", OPT_LINES, &(f)->attributes, "KEY=VALUE",             \
     "only features of a GTF or GFF3 file with this attribute; given again: "  \
     "with all of them"}
#define CLI_OUTPUT(v)                                                          \
    {'o', "output", OPT_OUT, v, "FILE",                                        \
     "output file (default: standard output)"}
#define CLI_STDOUT(v)                                                          \
    {'o', "output", OPT_STDOUT, v, "FILE",                                     \
     "output file (default: standard output)"}
#define CLI_FOLDER(v)                                                          \
    {'o', "output", OPT_TEXT, v, "DST",                                        \
     "the folder to make, instead of the last argument"}
/* cli_format() has the format then, with the same words */
#define CLI_FORMAT(v, words)                                                   \
    {'O', "format", OPT_CHOICE, v, "auto|" words,                              \
     "output format; auto: by the output's name, else the first"}
#define CLI_METRIC_FORMATS "tsv|json|features"
#define CLI_TRACK_FORMAT(v, command)                                           \
    {'O', "format", OPT_WORD, v, cli_formats(command),                         \
     "output format; auto: by the output's name, else the first"}
#define CLI_INDEX(v)                                                           \
    {'W', "write-index", OPT_FLAG, v, NULL, "index the compressed output"}
#define CLI_JSON(v)                                                            \
    {0, "json", OPT_RESULT, v, "FILE", "write a summary of the run as JSON"}
#define CLI_NO_VERSION(v)                                                      \
    {0, "no-version", OPT_FLAG, v, NULL,                                       \
     "leave version and command line out of the output"}

/* Sequence and windows. */
#define CLI_FEATURES(v)                                                        \
    {'F', "features", OPT_ONCE, v, "TERMS",                                    \
     "only these features: names, class:DHS, cell:K562, globs, label:3"}
#define CLI_LIST(v)                                                            \
    {'l', "list", OPT_FLAG, v, NULL,                                           \
     "print the (chosen) features of the model as TSV and exit"}
#define CLI_CELL(v)                                                            \
    {0, "cell", OPT_ONCE, v, "NAME",                                           \
     "only the labels of this cell type, such as HepG2 (--features cell:NAME)"}
#define CLI_WINDOW(v)                                                          \
    {'w', "window", OPT_SIZE, v, "BP",                                         \
     "window width (default: from the model)"}
#define CLI_STRIDE(v)                                                          \
    {'s', "stride", OPT_SIZE, v, "BP",                                         \
     "bp from window to window (default: from the model); calls with another " \
     "stride need -T"}
#define CLI_STRAND(v)                                                          \
    {0, "strand", OPT_STRAND, v, "both|+|-", "strand to score"}
#define CLI_MODEL_STRAND(v)                                                    \
    {0, "strand", OPT_STRAND, v, "model|given|both",                           \
     "model: as the model folder says; both: mean probability of both strands"}
#define CLI_RAW(v)                                                             \
    {0, "raw", OPT_FLAG, v, NULL,                                              \
     "raw model outputs instead of calibrated probabilities, for thresholds "  \
     "too"}
#define CLI_MAX_N(v)                                                           \
    {0, "max-n", OPT_SHARE, v, "REAL",                                          \
     "skip sequence with a larger share of bases other than A, C, G, T"}
#define CLI_GENES(v)                                                           \
    {0, "genes", OPT_ONCE, v, "FILE",                                          \
     "BED, GTF or GFF3: add the gene with the nearest transcription start "    \
     "site and the distance to it (tables and VCF)"}
#define CLI_SHORT(v)                                                           \
    {0, "short", OPT_CHOICE, v, "skip|score",                                  \
     "sequences shorter than the window; models that predict bins always "   \
     "score them"}
#define CLI_MIN_LENGTH(v)                                                      \
    {0, "min-length", OPT_SIZE, v, "BP",                                       \
     "do not score sequences shorter than BP (default: one bin for models "    \
     "that predict bins, else none)"}
#define CLI_SEED(v) {0, "seed", OPT_SIZE, v, "INT", "random seed"}
/* Of a bird_evaluate_options. */
#define CLI_EVALUATION(o, rows, file, calibrate_on)                            \
    OPT_HEADING("Metrics"),                                                    \
    {0, "min-positives", OPT_COUNT, &(o)->min_positives, "INT",                  \
     "medians are over labels with at least this many positives and this "     \
     "many negatives"},                                                        \
    CLI_SEED(&(o)->metrics.seed),                                              \
    {0, "json", OPT_OUT, &(o)->json, "FILE", "write the metrics as JSON"},     \
    OPT_HEADING("Baselines and calibration"),                                  \
    CLI_BASELINES(o, file, rows),                                              \
    {0, "calibrate", OPT_FLAG, &(o)->calibrate, NULL,                          \
     "calibrate the model on these " rows calibrate_on},                       \
    OPT_HEADING("Model"),                                                      \
    CLI_RAW(&(o)->raw),                                                        \
    CLI_RUN(&(o)->run)
#define CLI_BASELINES(o, file, rows)                                           \
    {0,        "baseline-train",                                               \
     OPT_TEXT, &(o)->baseline_train,                                           \
     file,     "fit the baselines on these " rows " instead of taking the "    \
           "model's"},                                                         \
    {                                                                          \
        0, "keep-baselines", OPT_FLAG, &(o)->keep_baselines, NULL,             \
            "store the fitted baselines in the model folder"                   \
    }

#define CLI_BOOTSTRAP(v, help) {0, "bootstrap", OPT_SIZE, v, "INT", help}

/* How a model is run: of a bird_model_run. */
#define CLI_PRECISION(v)                                                       \
    {0, "precision", OPT_CHOICE, v, "float32|bfloat16|int8",                   \
     "arithmetic precision of the encoder; all but float32 need oneDNN"}
#define CLI_RANDOM_BLOCKS(v)                                                   \
    {0, "random-blocks", OPT_CHOICE, v, "model|plan|zero|none",                \
     "random blocks of sparse attention: as in the model folder, the seeded "  \
     "plan, block 0, or none"}
#define CLI_HEAD(v)                                                            \
    {0, "head", OPT_WORD, v, cli_heads(),                                      \
     "head: that of transformers, or a linear one on pooler, token 0 or the "  \
     "mean of all tokens; token: a class of each token"}
#define CLI_TOKEN_TYPE(v)                                                      \
    {0, "token-type", OPT_SIZE, v, "INT",                                       \
     "token_type_id for all tokens, only for models with more than one type "  \
     "(default: from the model)"}
#define CLI_RUN(run)                                                           \
    CLI_PRECISION(&(run)->precision), CLI_RANDOM_BLOCKS(&(run)->blocks),       \
    CLI_TOKEN_TYPE(&(run)->token_type),                                        \
    {0, "pad-to", OPT_SIZE, &(run)->pad_to, "INT",                             \
     "pad sequences with masked padding to this many tokens, as scripts that " \
     "pad batches do (default: off)"}
#define CLI_THREADS                                                            \
    {'t', "threads", OPT_THREADS, NULL, "INT",                                 \
     "threads (default: the cores this process may use)"}

/* Variants: of a bird_variant_params. */
#define CLI_VARIANT_FILES(w) CLI_ALLELE_MODEL(&(w)->model), CLI_REFERENCE(&(w)->fasta)
#define CLI_VARIANT_WINDOW(w)                                                  \
    OPT_HEADING("Windows and strands"), CLI_WINDOW(&(w)->window_bp),           \
    CLI_STRAND(&(w)->strand),                                                  \
    {0, "span", OPT_SIZE, &(w)->span_bp, "BP",                                  \
     "models that predict bins: read the bins within BP of the variant or "    \
     "region (default: 500)"},                                                 \
    CLI_MAX_N(&(w)->max_unknown)
#define CLI_VARIANT(w)                                                         \
    CLI_VARIANT_WINDOW(w),                                                     \
    {0, "shifts", OPT_TEXT, &(w)->shifts, "LIST",                              \
     "score windows moved by each of these bp, such as 0,7,14, on each "       \
     "strand; scores are the means, and sd, the noise bar, is the standard "   \
     "deviation. After a slash, the list for insertions and deletions only: "  \
     "0/1,4,5; or 0,7,14/5d: five windows, spaced by the length of the "       \
     "change, for models whose rows or bins have several bases. "              \
     "One number: one window, moved to the right (default: as the model's "    \
     "background was made; else 0,7,14/5d for models that predict bins, "      \
     "0,7,14 where tokens or rows have several bases, 0 otherwise)"},          \
    {0, "tokens", OPT_CHOICE, &(w)->tokens, "auto|both|anchored|free",         \
     "how alleles are tokenized: ALT at the token borders of REF (anchored); " \
     "the mean of this and of REF at the token borders of ALT (both); each by "\
     "itself (free). auto: as the background was made, else both"},            \
    CLI_PRECISION(&(w)->precision)

/* Labelled sequences: of a bird_dataset_options. */
#define CLI_DATA(d)                                                            \
    {0, "data-format", OPT_TEXT, &(d)->format, "FORMAT",                       \
     "csv, tsv, fasta, bed or bins (default: from the file)"},                 \
    {0, "sequence-column", OPT_TEXT, &(d)->sequence, "NAME",                   \
     "column of the sequence"},                                                \
    {0, "label-column", OPT_TEXT, &(d)->label, "NAME",                         \
     "column of the label; several separated by commas for a multi-label "     \
     "model"},                                                                 \
    {0, "values", OPT_TEXT, &(d)->values, "NAMES",                             \
     "columns of measured values in the place of labels, separated by "        \
     "commas; NA: not measured"},                                              \
    {0, "ids", OPT_FLAG, &(d)->ids, NULL,                                      \
     "the sequence column of CSV and TSV has token ids between blanks, "       \
     "special tokens included, as 'tokenize --special' writes them"},          \
    {0, "labels", OPT_TEXT, &(d)->labels, "FILE",                              \
     "of FASTA: names and labels, separated by a tab; with a head on tokens, " \
     "of BED rows: BED of intervals, whose column 4 is the class of their "    \
     "bases"}
#define CLI_DATA_REFERENCE(d)                                                  \
    {'f', "reference", OPT_TEXT, &(d)->reference, "FILES",                     \
     "reference FASTA of BED rows and labelled bins; several separated by "    \
     "commas"}

/* Windows of bins: references, peaks and other starts are opt_names, the rest
 * is of a bird_bin_files and a bird_bin_options. */
#define CLI_BINS(fasta, peaks_, others, f)                                     \
    CLI_REFERENCES(fasta),                                                     \
    {0, "profiles", OPT_TEXT, &(f)->in.profiles, "TSV",                        \
     "list of profiles, as of 'dataset chromatin': name, class, file, id ..."},\
    {0, "peaks", OPT_NAMES, peaks_, "FILES",                                   \
     "peak files; several separated by commas"},                               \
    {'p', "sites", OPT_TEXT, &(f)->sites, "FILE",                              \
     "start sites with a strand: BED6, GTF or GFF3; labels TSS+ and TSS-"}
#define CLI_BINS_UNKNOWN(others, f)                                            \
    {'a', "other-sites", OPT_NAMES, others, "FILES",                           \
     "further start sites: bins near them have no known TSS label"},           \
    {0, "mask", OPT_TEXT, &(f)->mask, "TSV",                                   \
     "label and contig where the label is unknown"},                           \
    {'x', "exclude", OPT_TEXT, &(f)->exclude, "BED",                           \
     "labels of bins that touch these regions are unknown"},                   \
    {0, "name-column", OPT_FLAG, &(f)->in.name_column, NULL,                   \
     "profiles are the distinct names in column 4 of --peaks"}
#define CLI_BINS_SETTINGS(f, o, default_)                                      \
    {0, "site-distance", OPT_SIZE, &(o)->site_bp, "BP",                        \
     "start sites within BP of a bin label it, too" default_},                   \
    {0, "other-distance", OPT_SIZE, &(o)->other_bp, "BP",                      \
     "labels of bins within BP of another start site are unknown" default_},   \
    {0, "no-auto-mask", OPT_CLEAR, &(o)->mask_empty, NULL,                     \
     "a profile without a peak on a contig has label 0 there, not unknown"}

/* Training: of a bird_train_options. */
#define CLI_START(o)                                                           \
    {0, "init", OPT_MODEL, &(o)->init, "MODEL", "start from this model"},      \
    {0, "preset", OPT_TEXT, &(o)->preset, "NAME",                              \
     "start from random weights: tiny, small, base or large"}
#define CLI_RUN_FOLDER(o, out_name)                                            \
    {'o', "output", OPT_TEXT, &(o)->out, out_name,                             \
     "folder of the run, then of the model"}
#define CLI_TOKENIZER(o)                                                       \
    {0, "tokenizer", OPT_TEXT, &(o)->tokenizer, "FILE",                        \
     "tokenizer.json (default: that of --init)"}
/* Of random weights. */
#define CLI_ARCHITECTURE(o)                                                    \
    OPT_HEADING("Model"),                                                      \
    {0, "config", OPT_TEXT, &(o)->config, "FILE",                              \
     "start from random weights with this config.json"},                       \
    {0, "pattern", OPT_TEXT, &(o)->pattern, "NAME[,OPTION=VALUE...]",          \
     "--preset, --config: attention pattern, as of 'init' (default: from "     \
     "config.json, or bigbird)"},                                              \
    {0, "attention-map", OPT_TEXT, &(o)->map, "NAME[:PARAMETER]",              \
     "--preset, --config: map of attention scores to probabilities, as of "    \
     "'init' (default: softmax)"},                                             \
    {0, "dropout", OPT_SHARE, &(o)->dropout, "REAL",                            \
     "dropout probability (default: from config.json)"},                       \
    {0, "note", OPT_TEXT, &(o)->note, "TEXT", "note kept in the model"}
/* steps_help: what no --steps means differs by command. */
#define CLI_STEPS(o, steps_help)                                               \
    {0, "steps", OPT_SIZE, &(o)->steps, "INT", steps_help}
#define CLI_LR(o)                                                              \
    {0, "lr", OPT_REAL, &(o)->lr, "REAL", "peak learning rate"}
#define CLI_UPDATES(o)                                                         \
    {0, "schedule", OPT_CHOICE, &(o)->constant, "linear|constant",             \
     "learning rate after the warm-up"},                                       \
    {0, "optimizer", OPT_CHOICE, &(o)->optimizer,                              \
     "adamw|adamw-hf|bertadam|muon",                                           \
     "AdamW of torch, of transformers 4.17, BERT's Adam, or Muon for the "     \
     "encoder's matrices"},                                                    \
    {0, "weight-decay", OPT_REAL, &(o)->weight_decay, "REAL",                  \
     "weight decay; not of biases and LayerNorm"}
#define CLI_WARMUP(o, help) {0, "warmup", OPT_REAL, &(o)->warmup, "REAL", help}
#define CLI_WARMUP_STEPS                                                       \
    "warm-up: a share of the steps, or, from 1 on, steps"
#define CLI_COST(o)                                                            \
    OPT_HEADING("Memory and speed"),                                           \
    {0, "pack-tokens", OPT_SIZE, &(o)->pack_tokens, "INT",                      \
     "tokens of one forward pass; bounds memory"},                             \
    CLI_TRAIN_PRECISION(&(o)->model.precision)
#define CLI_RECOMPUTE(o)                                                       \
    {0, "recompute", OPT_FLAG, &(o)->recompute, NULL,                          \
     "recompute activations: less memory, a third more work"}
#define CLI_CHECKPOINTS(o, default_)                                           \
    {0, "checkpoint-every", OPT_SIZE, &(o)->checkpoint_every, "INT",           \
     "updates between checkpoints (default: " default_ ")"}
#define CLI_VALIDATE_EVERY(v, default_)                                        \
    {0, "validate-every", OPT_SIZE, v, "INT",                                  \
     "updates between validations (default: " default_ ")"}
#define CLI_CLIP(o)                                                            \
    {0, "clip", OPT_REAL, &(o)->clip, "REAL",                                  \
     "largest norm of a gradient; a longer one is scaled to it; 0: off"}
#define CLI_TRAIN_SETTINGS(o)                                                  \
    CLI_CLIP(o),                                                               \
    {0, "centre-gradients", OPT_FLAG, &(o)->centre, NULL,                      \
     "subtract from the gradients of a stem's filters and of a linear head "   \
     "their mean over inputs"}
#define CLI_RESUME(o)                                                          \
    {0, "resume", OPT_FLAG, &(o)->resume, NULL,                                \
     "continue from the checkpoint in the folder, if there is one"},           \
    CLI_FORCE(&(o)->force)
#define CLI_FORCE(v)                                                           \
    {0, "force", OPT_FLAG, v, NULL,                                            \
     "start again over an interrupted run, and discard its results"}
#define CLI_RESUME_FILE(o, what)                                               \
    {0, "resume", OPT_FLAG, &(o)->resume, NULL,                                \
     "continue an interrupted " what " (FILE.partial)"},                       \
    CLI_FORCE(&(o)->force)
#define CLI_TRAIN_PRECISION(v)                                                 \
    {0, "precision", OPT_CHOICE, v, "float32|bfloat16",                        \
     "arithmetic precision of the encoder; bfloat16 needs oneDNN. Weights, "   \
     "gradients and moments stay float32"}

/* Rows of genomes for pretraining: of a bird_sample_options. */
#define CLI_LENGTH(s)                                                          \
    {0, "length", OPT_SIZE, &(s)->length_tok, "TOKENS",                       \
     "tokens of a row, special ones included (default: as many as the model "  \
     "reads)"}
#define CLI_SAMPLE(s)                                                          \
    OPT_HEADING("Rows"),                                                       \
    {0, "include", OPT_TEXT, &(s)->include, "BED",                             \
     "only these regions; a BED file, or contigs and regions separated by "    \
     "commas, as below"},                                                      \
    {'x', "exclude", OPT_TEXT, &(s)->exclude, "BED", "never these regions"},   \
    {0, "sampling", OPT_CHOICE, &(s)->kind, "windows|documents",               \
     "rows from anywhere, or from documents of sentences"},                    \
    {0, "nsp", OPT_FLAG, &(s)->next_sentence, NULL,                            \
     "next-sentence prediction: rows of two parts"},                           \
    CLI_MAX_N(&(s)->max_n)

/* clang-format on */

#endif
