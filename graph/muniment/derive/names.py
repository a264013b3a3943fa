"""Names: the identifiers and paths that a text mentions, by which texts are found again.

* A name is a letter or `_` and what follows of letters, digits, `_`, `.`, `/` and `-`, with none of `./-` at its end.
  So a path loses its leading slash, and a word its full stop, alike wherever they stand.
* It has at least `SHORTEST` characters and at most `LONGEST`: longer runs are data. A path also gives its last part.
* Order is that of first occurrence; each name once.
"""

from __future__ import annotations

import re

SHORTEST = 5
LONGEST = 256

# Ranges of letters, with the marks that combine with them: twice as fast as `\w`, which leaves the marks out.
_LETTERS = (
    "A-Za-z_\u00aa\u00b5\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u036f"
    "\u0370-\u1fff\u2c00-\u2dff\u3040-\ud7ff\uf900-\ufaff"
)
_TOKEN = re.compile(rf"[{_LETTERS}][{_LETTERS}0-9./\-]{{4,}}")
_ENDS = "./-"
_CHUNK = 1 << 16

_FILE_ENDINGS = (
    "astro bash bat bazel bmp bzl c cc cfg cjs class clj cmd coffee conf cpp cs csproj css csv cxx dart db diff "
    "dll ejs elm erb erl ex exs fish gif go gql gradle graphql groovy gz h haml hbs hcl hh hpp hrl hs htm html "
    "ico ini ipynb j2 jar java jinja jl jpeg jpg js json json5 jsonc jsonl jsx kt kts less lock log lua m4 md mdx "
    "mjs mk ml mod nim nix out patch pdf php pkl pl plist png po prisma proto ps1 psm1 py pyc pyi pyx r rake rb "
    "rej rs rst sass sbt scala scss sh so sol sql sqlite styl sum svelte svg swift tar tf tfvars tgz toml ts tsv "
    "tsx ttf txt vb vim vue wasm webp whl woff woff2 xls xlsx xml xsd yaml yml zig zip zsh"
)
_EXTENSIONS = frozenset(_FILE_ENDINGS.split())


def names_in(text: str, limit: int = 2000) -> list[str]:
    """Return the first `limit` names that `text` mentions."""
    names: dict[str, None] = {}
    start = 0
    while start < len(text) and len(names) < limit:
        stop = _chunk_end(text, start)
        for name in dict.fromkeys(_TOKEN.findall(text, start, stop)):
            if name[-1] in _ENDS or "/" in name or len(name) > LONGEST:
                names.update(_names_of(name))
            else:
                names[name] = None
        start = stop
    return list(names)[:limit]


def is_path_like(name: str) -> bool:
    """Tell whether a name looks like a path: it has a slash, or ends in the extension of a kind of file."""
    if "/" in name:
        return True
    stem, dot, extension = name.rpartition(".")
    return bool(dot and stem) and extension.lower() in _EXTENSIONS


def _names_of(token: str) -> dict[str, None]:
    """Return the names that a token with ends to cut, a path or an overlong token gives."""
    name = token.rstrip(_ENDS)
    if not SHORTEST <= len(name) <= LONGEST:
        return {}
    last = name[name.rfind("/") + 1 :]
    return {name: None, last: None} if len(last) >= SHORTEST else {name: None}


def _chunk_end(text: str, start: int) -> int:
    """Return where the piece that begins at `start` ends: at a line's end, so that no name is cut."""
    end = text.find("\n", start + _CHUNK) if len(text) - start > _CHUNK else -1
    return end if end >= 0 else len(text)
