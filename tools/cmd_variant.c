/*
 * dnabird variant: the effects of the variants in a VCF, by
 * bird_variant_run(); variant background: the null distribution of a model,
 * for e-values and z-scores.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "cli_options.h"
#include "dnabird/dnabird.h"

/* Print a notice, and keep the one about contig names, so that it is not repeated. */
static void say_at_once(void *context, const char *sentence)
{
    cli_say("%s", sentence);
    if (!strncmp(sentence, "contig names: ", 14))
        snprintf(context, 600, "%s", sentence);
}

static const struct opt_usage usage = {
    "variant",
    "[options] -f ref.fa in.vcf -o out.vcf.gz",
    "Predicts the effect of every allele of a VCF or BCF ('-': standard\n"
    "input) and writes it annotated, or as a table. STATUS says why an\n"
    "allele has no scores. A masked-language model (`dnabird pretrain`) gives\n"
    "log-likelihood ratios. 'dnabird variant background' makes a model's\n"
    "null distribution, for e-values and z-scores.",
    "Scores: p_ref, p_alt, diff, logit, e, z, deepsea_effect (default: diff "
    "for models of several features, else all but deepsea_effect); of a "
    "masked-language model ll_ref, ll_alt, llr, e, z, distance, distance_e, "
    "distance_z (default: all without distance); with several --shifts also "
    "sd, agreement, logit_sd, distance_sd; with --zero-shot combined. The "
    "score motif is the change of motif matches: it needs no model, and "
    "--scores motif opens none (-m is not used). Models with a motif weight "
    "(activity) also have the score effect: diff plus that weight times motif. "
    "Both are then written unless --scores or --motifs none is given.\n"
    "'dnabird help status' explains STATUS, 'dnabird help scores' the "
    "scores, 'dnabird help formats' fields and columns.",
    0,
    1,
    "one VCF or BCF is needed ('-' for standard input)"};

static int parse(int *argc, char ***argv, bird_variant_options *o, int *list,
                 const char **json)
{
    struct opt_usage u = usage;
    struct cli_text notes = {.n = 0};
    const char *cell = NULL;
    int status;
    const struct opt opts[] = {
        CLI_VARIANT_FILES(&o->params),
        CLI_OUTPUT(&o->output),
        CLI_TRACK_FORMAT(&o->format, BIRD_TRACK_VARIANT),
        {'r', "region", OPT_LIST, &o->region, "REGION",
         "only records here, as chr:start-end, or chr:pos for one base; "
         "several separated by commas, or -r again"},
        CLI_REGIONS(&o->regions, "only records in these regions"),
        {'F', "features", OPT_ONCE, &o->features, "TERMS",
         "write the scores of these features too"},
        {0, "cell", OPT_ONCE, &cell, "NAME",
         "the same of the labels of this cell type, such as HepG2 (--features "
         "cell:NAME); the largest difference stays that of all labels"},
        CLI_LIST(list),
        {0, "scores", OPT_TEXT, &o->scores, "LIST",
         "scores to write, separated by commas, of those named below"},
        {0, "check-ref", OPT_CHOICE, &o->check_ref, "error|warn|skip|swap",
         "where REF differs from the reference: stop; leave the allele "
         "without scores, with a warning or silently; or score the ALT that "
         "equals the reference, with the sign reversed"},
        CLI_THREADS,
        CLI_VARIANT(&o->params),
        OPT_HEADING("Further inputs"),
        {0, "motifs", OPT_TEXT, &o->motifs, "FILE|jaspar|none",
         "motifs of the score 'motif': a file in TRANSFAC's, JASPAR's or "
         "MEME's format, or those of JASPAR 2024 that come with dnabird "
         "(default: jaspar, if the model has a motif weight or the score is in "
         "--scores)"},
        {0, "zero-shot", OPT_MODEL, &o->zero_shot, "DIR",
         "masked-language model with a background, for the score 'combined'"},
        {0, "table", OPT_ONCE, &o->table, "FILE",
         "indexed table of `dnabird mutate -R`: alleles in it are not "
         "computed again"},
        CLI_GENES(&o->genes),
        {0, "contig-map", OPT_TEXT, &o->contig_map, "FILE",
         "lines with the name of a contig in the VCF and in the reference"},
        OPT_HEADING("Output"),
        CLI_INDEX(&o->index),
        {0, "long", OPT_FLAG, &o->long_rows, NULL,
         "-O tsv: a row per allele and feature"},
        {0, "prefix", OPT_TEXT, &o->prefix, "WORD",
         "prefix of the VCF fields, one per model (default: BIRD)"},
        {0, "kipoi-name", OPT_TEXT, &o->label, "NAME",
         "-O kipoi: prefix of the columns' names, such as DeepSEA/predict"},
        {0, "drop-genotypes", OPT_FLAG, &o->drop_genotypes, NULL,
         "VCF and BCF: write no samples"},
        CLI_JSON(json),
        CLI_NO_VERSION(&o->no_version),
        OPT_HEADING("Large inputs"),
        CLI_SHARD(&o->shard,
                  "write the I-th of N parts of about the same number of "
                  "records, to be joined by `bcftools concat --naive`; of "
                  "tables only the first has the header, and `cat` of all in "
                  "order is the table"),
        CLI_RESUME_FILE(o, "run"),
        OPT_FILE_ONLY,
        {0, "top", OPT_SIZE, &o->top, "INT",
         "number of features with the largest differences that the summary "
         "names"},
    };

    cli_put(&notes, "%s %s", bird_track_formats_about(BIRD_TRACK_VARIANT),
            usage.notes);
    u.notes = notes.s;
    status = opt_parse(argc, argv, opts, N_OPT(opts), &u);
    return status == OPT_GO ? cli_cell(&o->features, cell) : status;
}

static void tell(const bird_variant_summary *s, double seconds)
{
    struct cli_text t = {.n = 0};

    cli_put(&t, "%s%s, %s", cli_count(s->n_record, "record"),
            s->by_index ? " read by the index" : "",
            cli_count(s->n_allele, "allele"));
    for (int i = 0; i < BIRD_VARIANT_STATUSES; i++)
        if (s->status[i])
            cli_put(&t, ", %s %s", bird_variant_status_name(i),
                    cli_count(s->status[i], ""));
    cli_put_some(&t, ", outside the regions ", s->n_outside, "", "");
    if (s->n_feature) {
        cli_put(&t, "; windows of %s: %s", cli_count(s->window_bp, "bp"),
                cli_count(s->n_sequence, "model evaluation"));
        cli_put_some(&t, " (", s->n_cached, "", " from cache)");
        cli_put_some(&t, "; ", s->n_free, "allele", " re-tokenized");
    }
    cli_put_some(&t, "; ", s->n_motif, "motif", "");
    cli_put_some(&t, "; ", s->n_table, "allele", " from the table");
    cli_put_some(&t, "; cut ", s->n_trimmed, "sequence",
                 " to the model's length");
    cli_put(&t, " (%.1f alleles/s)",
            seconds > 0 ? (double)(s->n_allele - s->n_resumed_allele) / seconds
                        : 0);
    cli_say("%s", t.s);
    if (s->n_allele && !s->status[BIRD_VARIANT_OK] &&
        !s->status[BIRD_VARIANT_SWAPPED])
        cli_say("warning: no allele was scored; 'dnabird help status' explains "
                "the reasons above");
    if (s->n_moved)
        cli_say("%s near contig ends: window shifted inward",
                cli_count(s->n_moved, "allele"));
    if (s->n_cut)
        cli_say("%s on contigs shorter than the window%s (SHORT=1)",
                cli_count(s->n_cut, "allele"),
                s->calibrated ? ": no e-value or z-score" : "");
}

/* Print the contig names that were found since the notice `said`, or all of
 * them where the list is too long to be compared. */
static void say_more_contigs(const char *contigs, const char *said)
{
    static const char before[] = "contig names: ",
                      after[] = " in the reference";
    size_t n = strlen(said);

    if (!*contigs)
        return;
    if (n > strlen(before) + strlen(after)) {
        said += strlen(before);
        n -= strlen(before) + strlen(after);
        if (!strncmp(contigs, said, n) && !contigs[n])
            return;
        if (!strncmp(contigs, said, n) && !strncmp(contigs + n, ", ", 2))
            contigs += n + 2;
    }
    cli_say("%s%s%s", before, contigs, after);
}

int cmd_variant(int argc, char **argv)
{
    bird_variant_options o;
    bird_variant_summary s;
    const char *json = NULL;
    char last[600] = "";
    double start = cli_now();
    int status, list = 0;

    bird_variant_options_default(&o);
    if ((status = parse(&argc, &argv, &o, &list, &json)) != OPT_GO)
        return status;
    if (list)
        return cli_list_features(o.params.model
                                     ? o.params.model
                                     : cli_model_named(BIRD_MODEL_OF_ALLELES),
                                 o.features, o.output);
    if (argc != 1)
        return cli_usage("variant: %s", usage.wants);
    o.variants = argv[0];
    if (bird_variant_check(&o)) {
        cli_fail();
        return CLI_USAGE;
    }
    o.command = cli_command_line();
    o.progress = cli_progress;
    o.params.tell = say_at_once;
    o.params.tell_context = last;
    cli_stop_keeps(o.output);
    if (bird_variant_run(&s, &o))
        return cli_fail();
    say_more_contigs(s.contigs, last);
    cli_say_each((const char *[]){s.notice}, 1);
    if (s.n_resumed)
        cli_say("continued after %s of the interrupted run",
                cli_count(s.n_resumed, "record|records"));
    tell(&s, cli_now() - start);
    if (!s.n_allele && o.regions)
        cli_say_empty(o.regions, 0, 0);
    if (json && bird_variant_summary_write(json, &s, cli_now() - start))
        return cli_fail();
    return CLI_OK;
}

static const struct opt_usage background_usage = {
    "variant background",
    "[options] (-m DIR | -o FILE) -f ref.fa [in.vcf]",
    "Scores random changes, or the alleles of a VCF, and keeps the\n"
    "quantiles of their differences in the model folder: the null\n"
    "distribution from which `dnabird variant` takes e-values and z-scores.\n"
    "Do not use variants that you will score later.",
    NULL,
    0,
    1,
    "one VCF at most"};

static int parse_background(int *argc, char ***argv, bird_background_options *o,
                            const char **json)
{
    const struct opt opts[] = {
        CLI_VARIANT_FILES(&o->params),
        {'o', "output", OPT_TEXT, &o->output, "FILE",
         "output file (default: calibration.safetensors in the model folder)"},
        CLI_REGIONS(&o->regions,
                    "random changes lie in these regions: the training part"),
        {'n', "number", OPT_COUNT, &o->n, "INT",
         "number of random changes of one base: a third each of CpG "
         "transitions, other transitions and transversions"},
        {0, "others", OPT_SIZE, &o->n_other, "INT",
         "number of random changes of each other class (changes of several "
         "bases, insertions and deletions, by length and repeat); 0: no "
         "e-values and z-scores of these (default: a tenth of -n)"},
        CLI_SEED(&o->seed),
        CLI_THREADS,
        CLI_JSON(json),
        CLI_VARIANT(&o->params),
    };

    return opt_parse(argc, argv, opts, N_OPT(opts), &background_usage);
}

int cmd_variant_background(int argc, char **argv)
{
    bird_background_options o, usual;
    bird_background_summary s;
    const char *json = NULL;
    double start = cli_now();
    int status;

    bird_background_options_default(&o);
    usual = o;
    if ((status = parse_background(&argc, &argv, &o, &json)) != OPT_GO)
        return status;
    o.variants = argc ? argv[0] : NULL;
    if (o.variants && o.regions)
        return cli_usage("variant background: regions are for random changes, "
                         "not for a VCF");
    if (o.variants &&
        (o.n != usual.n || o.n_other != usual.n_other || o.seed != usual.seed))
        return cli_usage("variant background: --number, --others and --seed "
                         "are for random changes, not for a VCF");
    if (!o.params.model && !o.output)
        return cli_usage("variant background: a model folder (-m), in which "
                         "it is kept, or a file (-o) is needed: the shipped "
                         "model's will not be overwritten unless you name it "
                         "with -m");
    cli_stop_listen(0);
    o.progress = cli_progress;
    o.params.tell = cli_tell;
    if (bird_variant_background(&s, &o))
        return cli_fail();
    if (s.build[0])
        cli_say("warning: %s", s.build);
    cli_say_each((const char *[]){s.notice}, 1);
    cli_say("%s: %s of %s, %s could not be scored; %s; %s", s.path,
            cli_count(s.n, "variant"), cli_count(s.n_feature, "feature"),
            cli_count(s.n_left, ""),
            cli_count(s.n_sequence, "model evaluation"), s.about);
    if (json && bird_background_summary_write(json, &s, cli_now() - start))
        return cli_fail();
    return CLI_OK;
}
