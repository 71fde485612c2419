# The program itself: help, version, wrong use, where output goes.

0 | dnabird --version | out ~ dnabird 0.1.0
    | out ~ OpenMP
    | err empty
0 | dnabird -V | out ~ dnabird 0.1.0
0 | dnabird --help | out ~ Usage: dnabird <command>
    | err empty
0 | dnabird help | out ~ Usage: dnabird <command>
0 | dnabird -h | out ~ Usage: dnabird <command>

2 | dnabird | err ~ Usage: dnabird <command>
    | out empty
2 | dnabird nothing-like-it | err ~ there is no command 'nothing-like-it'
    | err lines 1
    | out empty
2 | dnabird help nothing-like-it | err ~ there is no command 'nothing-like-it'
2 | dnabird --elephant | err ~ there is no option '--elephant' before the command
2 | dnabird '' | err ~ there is no command ''

# stdout that cannot be written
1 | dnabird --help >/dev/full | err ~ dnabird: standard output: No space left on device
    | err lines 1
1 | dnabird --help >&- | err ~ dnabird: standard output
# a reader that has gone: silent, also where the parent ignores SIGPIPE
141 | (sleep 0.3; exec dnabird --help) | true | err empty
0 | (trap "" PIPE; sleep 0.3; dnabird --help; echo $? >status) | true; grep -x 141 status | err empty
