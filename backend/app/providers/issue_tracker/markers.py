"""The lines by which an issue is known as ours, looked for in bodies that may have been edited."""


def lines_of(text: str) -> list[str]:
    """The lines that say something, without what is behind them."""
    return [line.rstrip() for line in text.replace("\r\n", "\n").split("\n") if line.strip()]


def holds(lines: list[str], wanted: list[str]) -> bool:
    """Whether the wanted lines stand together among these."""
    width = len(wanted)
    return any(lines[at : at + width] == wanted for at in range(len(lines) - width + 1))
