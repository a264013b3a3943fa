"""The phrases by which plain statements of success are known in texts, and those by which a sentence is no such thing.

* In a sentence, inline code stands as `\\x00<number>\\x00`, what is absent and bad as `\\x01`, a quotation as `\\x02`.
* Each is careful: what may be meant otherwise is left out.
"""

from __future__ import annotations

import re
from typing import Final

SECTION: Final = re.compile(
    r"^\s*(?:#{1,6}\s+(?P<title>.*)|\*\*(?P<bold>[^*]+)\*\*:?\s*|(?P<lead>[A-Z][\w ]{2,40}):\s*)$"
)
NOT_YET: Final = re.compile(
    r"\b(?:next|steps?|to[- ]?do|plan\w*|remain\w*|criteri\w*|accept\w*|require\w*|goals?|expect\w*|how to"
    r"|usage|before|future"
    r"|follow-?ups?|pending|left|open|checklist|definition of done|original\w*|background|context|issue|problem"
    r"|request)\b",
    re.IGNORECASE,
)
"""Titles of sections whose sentences tell what is to be, or was, and not what is."""
OPENS_LINE: Final = re.compile(r"\s*(?:[-*+•]\s|\d+[.)]\s|#|>|\||[✅✓✔❌✗])")
FENCE: Final = re.compile(r"\s*(?P<mark>```|~~~)")
LONGEST: Final = 600
"""Characters of a sentence; a longer one is no plain statement."""
QUOTATION: Final = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|‘[^’\n]*’|«[^»\n]*»|(?<!\w)'[^'\n]*'(?!\w)")
CODE: Final = re.compile(r"`([^`\n]+)`")
END: Final = re.compile(r"(?<=[.!;])\s+|(?<=\?)\s+|\s+[—–]\s+|\s+->\s+|\n")
MARKUP: Final = re.compile(r"^[\s>*+#-]*(?:\[[xX]\]\s*)?(?:\d+[.)]\s+)?|\*\*|__|[✅✓✔🎉🟢]\ufe0f?")
MARK: Final = re.compile(r"\x00(\d+)\x00")

NOTHING_BAD: Final = re.compile(
    r"\b(?:with )?(?:no|zero|0|without(?: any)?)\s+(?:\w+\s+){0,2}(?:failures?|errors?|issues?|warnings?"
    r"|problems?|regressions?)\b",
    re.I,
)
DOUBT: Final = re.compile(
    r"\?|\b(?:not|never|no|none|nor|neither|cannot|without|fail\w*|broken?|errors?|unless|if|whether|when|once"
    r"|until|till|before|should|would|could"
    r"|might|may|must|will|shall|going to|gonna|want\w*|need\w*|require\w*|expect\w*|hope\w*|hopefully|assum\w*"
    r"|suppose\w*|presum\w*|probabl[ey]"
    r"|likely|seem\w*|appear\w*|think|believe|guess|try\w*|tried|attempt\w*|plan\w*|next|todo|ensure\w*"
    r"|make sure|making sure|verify\w*"
    r"|confirm that|check (?:that|if)|let me|let's|let us|please|can you|except|excluding|apart from|other than"
    r"|but|however|though|although|most|many"
    r"|some|almost|nearly|only|previous\w*|earlier|formerly|used to|yesterday|originally|initially|on main"
    r"|in ci|on ci|upstream|goal|so that"
    r"|in order|pending|criteri\w*|acceptance|target|unable|was able|were able|example|e\.g|i\.e|instead|rather"
    r"|asked|wanted|claims?|said"
    r"|says|\w+n['’]t|\w+['’]ll|\w+['’]d)\b",
    re.I,
)
"""Words after which a sentence may be anything but a plain statement of what is."""

ALL: Final = r"(?:(?:all|the|full|whole|entire|complete|existing|of|our|\d+(?:/\d+)?|project|repo)\s+)*"
ENOUGH: Final = (
    r"(?=\s*(?:$|[.,;:!()\x00-\x02-]|(?:and|now|again|too|locally|successfully|cleanly|after|including)\b|with \x01))"
)
"""What is said of some part only (`pass for both backends`) is left out."""
NOW: Final = r"(?:now |all |still |also |successfully |currently )*"
PASSED: Final = (
    r"(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|(?:has|have) (?:now |all )*(?:passed|succeeded)"
    r"|(?:is|are|were|was|run|runs|ran|came back) (?:now |all |still )*"
    r"(?:pass(?:ing|ed)|green|successful(?:ly)?|clean(?:ly)?|happy|ok))\b"
) + ENOUGH
TESTS: Final = re.compile(
    rf"(?:^|[,:;(]|\band\b)\s*(?P<which>{ALL})(?P<noun>tests(?: suites?)?|test (?:suites?|cases)|specs"
    rf"|suite)\s+{NOW}{PASSED}",
    re.I,
)
TESTS_DONE: Final = re.compile(
    r"(?:^|[,:;(]|\band\b)\s*(?:ran|run) (?:the )?(?:full |whole |entire |complete )?(?:test suite|tests"
    r"|suite)[,:]? (?:and )?(?:they |it )?all pass(?:es|ed|ing)?\b",
    re.I,
)
BUILD: Final = re.compile(
    rf"(?:^|[,:;(]|\band\b)\s*(?:(?:the|full|production|project|app|whole)\s+)*(?:build\s+{NOW}{PASSED}"
    r"|(?:project|app|code|everything|workspace|it)\s+(?:now )?(?:builds|compiles)(?: (?:now"
    r"|again))? ?(?:successfully|cleanly|fine|\x01|$|[.,)]))",
    re.I,
)
LINT: Final = re.compile(
    rf"(?:^|[,:;(]|\band\b)\s*(?:the\s+)?(?:lint(?:er|ing|ers)?|eslint|ruff|biome|golangci-lint|flake8|pylint"
    rf"|credo|clippy|rubocop)(?: checks?)?\s+"
    rf"{NOW}(?:{PASSED}|shows? \x01|reports? \x01|(?:is|are) \x01)|(?:^|[,:;(]|\band\b)\s*\x01lint",
    re.I,
)
TYPES: Final = re.compile(
    rf"(?:^|[,:;(]|\band\b)\s*(?:the\s+)?(?:type[- ]?check(?:s|er|ing)?|mypy|pyright|tsc"
    rf"|types)(?: checks?)?\s+{NOW}(?:{PASSED}|shows? \x01|reports? \x01)"
    r"|(?:^|[,:;(]|\band\b)\s*\x01type",
    re.I,
)
COMMAND: Final = re.compile(
    rf"(?:^|[,:;(]|\band\b)\s*\x00(\d+)\x00\s*(?:now |also |still |all |:|→|=>|-)*\s*{PASSED}", re.I
)
FILE: Final = re.compile(
    r"(?:^|\b(?:I|we|I've|we've|I have|and))\s*(?:also |then |now )?(?:created|wrote|written|generated|saved"
    r"|added)\s*:?\s+"
    r"(?:(?:a|an|the|new|file|files|script|test|module|document|doc|report|config|component|migration|in|to|as"
    r"|at)\s+)*\x00(\d+)\x00(?P<rest>.{0,24})",
    re.I,
)
ADDED_TO: Final = re.compile(r"\b(?:to|in|at)\s*$", re.I)
PATH: Final = re.compile(
    r"(?:[\w.@~+-]+/)*[\w.@+-]*\w\.[A-Za-z][A-Za-z0-9]{0,7}\Z|(?:[\w.@~+-]+/)*(?:Makefile|Dockerfile|LICENSE"
    r"|README)\Z|/(?:[\w.@~+-]+/)*[\w.@+-]+\Z"
)
BARE_EXTENSIONS: Final = frozenset(
    [
        "c",
        "cc",
        "cfg",
        "conf",
        "cpp",
        "cs",
        "css",
        "csv",
        "ex",
        "exs",
        "go",
        "h",
        "hcl",
        "hpp",
        "html",
        "ini",
        "ipynb",
        "java",
        "js",
        "json",
        "jsonl",
        "jsx",
        "kt",
        "lock",
        "lua",
        "md",
        "mjs",
        "mts",
        "php",
        "pl",
        "png",
        "py",
        "rb",
        "rs",
        "rst",
        "scala",
        "scss",
        "sh",
        "sql",
        "svelte",
        "svg",
        "swift",
        "tex",
        "toml",
        "ts",
        "tsx",
        "txt",
        "vue",
        "xml",
        "yaml",
        "yml",
        "zig",
    ]
)


ONLY: Final = re.compile(
    r"(?:I )?(?:only|just) (?:changed|modified|touched|edited) (?P<a>.+)"
    r"|only (?P<b>.+?) (?:was|were|has been|have been)"
    r" (?:changed|modified|touched|edited)|(?P<c>.+?) (?:is|are) the only (?:changed |modified )?files?"
    r"(?: (?:that )?(?:(?:was|were|I) )?(?:changed|modified|touched|edited))?",
    re.I,
)
LISTED: Final = re.compile(r"(?:\x00\d+\x00(?:,? and |, ?| )?)+")
GONE: Final = re.compile(
    r"(?:I )?(?:have |also )*deleted (?:the )?(?:old |unused |obsolete |file )*\x00(\d+)\x00", re.I
)
NONE_LEFT: Final = re.compile(
    r"(?:there (?:is|are)|I found) no (?:remaining |more |other |further )*(?:occurrences?|references?|uses?|usages?"
    r"|mentions?|matches)(?: (?:of|to|for))? \x00(?P<what>\d+)\x00 (?:left |remaining )?(?:anywhere )?(?:in|under)"
    r" \x00(?P<place>\d+)\x00",
    re.I,
)
EXISTS: Final = re.compile(r"(?:^|[,:;(]|\band\b)\s*(?:(?:a|the) )?(?:file )?\x00(\d+)\x00 (?:file )?exists?\b", re.I)
RAN_WELL: Final = re.compile(
    r"(?:all |local |the |final |targeted |full )*(?:validations?|verifications?|checks?|tests?|commands?|runs?|gates?)"
    r"(?: (?:is|are|was|were|all|now|has|have|that|i|ran|run|which|locally|and))* (?:pass(?:ed|es|ing)?|green|clean"
    r"|successful(?:ly)?|succeeded)(?: (?:locally|now))?",
    re.I,
)
"""A title under which commands are listed that succeeded."""
TO_BE: Final = re.compile(
    r"\b(?:must|should|shall|will|has to|have to|needs? to|ought to)(?: all| still| now)* (?P<be>be )?", re.I
)
TRIGGER: Final = re.compile(
    r"pass|succe|green|clean|build|compil|creat|wr[io]t|generat|sav|add|delet|only|just|error|warning|issue|problem|fail"
    r"|there (?:is|are) no|I found no|exist",
    re.I,
)
"""A text without any of these makes no claim; most need no further look."""
