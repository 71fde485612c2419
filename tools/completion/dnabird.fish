# Completion of dnabird in fish; made by tools/completion.sh.
# SPDX-License-Identifier: MIT

# Are these the words between dnabird and the cursor?
function __dnabird_at
    set -l line (commandline -opc)
    test "$line[2..-1]" = "$argv"
end

# Is this the command of the line? One of two words goes before one of one; an
# option that is a second word may stand anywhere.
function __dnabird_is
    set -l line (commandline -opc)
    set -q line[2]; or return 1
    set -l command $line[2]
    for pair in $__dnabird_pairs
        set -l word (string split ' ' -- $pair)
        test $word[1] = $line[2]; or continue
        if string match -q -- '-*' $word[2]
            contains -- $word[2] $line[3..-1]; and set command $pair
        else if set -q line[3]; and test $word[2] = $line[3]
            set command $pair
        end
    end
    test "$command" = "$argv"
end

complete -c dnabird -f
complete -c dnabird -n "__dnabird_at ''" -a help -d 'the options of a command'
complete -c dnabird -n "__dnabird_at ''" -l help -d 'list the commands'
complete -c dnabird -n "__dnabird_at ''" -l version -d 'what the build holds'
complete -c dnabird -n '__dnabird_at help' -f -a 'formats scores status' -d 'a topic'
complete -c dnabird -n '__dnabird_at help' -l options -d 'every option, for programs'
complete -c dnabird -n '__dnabird_at help' -l settings -d 'every name for a file of settings, for programs'
complete -c dnabird -n '__dnabird_at help' -l commands -d 'every command, for programs'
