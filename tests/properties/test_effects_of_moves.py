"""Renames, copies and removals: each way to say them is run for real, over many names; and a rule of `mv` that forgets
a part is found out.
"""

from __future__ import annotations

import shutil
from itertools import product
from pathlib import Path

import pytest

from muniment.derive import effects
from muniment.derive.changing.effect import Command, Effect
from tests.properties.test_effects import digests, narrower, run, template

__all__ = ["template"]

FORMS = """
mv {f} {g}
mv -f {f} {g}
mv -n {f} {g}
mv -v {f} {g}
mv -T {f} {g}
mv -- {f} {g}
mv -b {f} {g}
mv {f} {d}
mv {f} {d}/
mv -t {d} {f}
mv --target-directory={d} {f}
mv {f} {g} {d}
mv -t {d} {f} {g}
mv {d} moved
mv src/lib {d}/again
mv {f} {d}/renamed.txt
mv -S .old -b {f} {g}
mv *.txt {d}
cp {f} {g}
cp -f {f} {g}
cp -n {f} {g}
cp -p {f} {g}
cp -T {f} {g}
cp -a {f} {g}
cp -b {f} {g}
cp {f} {d}
cp {f} {d}/
cp -t {d} {f}
cp -r src {d}/copy
cp -r src/. {d}
cp {f} {g} {d}
cp *.txt {d}
cp --parents {f} {d}
cp -l {f} {g}
cp -s $PWD/{f} {g}
cp -R src/lib elsewhere
install -m 644 {f} {g}
git mv {f} {g}
git mv -f {f} {g}
git mv {f} {d}
git mv -k {f} {g} {d}
git rm -qf {f}
git rm -rq src/lib
rm {f}
rm -f {f} {g}
rm -rf {d}/lib
rm -r src/lib
rm -- {f}
unlink {f}
rm -f *.txt
rm -rf ./{f}
ln {f} {g}
ln -f {f} {g}
ln -s {f} {g}
ln -sf a.txt {g}
ln -st {d} {f}
rmdir {d}
rename x y {f}
rsync -a {f} {g}
rsync -a src/ {d}/
cd {d} && mv a.py b.py
(cd src && mv a.py ../{g})
pushd src && cp a.py z.py
for f in {f} {g}; do mv $f $f.bak; done
find src -name '*.py' -exec mv {{}} {{}}.old ';'
F={f}; mv $F $F.1
ls *.txt | xargs -I% mv % %.bak
mv {{a,b}}.txt {d}
mv a.{{txt,md}}
mv {f} $(basename {g})
tac {f} > {g} && mv {g} {f}
""".strip().split("\n")
FILES = ("a.txt", "src/a.py", "new.txt")
OTHERS = ("b.txt", "src/lib/c.py", "fresh/n.txt")
FOLDERS = ("src", "src/lib", "new")
EXAMPLES = tuple(
    dict.fromkeys(form.format(f=f, g=g, d=d) for form in FORMS for f, g, d in product(FILES, OTHERS, FOLDERS))
)


def check(commands: tuple[str, ...], template: Path, folder: Path) -> list[str]:
    """Return the commands that did more than their effect tells."""
    found = []
    for number, command in enumerate(commands):
        place = folder / str(number) / "work" / "app"
        shutil.copytree(template, place, symlinks=True)
        if narrower(command, place):
            found.append(command)
        shutil.rmtree(folder / str(number))
    return found


def test_no_rename_copy_or_removal_does_more_than_its_effect_tells(template: Path, tmp_path: Path) -> None:
    step = 7
    assert len(EXAMPLES) > 400
    assert check(EXAMPLES[::step], template, tmp_path) == []


MV = tuple(command for command in EXAMPLES if command.startswith("mv "))


@pytest.mark.parametrize("forgotten", ["source", "target"])
def test_a_rule_of_mv_that_forgets_a_path_is_found_out(
    forgotten: str, template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = effects._RULES["mv"]

    def faulty(command: Command) -> Effect:
        effect = whole(command)
        left = effect.paths[1:] if forgotten == "source" else effect.paths[:1]
        return Effect(kind=effect.kind, paths=left, named=effect.named, aside=effect.aside)

    sample = MV[::9]
    assert check(sample, template, tmp_path / "right") == []
    monkeypatch.setitem(effects._RULES, "mv", faulty)
    assert len(check(sample, template, tmp_path / "wrong")) >= len(sample) // 4


def test_the_examples_do_something(template: Path, tmp_path: Path) -> None:
    changed = 0
    sample = MV[::9]
    for number, command in enumerate(sample):
        place = tmp_path / str(number) / "app"
        shutil.copytree(template, place, symlinks=True)
        before = digests(place)
        run(command, place)
        changed += digests(place) != before if place.is_dir() else 1
    assert changed >= len(sample) // 2
