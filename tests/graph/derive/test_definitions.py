"""Definitions: what a text defines, in twelve languages, whole and in part."""

from __future__ import annotations

import pytest

from muniment.derive.definitions import LONGEST, MOST, current_definitions, definitions
from muniment.derive.languages import grammar, language_of

EXAMPLES = {
    "prices.py": (
        "LIMIT = 3\n\n\n@cached\nclass Shop:\n    def price(self):\n        return 1\n\n\n"
        "def test_price():\n    pass\n",
        [
            ("LIMIT", "constant", 1, 1),
            ("Shop", "class", 4, 7),
            ("Shop.price", "function", 6, 7),
            ("test_price", "test", 10, 11),
        ],
    ),
    "shop.js": (
        "const RATES = { a: 1 };\nfunction price() {\n  return 1;\n}\nexport const sum = (a) => a;\n",
        [("RATES", "constant", 1, 1), ("price", "function", 2, 4), ("sum", "function", 5, 5)],
    ),
    "shop.test.ts": (
        "describe('shop', () => {\n  it('sums', () => {\n  });\n});\ninterface Item {\n  n: number;\n}\n",
        [("shop", "test", 1, 4), ("shop › sums", "test", 2, 3), ("Item", "type", 5, 7)],
    ),
    "App.tsx": ("export function App() {\n  return <p>hi</p>;\n}\n", [("App", "function", 1, 3)]),
    "shop.go": (
        "package shop\n\ntype Shop struct {\n\tn int\n}\n\nfunc (s *Shop) Price() int {\n\treturn 1\n}\n\n"
        "func TestPrice(t *testing.T) {\n}\n",
        [("Shop", "type", 3, 5), ("Shop.Price", "function", 7, 9), ("TestPrice", "test", 11, 12)],
    ),
    "shop.rs": (
        "struct Shop;\n\nimpl Shop {\n    fn price(&self) -> u8 {\n        1\n    }\n}\n\n#[test]\nfn sums() {}\n",
        [("Shop", "type", 1, 1), ("Shop.price", "function", 4, 6), ("sums", "test", 10, 10)],
    ),
    "Shop.java": (
        "class Shop {\n  int price() {\n    return 1;\n  }\n  @Test\n  void sums() {}\n}\n",
        [("Shop", "class", 1, 7), ("Shop.price", "function", 2, 4), ("Shop.sums", "test", 5, 6)],
    ),
    "shop.c": (
        "#define RATE 3\nstruct shop {\n  int n;\n};\nstatic char *name(void) {\n  return 0;\n}\n",
        [("RATE", "constant", 1, 1), ("shop", "type", 2, 4), ("name", "function", 5, 7)],
    ),
    "shop.cpp": (
        "namespace shop {\nclass Till {\n  int sum() { return 1; }\n};\n}\nint Till::rate() {\n  return 2;\n}\n"
        "TEST(Till, Sums) {\n}\n",
        [
            ("shop.Till", "class", 2, 4),
            ("shop.Till.sum", "function", 3, 3),
            ("Till.rate", "function", 6, 8),
            ("Till, Sums", "test", 9, 10),
        ],
    ),
    "package.json": (
        '{\n  "name": "shop",\n  "scripts": {\n    "test": "run",\n    "deep": {"er": 1}\n  }\n}\n',
        [
            ("name", "key", 2, 2),
            ("scripts", "key", 3, 6),
            ("scripts.test", "key", 4, 4),
            ("scripts.deep", "key", 5, 5),
        ],
    ),
    "shop.toml": (
        'name = "shop"\n\n[tool.lint]\nline = 3\n',
        [("name", "key", 1, 1), ("tool.lint", "key", 3, 4), ("tool.lint.line", "key", 4, 4)],
    ),
    "ci.yaml": (
        "on: push\njobs:\n  test:\n    steps: []\n",
        [("on", "key", 1, 1), ("jobs", "key", 2, 4), ("jobs.test", "key", 3, 4)],
    ),
    "README.md": (
        "# Shop\n\nA till.\n\n## Use\n\nRing it.\n\nMore\n----\n",
        [("Shop", "heading", 1, 10), ("Shop › Use", "heading", 5, 10), ("Shop › Use › More", "heading", 9, 10)],
    ),
}


@pytest.mark.parametrize("path", EXAMPLES)
def test_each_language_tells_its_definitions_with_their_lines(path: str) -> None:
    text, expected = EXAMPLES[path]
    assert [(each.name, each.what, each.first, each.last) for each in definitions(path, text)] == expected


@pytest.mark.parametrize("path", EXAMPLES)
def test_the_queries_fit_the_grammars_and_empty_text_defines_nothing(path: str) -> None:
    language = language_of(path)
    assert language is not None
    assert grammar(language).parser.parse(b"").root_node is not None
    assert definitions(path, "") == ()


def test_a_file_of_no_known_language_defines_nothing_and_one_of_a_known_language_does() -> None:
    text = "def price():\n    return 1\n"
    assert definitions("prices", text) == () == definitions("prices.unknown", text)
    assert [each.name for each in definitions("prices.PY", text)] == ["price"]


def test_text_that_begins_and_ends_in_the_middle_still_tells_what_it_holds_whole() -> None:
    text = "        return 0\n\n    def price(self):\n        return 1\n\n    def cut(self\n"
    assert "price" in [each.name.rpartition(".")[2] for each in definitions("prices.py", text)]


def test_data_too_long_to_be_source_defines_nothing_and_what_is_just_short_enough_does() -> None:
    line = "a: 1\n"
    assert definitions("big.yaml", line + "#" * LONGEST) == ()
    assert [each.name for each in definitions("big.yaml", line + "#" * (LONGEST - len(line)))] == ["a"]


def test_a_text_with_very_many_definitions_tells_the_first_of_them() -> None:
    text = "".join(f"def f{i}(): pass\n" for i in range(MOST + 10))
    told = definitions("many.py", text)
    assert len(told) == MOST
    assert told[0].name == "f0"


@pytest.mark.parametrize("text", ["\x00\x01", "def \ud800(): pass\n", "}" * 500, "(" * 5000, "\r\n\r\n", "é" * 100])
def test_odd_text_is_no_error(text: str) -> None:
    for path in EXAMPLES:
        for each in definitions(path, text):
            assert 1 <= each.first <= each.last


def test_lines_that_are_not_known_make_a_definition_inexact_and_begin_none() -> None:
    lines = ["class Shop:", None, "    def price(self):", "        return 1", None, "def free():", "    pass"]
    told = {each.name: each for each in current_definitions("prices.py", lines)}
    assert not told["Shop"].exact
    assert told["Shop.price"].exact
    assert (told["free"].first, told["free"].last, told["free"].exact) == (6, 7, True)


def test_crlf_and_byte_order_marks_change_no_names() -> None:
    told = definitions("prices.py", "\ufeffdef price():\r\n    return 1\r\n\r\ndef sum():\r\n    pass\r\n")
    assert [(each.name, each.first) for each in told] == [("price", 1), ("sum", 4)]
