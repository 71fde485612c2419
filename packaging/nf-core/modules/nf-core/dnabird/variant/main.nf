process DNABIRD_VARIANT {
    tag "${meta.id}"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    container "${workflow.containerEngine == 'singularity' && !task.ext.singularity_pull_docker_container
        ? 'https://depot.galaxyproject.org/singularity/dnabird:0.1.0--0'
        : 'quay.io/biocontainers/dnabird:0.1.0--0'}"

    input:
    tuple val(meta), path(vcf), val(shard)
    tuple val(meta2), path(fasta), path(fai), path(gzi)
    tuple val(meta3), path(model)

    output:
    tuple val(meta), path("*.vcf.gz")    , emit: vcf
    tuple val(meta), path("*.vcf.gz.tbi"), emit: tbi
    tuple val(meta), path("*.json")      , emit: json
    tuple val("${task.process}"), val('dnabird'), eval("dnabird --version | sed -n '1s/^dnabird //p'"), topic: versions, emit: versions_dnabird

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    def model_option = model ? "-m ${model}" : ''
    def shard_option = shard ? "--shard ${shard}" : ''
    if ("${vcf}" == "${prefix}.vcf.gz") {
        error("Input and output names are the same, set prefix in module configuration to disambiguate!")
    }
    """
    dnabird variant \\
        ${args} \\
        ${model_option} \\
        ${shard_option} \\
        -q -t ${task.cpus} \\
        -f ${fasta} \\
        --json ${prefix}.json \\
        -W -o ${prefix}.vcf.gz \\
        ${vcf}
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    echo "" | gzip > ${prefix}.vcf.gz
    touch ${prefix}.vcf.gz.tbi
    touch ${prefix}.json
    """
}
