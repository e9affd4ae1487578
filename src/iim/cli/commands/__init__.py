"""The commands: a module each.

A command has ``add_options(parser)``, which says what it takes, and ``run(session, options)``: read the
options, call one public function of the library, show the result. Its docstring is its help. Commands of
other packages stand in their own folders; nothing is loaded before it is named.
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
