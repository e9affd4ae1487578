"""The commands: a module each.

A command has ``add_options(parser)`` for its options, and ``run(session, options)``: read the options, call
one public function of the library, show the result. Its docstring is its help. Commands of other packages
are in their own folders; a command is imported only when it is called.
"""

COMMANDS = {
    "impute": "iim.cli.commands.impute",
    "compare": "iim.cli.commands.compare",
    "diagnose": "iim.cli.commands.diagnose",
    "fit": "iim.cli.commands.fit",
    "apply": "iim.cli.commands.apply",
    "methods": "iim.cli.commands.methods",
    "cluster": "iim.cluster.command",
    "datasets": "iim.paper.datasets_command",
    "reproduce": "iim.paper.reproduce_command",
    "demo": "iim.cli.commands.demo",
}
"""Module of every command, in the order of the help."""
