"""Snakemake wrapper: a dnabird command, in shards where params.shard says so.
SPDX-License-Identifier: MIT
"""

from snakemake.shell import shell

command = snakemake.params.get("command", "variant")
if command not in ("promoter", "chromatin", "variant", "mutate"):
    raise ValueError(f"params.command: no command of this wrapper: {command}")
arguments = [snakemake.params.get("extra", "")]
for key, option in [("model", "-m"), ("shard", "--shard")]:
    if snakemake.params.get(key):
        arguments.append(f"{option} {snakemake.params.get(key)}")
if snakemake.output.get("summary"):
    arguments.append(f"--json {snakemake.output.summary}")
if command in ("variant", "mutate"):
    arguments.append(f"-f {snakemake.input.reference}")
    operand = snakemake.input.get("vcf", "")
else:
    operand = snakemake.input.reference
if snakemake.input.get("regions"):
    arguments.append(f"-R {snakemake.input.regions}")
log = snakemake.log_fmt_shell(stdout=False, stderr=True)
shell(
    "dnabird {command} -q -t {snakemake.threads} {arguments}"
    " -o {snakemake.output[0]} {operand} {log}"
)
