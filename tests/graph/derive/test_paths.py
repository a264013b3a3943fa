"""File identity by the rules of the file system."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.derive.paths import Rules, file_key, project_key, shown_path

POSIX = Rules()
WINDOWS = Rules(style="windows", case_sensitive=False)
APPLE = Rules(case_sensitive=False, normalization_sensitive=False)
COMPOSED = "r\u00e9sum\u00e9.md"
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)


def key(path: str, rules: Rules, root: str | None = None, cwd: str | None = None) -> str:
    return file_key(path, root=root, cwd=cwd, rules=rules)


@pytest.mark.parametrize(
    "spelling",
    [
        "C:\\proj\\Notes.md",
        "c:/proj/notes.md",
        "/c:/PROJ/notes.md",
        "\\\\?\\C:\\proj\\notes.md",
        "\\\\.\\c:\\proj\\notes.md",
        "\\??\\C:\\proj\\notes.md",
        "\\proj\\notes.md",
        "/proj/notes.md",
        "c:notes.md",
        ".\\src\\..\\NOTES.md",
        "notes.md",
        "C:\\\\proj//.\\notes.md",
    ],
)
def test_all_spellings_of_a_windows_path_are_one_file(spelling: str) -> None:
    assert key(spelling, WINDOWS, root="C:\\proj") == "c:/proj/notes.md"


@pytest.mark.parametrize(
    "spelling", ["\\\\Srv\\Share\\a\\b.md", "//srv/share/A/B.md", "\\\\?\\UNC\\srv\\share\\a\\b.md"]
)
def test_all_spellings_of_a_share_are_one_file(spelling: str) -> None:
    assert key(spelling, WINDOWS, root="C:\\proj") == "//srv/share/a/b.md"


def test_nothing_lies_above_a_share_or_a_drive() -> None:
    assert key("\\\\srv\\share\\..\\..\\x", WINDOWS) == "//srv/share/x"
    assert key("C:\\..\\x", WINDOWS) == "c:/x"
    assert key("C:\\", WINDOWS) == "c:/"


def test_other_drives_and_other_systems_stay_apart() -> None:
    spellings = ["C:\\proj\\a", "D:\\proj\\a", "D:a", "/mnt/c/proj/a", "/mnt/d/proj/a", "~/proj/a", "\\\\c\\proj\\a"]
    assert len({key(spelling, WINDOWS, root="C:\\proj") for spelling in spellings}) == len(spellings)


def test_windows_keeps_names_apart_that_differ_in_length_when_folded() -> None:
    assert key("C:/stra\u00dfe", WINDOWS) != key("C:/strasse", WINDOWS)
    assert key("C:/\u00c4\u0416", WINDOWS) == key("c:/\u00e4\u0436", WINDOWS)
    assert key("/Stra\u00dfe", APPLE) == key("/STRASSE", APPLE)


def test_a_case_sensitive_windows_folder_folds_the_drive_only() -> None:
    rules = Rules(style="windows")
    assert key("C:\\A.md", rules) == key("c:/A.md", rules)
    assert key("C:\\A.md", rules) != key("C:\\a.md", rules)


def test_posix_keeps_case_backslash_and_unicode_form_apart() -> None:
    spellings = ["Notes.md", "notes.md", "a\\b.md", "a/b.md", COMPOSED, DECOMPOSED, "C:\\a", "c:/a"]
    assert len({key(spelling, POSIX, root="/p") for spelling in spellings}) == len(spellings)


@pytest.mark.parametrize(
    "spelling", ["./src//./a.py", "src/a.py", "/p/src/a.py", "//p/src/x/../a.py", "src/a.py/", "../p/src/a.py"]
)
def test_dot_segments_and_doubled_slashes_make_no_other_file(spelling: str) -> None:
    assert key(spelling, POSIX, root="/p") == "/p/src/a.py"


def test_a_relative_path_is_seen_from_the_working_folder_first() -> None:
    assert key("a.py", POSIX, root="/p", cwd="/q") == "/q/a.py"
    assert key("a.py", POSIX, root="/p", cwd="sub") == "/p/sub/a.py"
    assert key("a.py", POSIX) == "a.py"
    assert key("../a.py", POSIX) == "../a.py"
    assert key("/../a.py", POSIX) == "/a.py"


def test_a_home_folder_is_left_alone_but_a_name_that_begins_so_is_not() -> None:
    assert key("~/x/../y", POSIX, root="/p") == "~/y"
    assert key("~/../y", POSIX, root="/p") == "~/../y"
    assert key("~notes", POSIX, root="/p") == "/p/~notes"


def test_a_volume_without_unicode_forms_has_one_file_for_both() -> None:
    rules = Rules(normalization_sensitive=False)
    assert key(COMPOSED, rules, root="/p") == key(DECOMPOSED, rules, root="/p") == "/p/" + COMPOSED
    assert key(COMPOSED.upper(), APPLE) == key(DECOMPOSED, APPLE)
    assert key(COMPOSED.upper(), rules) != key(DECOMPOSED, rules)


def test_a_path_below_the_root_is_shown_from_there_as_it_is_spelled() -> None:
    assert shown_path("c:\\PROJ\\Src\\Notes.md", root="C:/proj", rules=WINDOWS) == "Src/Notes.md"
    assert shown_path("/p/" + DECOMPOSED, root="/p", rules=APPLE) == DECOMPOSED
    assert shown_path("./src//a\\b.py", root="/p", rules=POSIX) == "src/a\\b.py"
    assert shown_path("/p", root="/p", rules=POSIX) == "."


@pytest.mark.parametrize("path", ["/pp/a.py", "/P/a.py", "../a.py", "/", "~/p/a.py", "//q/./a"])
def test_a_path_elsewhere_is_shown_as_given(path: str) -> None:
    assert shown_path(path, root="/p", rules=POSIX) == path


def test_without_a_root_a_path_is_shown_as_given() -> None:
    assert shown_path("./a.py", root=None, rules=POSIX) == "./a.py"


def test_project_keys_are_injective() -> None:
    roots = ["/w/\u6848\u4ef6/app", "/w/\u8cc7\u6599/app", "/w/a-b/c", "/w/a/b-c", "/w/a/b/c", "/w/A/b/c"]
    assert len({project_key(root, POSIX) for root in roots}) == len(roots)
    assert project_key("/w/\u6848\u4ef6/app/", POSIX) == "/w/\u6848\u4ef6/app"
    assert project_key("C:\\Proj\\", WINDOWS) == project_key("c:/proj", WINDOWS)


LINKS = {
    "/p/link": "/q/deep/dir",
    "/p/own": "/p/src",
    "/q/deep/dir/up": "/p",
    "/p/ring": "/p/ring2",
    "/p/ring2": "/p/ring",
}


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("link/a.py", "/q/deep/dir/a.py"),
        ("link/../a.py", "/q/deep/a.py"),
        ("own/../a.py", "/p/a.py"),
        ("own/./b/../a.py", "/p/src/a.py"),
        ("link/up/own/a.py", "/p/src/a.py"),
        ("link", "/q/deep/dir"),
        ("linked/a.py", "/p/linked/a.py"),
        ("../p/link/a.py", "/q/deep/dir/a.py"),
        ("none/../a.py", "/p/a.py"),
    ],
)
def test_a_link_is_followed_before_what_stands_behind_it(path: str, file: str) -> None:
    assert file_key(path, root="/p", cwd=None, rules=POSIX, links=LINKS) == file


def test_a_ring_of_links_ends() -> None:
    assert file_key("ring/a.py", root="/p", cwd=None, rules=POSIX, links=LINKS).endswith("/a.py")


def test_links_of_a_volume_without_case_are_found_in_any_spelling() -> None:
    assert file_key("LINK/A.py", root="/p", cwd=None, rules=APPLE, links={"/p/link": "/q"}) == "/q/a.py"


@given(st.text(alphabet="ab./", max_size=12))
def test_without_a_link_on_the_way_links_change_nothing(path: str) -> None:
    links = {"/elsewhere": "/p"}
    assert file_key(path, root="/p", cwd=None, rules=POSIX, links=links) == key(path, POSIX, root="/p")


PART = st.text(alphabet="aA.\\ \u00e9\u0301\u00df~:", min_size=1, max_size=4).filter(
    lambda part: part not in (".", "..")
)


@given(st.lists(PART, min_size=1, max_size=4), st.lists(PART, min_size=1, max_size=4))
def test_distinct_files_of_a_case_sensitive_volume_never_merge(left: list[str], right: list[str]) -> None:
    same = key("/" + "/".join(left), POSIX) == key("/" + "/".join(right), POSIX)
    assert same == (left == right)


@given(
    st.text(alphabet="aA./\\~:?cC \u00e9\u0301\u00df\u0345\u1fb3", max_size=16),
    st.sampled_from([POSIX, WINDOWS, APPLE]),
)
def test_a_key_names_the_file_that_it_is_the_key_of(path: str, rules: Rules) -> None:
    root = "C:\\p" if rules is WINDOWS else "/p"
    once = key(path, rules, root=root)
    assert key(once, rules, root=root) == once
    shown = shown_path(path, root=root, rules=rules)
    assert key(shown, rules, root=root) == once
