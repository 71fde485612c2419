"""Snakemake wrapper: a dnabird command, in shards where params.shard says so.
SPDX-License-Identifier: MIT
"""

from shlex import quote

from snakemake.shell import shell

command = snakemake.params.get("command", "variant")
if command not in ("promoter", "chromatin", "variant", "mutate"):
    raise ValueError(f"params.command: no command of this wrapper: {command}")
arguments = [snakemake.params.get("extra", "")]
for key, option in [("model", "-m"), ("shard", "--shard")]:
    if snakemake.params.get(key):
        arguments.append(f"{option} {quote(str(snakemake.params.get(key)))}")
if snakemake.output.get("summary"):
    arguments.append(f"--json {quote(snakemake.output.summary)}")
if command in ("variant", "mutate"):
    arguments.append(f"-f {quote(snakemake.input.reference)}")
    operand = snakemake.input.get("vcf", "")
else:
    operand = snakemake.input.reference
if snakemake.input.get("regions"):
    arguments.append(f"-R {quote(snakemake.input.regions)}")
operand = quote(operand) if operand else ""
output = quote(snakemake.output[0])
log = snakemake.log_fmt_shell(stdout=False, stderr=True)
shell(
    "dnabird {command} -q -t {snakemake.threads} {arguments}"
    " -o {output} {operand} {log}"
)
