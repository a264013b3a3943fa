"""Tables of tools by what they change, for `effects`. Only what is sure stands here; the rest is unknown."""

from __future__ import annotations

import re
from typing import Final

NONE: Final = "none"
OUTSIDE_ONLY: Final = "outside"
WRITES: Final = "writes"
UNKNOWN: Final = "unknown"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


READERS: Final = _words(
    """[ [[ : true false test cat bat batcat tac nl more head tail ls eza exa dir stat file wc grep egrep fgrep
    zgrep rgrep ag
    ack pt cut tr rev paste join comm diff cmp colordiff fold fmt column expand unexpand seq date cal pwd echo printf
    which type whereis
    basename dirname realpath readlink du df ps pgrep top id whoami groups hostname uname uptime printenv locale
    md5sum sha1sum
    sha224sum sha256sum sha384sum sha512sum b2sum b3sum shasum cksum sum base32 od hexdump strings sleep wait
    cd pushd
    popd dirs export set unset shift local declare typeset readonly let ulimit umask exit return break continue read
    tput clear
    lsof ss netstat nproc free lscpu lsblk info apropos tokei shellcheck yes numfmt getconf
    arch tty stty
    zcat bzcat xzcat zless look tsort ldd nm objdump readelf size pstree vmstat iostat hash times
    deactivate expr bc dc factor pr rga hexyl delta mapfile readarray getopts disown bg fg who w users last
    logname lsmod dmesg journalctl lsattr getfacl findmnt ffprobe identify mediainfo gron dust duf procs glow"""
)
"""Tools that only read and print, whatever their options."""

OUTSIDE: Final = _words("ssh ping dig nslookup host kill pkill killall open xdg-open pbcopy say notify-send")
"""Tools that touch no file of the workspace."""

HARMLESS_MODULES: Final = _words(
    "json.tool compileall py_compile tokenize ast dis this platform site sysconfig calendar timeit"
)

UPDATING: Final = _words(
    """-u --updateSnapshot --update-snapshots --update-snapshot --update --snapshot-update --force-regen --regen-all
    --bless --accept
    -update --write --fix --fix-only --inline-snapshot --record-mode --overwrite --autocorrect --auto-correct
    --autocorrect-all --in-place --apply --update-goldens --update-golden"""
)
"""Options with which a runner, linter or checker changes what it looks at."""
UPDATING_SETTING: Final = re.compile(r"\w*(?:UPDATE|SNAPSHOT|GOLDEN|BLESS|REGEN|RECORD)\w*=", re.IGNORECASE)

WRITES_FILE: Final = _words(
    """--junitxml --junit-xml --json-report-file --report-log --resultlog --result-log --outputFile --output-file
    -coverprofile
    -cpuprofile -memprofile -blockprofile -trace --html --log-file --outfile --out-file --outDir --outdir --basetemp"""
)
"""Options of runners that name a file or folder to be written."""

GIT_VALUED: Final = _words("-C -c --git-dir --work-tree --namespace --exec-path --super-prefix")
GIT_NONE: Final = _words(
    """status log diff show blame annotate ls-files ls-tree ls-remote rev-parse rev-list describe cat-file grep
    shortlog reflog
    merge-base name-rev for-each-ref show-ref show-branch check-ignore check-attr check-mailmap count-objects
    whatchanged range-diff
    cherry diff-tree diff-index diff-files var version help verify-commit verify-tag fsck merge-tree hash-object
    get-tar-commit-id"""
)
GIT_OUTSIDE: Final = _words(
    """add stage commit push fetch tag branch remote config worktree notes gc prune pack-refs update-ref symbolic-ref
    update-index
    bundle init maintenance repack write-tree commit-tree credential"""
)
GIT_WRITES: Final = _words(
    "merge rebase pull cherry-pick revert am mv submodule clone sparse-checkout read-tree checkout-index archive"
)
