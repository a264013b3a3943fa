"""Commands that go on in the background: what a line leaves running that may still write, and what ends it."""

from __future__ import annotations

import pytest

from muniment.derive.effects import effect_of_simple
from muniment.derive.going_on import Going, ended_by, left_running, may_still_write, pids_in
from muniment.shell.commands import simple_commands

WRITE_ON = """
./watch.sh &
(sleep 5; rm a.py) &
nohup make watch &
nohup ./sync.sh > sync.log 2>&1 & disown
bash -c './w.sh &'
x=$(./w.sh & echo 1)
./a.sh & ./b.sh & kill $!
./a.sh & A=$!; ./b.sh & B=$!; wait $A
./w.sh & kill -0 $!
npx tsc --watch &
npm run watch &
npm run build &
./w.sh & (wait)&
cd x && ./w.sh & ls
while true; do ./gen.sh; sleep 1; done &
sed -i s/a/b/ f.py & ls
""".strip().split("\n")
ENDED = """
./watch.sh & wait
./watch.sh & sleep 1; wait $!
(./a & ./b & wait)
./w.sh & P=$!; pytest; kill $P
./w.sh & P=$!; pytest; kill -9 "$P" 2>/dev/null || true
./a.sh & A=$!; ./b.sh & B=$!; kill $A $B
trap 'kill $P' EXIT; ./w.sh & P=$!; pytest
./w.sh & pkill -f w.sh
./w.sh & kill %1
./w.sh & kill $(jobs -p)
for i in 1 2; do ./w.sh & done; wait
./w.sh && pytest
""".strip().split("\n")
HARMLESS = """
npm run dev &
npm run dev > dev.log 2>&1 &
pnpm dev &
yarn start &
python -m http.server 8000 &
python3 manage.py runserver 0.0.0.0:8000 &
uvicorn app:app --reload &
flask run &
npx vite --port 3000 &
npx next dev &
node server.js &
docker compose up &
tail -f log.txt &
pytest -q > test.log 2>&1 &
go test ./... &
sleep 100 &
git status && ls &
""".strip().split("\n")


def writes_on(line: str) -> bool:
    return may_still_write(left_running(simple_commands(line) or ()), effect_of_simple)


@pytest.mark.parametrize("line", WRITE_ON)
def test_what_writes_and_is_not_waited_for_goes_on(line: str) -> None:
    assert writes_on(line)


@pytest.mark.parametrize("line", ENDED)
def test_what_the_line_waits_for_or_ends_does_not_go_on(line: str) -> None:
    assert not left_running(simple_commands(line) or ()), line


@pytest.mark.parametrize("line", HARMLESS)
def test_servers_readers_and_tests_may_go_on(line: str) -> None:
    assert left_running(simple_commands(line) or ())
    assert not writes_on(line)


GOING = {"c1": Going("r1", "node sync.js --port 3000 & echo $! > sync.pid", ("4242",))}


@pytest.mark.parametrize(
    "line",
    [
        "kill 4242",
        "kill -9 4242 || true",
        "kill $(cat sync.pid)",
        "kill $(lsof -ti:3000)",
        "lsof -ti:3000 | xargs kill -9",
        "pkill -f sync.js",
        "kill $(pgrep -f sync.js)",
        "ps aux | grep '[s]ync.js' | awk '{print $2}' | xargs kill",
        "fuser -k 3000/tcp",
        "kill %1",
    ],
)
def test_a_later_command_ends_what_it_names(line: str) -> None:
    assert ended_by(line, GOING, succeeded=True) == ["c1"]


@pytest.mark.parametrize(
    "line",
    [
        "kill 4243",
        "kill -0 4242",
        "kill -USR1 4242",
        "pkill -f other.js",
        "kill $(cat other.pid)",
        "lsof -ti:3001 | xargs kill",
        "echo kill 4242",
        "grep -rn kill sync.js",
        "pgrep -f sync.js",
    ],
)
def test_it_ends_nothing_that_it_does_not_name(line: str) -> None:
    assert ended_by(line, GOING, succeeded=True) == []


def test_the_number_of_a_job_is_enough_only_where_no_other_goes_on() -> None:
    two = GOING | {"c2": Going("r2", "./other.sh &")}
    assert ended_by("kill %1", two, succeeded=True) == []
    assert ended_by("kill %1", GOING, succeeded=False) == []


def test_process_ids_are_those_that_the_start_printed() -> None:
    assert pids_in("[1] 4242\nstarted on port 3000\n4343\nPID: 4444\n") == ("4242", "4343", "4444")
