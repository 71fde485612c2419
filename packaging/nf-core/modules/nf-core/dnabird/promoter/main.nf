process DNABIRD_PROMOTER {
    tag "${meta.id}"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    container "${workflow.containerEngine == 'singularity' && !task.ext.singularity_pull_docker_container
        ? 'https://depot.galaxyproject.org/singularity/dnabird:0.1.0--0'
        : 'quay.io/biocontainers/dnabird:0.1.0--0'}"

    input:
    tuple val(meta), path(fasta), path(fai), path(gzi), val(shard)
    tuple val(meta2), path(model)

    output:
    tuple val(meta), path("*.bed.gz"), emit: bed
    tuple val(meta), path("*.json")  , emit: json
    tuple val("${task.process}"), val('dnabird'), eval("dnabird --version | sed -n '1s/^dnabird //p'"), topic: versions, emit: versions_dnabird

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    def model_option = model ? "-m ${model}" : ''
    def shard_option = shard ? "--shard ${shard}" : ''
    """
    dnabird promoter \\
        ${args} \\
        ${model_option} \\
        ${shard_option} \\
        -q -t ${task.cpus} \\
        --json ${prefix}.json \\
        -o ${prefix}.bed.gz \\
        ${fasta}
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    echo "" | gzip > ${prefix}.bed.gz
    touch ${prefix}.json
    """
}
