"""What a view spends its tokens on, by file."""

from __future__ import annotations

from muniment.drawing.bars import Part, bar_list
from muniment.drawing.markup import common_folder
from muniment.pictures.picture import Picture
from muniment.selection.view import View


def budget_by_file(view: View) -> Picture:
    """Return a bar for each file that a view shows lines of, the costliest first, and one for all else.

    By section, the view draws itself.
    """
    files = [item for item in view.items if item.path is not None]
    folder = common_folder(sorted({item.path for item in files if item.path is not None}))
    tokens: dict[str, int] = {}
    lines: dict[str, int] = {}
    for item in files:
        name = (item.path or "").removeprefix(folder)
        tokens[name] = tokens.get(name, 0) + item.tokens
        lines[name] = lines.get(name, 0) + (item.lines[1] - item.lines[0] + 1 if item.lines else 0)
    rows = [
        Part(name, tokens[name], note=f"{lines[name]} lines" if lines[name] else "")
        for name in sorted(tokens, key=lambda name: (-tokens[name], name))
    ]
    rest = view.tokens - sum(tokens.values())
    title = f"Tokens by file{f', under {folder}' if folder else ''}"
    return Picture(bar_list([*rows, Part("all that is not a file", rest)], title, unit="tokens"))
