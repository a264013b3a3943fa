"""Whether an exit status is the command's own."""

from __future__ import annotations

import pytest

from muniment.importers.exit_status import own_status

OWN = [
    "pytest",
    "cd x && pytest -q",
    "cd x; pytest",
    "cd x\npytest\n",
    "FOO=1 pytest",
    "pytest 2>&1",
    "pytest > out.log 2>&1",
    "pytest &> out.log",
    "timeout 60 pytest",
    "# the tests\npytest",
    "pytest -k 'a && b' \\\n  -q",
    "go vet ./... &&\ngo test ./...",
    "make build && make test",
    "pytest || exit 1",
    "pytest || false",
    "set -o pipefail; pytest | tee log",
    "set -euo pipefail\ncd x\npytest | tail\n",
    "set -e; make build; make test",
    "echo y | ./install",
    "bash -c 'pytest -q'",
    'bash -lc "cd x && go test ./..."',
    "(cd x && make test)",
    "grep -E 'a|b' f",
    "python - <<'PY'\nprint(1 | 2); x = 'a && b'\nPY",
    "cat <<EOF > f\nx | y\nEOF",
    "git commit -m \"$(cat <<'EOF'\nfix: don't (really) | stop; || true\nEOF\n)\"",
    "N=$(ls | wc -l) && pytest",
    "[[ -f a ]] && pytest",
    "bash <<'EOF'\ncd x && pytest\nEOF",
    "(cd x && make test) && ls",
]
NOT_OWN = [
    "",
    "pytest | tail",
    "pytest 2>&1 | grep -v foo",
    "pytest |& tail",
    "pytest | tee log",
    "set -o pipefail; set +o pipefail; pytest | tee log",
    "pytest || true",
    "pytest && echo ok || echo bad",
    "pytest; echo $?",
    "pytest; exit 0",
    "pytest\necho done",
    "pytest; true",
    "set -e; set +e; pytest; make",
    "go build ./...; go test ./...",
    "pytest &",
    "pytest & wait",
    "! pytest",
    "for i in 1 2; do pytest; done",
    "if pytest; then echo ok; fi",
    "{ pytest; } 2>&1",
    "(pytest; true)",
    "eval pytest",
    "ssh host pytest",
    "bash -c 'pytest | tail -5'",
    'docker exec c sh -c "pytest | tail"',
    "trap 'exit 0' EXIT; pytest",
    "echo 'never closed",
    "cat <<EOF\nnever closed",
    "echo $(never closed",
    "bash <<'EOF'\npytest | tail\nEOF",
    "cd x && bash <<'EOF'\npytest | tail\nEOF",
    "case $x in a) pytest;; esac",
    "f() { pytest; }; f",
    "while ! pytest; do sleep 1; done",
    "coproc pytest",
]


@pytest.mark.parametrize("command", OWN)
def test_the_status_is_the_commands_own(command: str) -> None:
    assert own_status(command)


@pytest.mark.parametrize("command", NOT_OWN)
def test_a_masked_or_unclear_status_is_not_the_commands_own(command: str) -> None:
    assert not own_status(command)
