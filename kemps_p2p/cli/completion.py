"""`kemps completion`: what a shell needs to complete commands and options."""

import click
from click.shell_completion import get_completion_class

from kemps_p2p.cli.main import COMPLETION, main

SHELLS = ("bash", "zsh", "fish")


@click.command(short_help="Print what a shell needs to complete commands.")
@click.argument("shell", type=click.Choice(SHELLS))
def completion(*, shell: str) -> None:
    """Print a script that lets a shell complete commands and options of kemps.

    \b
    bash: echo 'eval "$(kemps completion bash)"' >> ~/.bashrc
    zsh:  echo 'eval "$(kemps completion zsh)"' >> ~/.zshrc
    fish: kemps completion fish > ~/.config/fish/completions/kemps.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None, "click knows the shells of the choice"
    # Not `source`, which asks the shell itself for its version, and may be run where there is none.
    made = kind(main, {}, "kemps", COMPLETION)
    click.echo(made.source_template % made.source_vars())
