"""An effect is never narrower than what the command did: random harmless commands run for real, files compared."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.derive.effects import Effect, effects_of

FILES = ("a.txt", "b.txt", "src/a.py", "src/lib/c.py", "new.txt", "src/new.py", "gone/x.txt")
FOLDERS = ("src", "src/lib", "new", ".", "..")
PYTHON = (
    "open('{f}', 'w').write('q')",
    "import shutil; shutil.move('{f}', '{g}')",
    "import pathlib; pathlib.Path('{f}').unlink()",
    "import os; os.system('rm -f {f}')",
    "import subprocess; subprocess.run(['cp', '{f}', '{g}'])",
    "import os; os.makedirs('{d}/made', exist_ok=True); open(os.path.join('{d}', 'made', 'n'), 'w')",
    "from pathlib import Path; [p.touch() for p in Path('{d}').glob('*.py')]",
    "print(open('{f}').read())",
)
TEMPLATES = (
    *("cat {f}", "grep -n x {f} {g}", "ls -la {d}", "sed -n 1,2p {f}", "wc -l {f} {g}", "git status -s", "git diff"),
    *("echo hi > {f}", "echo hi >> {f}", "echo hi | tee {f}", "cat {f} > {g} 2>&1", "echo x 2> {f} >&2"),
    *("sed -i s/x/y/ {f}", "sed -i.bak 1d {f} {g}", "sed -n 's/x/y/w {f}' {g}", "awk '{{print > \"{f}\"}}' {g}"),
    *("cp {f} {g}", "cp {f} {d}", "cp -r {d}/. {f}.d", "mv {f} {g}", "mv -t {d} {f}", "rm -f {f}", "rm -rf {d}/lib"),
    *("mkdir -p {d}/deep", "touch {f}", "truncate -s 0 {f}", "dd if={f} of={g}", "sort -o {f} {g}", "uniq {f} {g}"),
    *("find {d} -name '*.py' -delete", "find {d} -name '*.txt' -exec touch {{}}.seen ';'", "gzip -kf {f}"),
    *("find src -type f | xargs sed -i s/x/z/", "tar cf {f}.tar {g}", "split -l 1 {f} part_", "ln -sf a.txt {f}"),
    *("git add -A", "git commit -qam x", "git checkout -q -- {f}", "git rm -qf {f}", "git mv {f} {g}", "git stash -q"),
    *("git reset -q --hard", "git checkout -qb topic", "git clean -fdq", "git restore {f}", "git -C src restore ."),
    *("git apply <<'EOF'\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-x\n+patched\nEOF\n",),
    *("cat > {f} <<EOF\nx $HOME\nEOF\n", "cat > p.py <<'EOF'\nopen('{f}', 'w')\nEOF\npython3 p.py"),
    *(f"python3 -c {shlex.quote(text)}" for text in PYTHON),
    *(f"python3 - <<'EOF'\n{text}\nEOF\n" for text in PYTHON),
)


@st.composite
def simple(draw: st.DrawFn) -> str:
    template = draw(st.sampled_from(TEMPLATES))
    names = st.sampled_from(FILES)
    return template.format(f=draw(names), g=draw(names), d=draw(st.sampled_from(FOLDERS)))


@st.composite
def composed(draw: st.DrawFn, parts: st.SearchStrategy[str]) -> str:
    a, b = draw(parts), draw(parts)
    f, d = draw(st.sampled_from(FILES)), draw(st.sampled_from(FOLDERS))
    if "\n" in a or "\n" in b:
        return draw(
            st.sampled_from((f"{a}\n{b}", f"if true; then\n{a}\nfi\n{b}", f"cd {d}\n{a}\n", f"fn() {{\n{a}\n}}\nfn\n"))
        )
    forms = (
        *(f"{a} && {b}", f"{a}; {b}", f"{a} || {b}", f"cd {d} && {a}", f"cd {d}; {a}", f"(cd {d}; {a}); {b}"),
        *(f"cd {d} && cd .. ; {a}", f"pushd {d} && {a}; popd; {b}", f"if {a}; then {b}; else touch {f}; fi"),
        *(f"for f in {f} b.txt; do touch $f.o; {a}; done", f"F={f}; echo 1 > $F && {a}", f"{{ {a}; {b}; }} > {f}"),
        *(f"fn() {{ {a}; }}; fn && {b}", f"bash -c {shlex.quote(a)}", f"eval {shlex.quote(a)}; {b}", f"! {a}"),
        *(
            f"case {f} in *.py) {a};; *) {b};; esac",
            f"while {a}; do {b}; break; done",
            f"{a} | cat >> {f}",
            f"{a} & wait",
        ),
        *(
            f"echo $({a})",
            f"x=$({a}); {b}",
            f"cat <({a}) > {f}",
            f"set -e; cd {d}; {a}",
            f"trap {shlex.quote(a)} EXIT; {b}",
        ),
    )
    return draw(st.sampled_from(forms))


LINES = st.recursive(simple(), composed, max_leaves=4)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace under version control, to be copied."""
    root = tmp_path_factory.mktemp("effects") / "template"
    for name, text in {"a.txt": "x\ny\n", "b.txt": "x\n", "src/a.py": "x = 1\n", "src/lib/c.py": "x = 2\n"}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=root, check=True)
    (root / "a.txt").write_text("x\ny\nz\n")
    return root


def run(command: str, place: Path) -> None:
    """Run a command in a workspace, its home beside it."""
    home = place.parent / "home"
    home.mkdir(exist_ok=True)
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1"}
    names = {"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@t", "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@t"}
    subprocess.run(
        ["bash", "-c", command], cwd=place, env=env | names, stdin=subprocess.DEVNULL, capture_output=True, timeout=30
    )


def digests(folder: Path) -> dict[str, str]:
    """Return the digest of each file in a folder, but for version control's own books."""
    return {
        str(path): str(path.readlink()) if path.is_symlink() else hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if (path.is_file() or path.is_symlink()) and ".git" not in path.relative_to(folder).parts
    }


def covers(effect: Effect, path: str) -> bool:
    """Tell whether an effect names a path, a folder above it, or a pattern that it fits."""
    return any(
        path == each or path.startswith(f"{each.rstrip('/')}/") or fnmatchcase(path, each) for each in effect.paths
    )


def narrower(command: str, place: Path) -> str:
    """Run a command; return what it did that its effect does not tell, "" for nothing."""
    before, beside = digests(place), digests(place.parent)
    effect = effects_of(command, str(place), str(place))
    run(command, place)
    after = digests(place) if place.is_dir() else {}
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    if effect.kind == "unknown":
        return ""
    if changed and effect.kind != "writes":
        return f"{effect} but changed {sorted(changed)}"
    if effect.kind == "none" and digests(place.parent) != beside:
        return f"{effect} but changed files outside"
    missed = sorted(path for path in changed if not covers(effect, path))
    return f"{effect} but changed {missed}" if effect.named and missed else ""


@given(command=LINES)
def test_an_effect_is_never_narrower_than_what_the_command_did(
    template: Path, tmp_path_factory: pytest.TempPathFactory, command: str
) -> None:
    place = tmp_path_factory.mktemp("run") / "work" / "app"
    shutil.copytree(template, place, symlinks=True)
    try:
        assert not narrower(command, place), command
    finally:
        shutil.rmtree(place.parent.parent)


def test_the_comparison_sees_what_an_effect_leaves_out(template: Path, tmp_path: Path) -> None:
    place = tmp_path / "work" / "app"
    shutil.copytree(template, place, symlinks=True)
    before = digests(place)
    run("echo 1 > a.txt; touch new", place)
    after = digests(place)
    assert {name for name in after if before.get(name) != after[name]} == {f"{place}/a.txt", f"{place}/new"}
    assert not covers(Effect(kind="writes", paths=(f"{place}/a.txt",)), f"{place}/new")
    assert covers(Effect(kind="writes", paths=(str(place),)), f"{place}/new")
