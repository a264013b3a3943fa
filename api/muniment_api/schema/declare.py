"""How types are declared: the docstring of a class or resolver is its description in the schema.

* Every type and field has a description; a test looks for those that have none.
* Strawberry types are the wire contract and stay apart from the domain's types: a change there is no change here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, dataclass_transform

import strawberry

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., object])


def said(description: str, *, name: str | None = None) -> Any:
    """Declare a plain field, read from the object as it is."""
    return strawberry.field(description=description, name=name)


def given(description: str, default: T, *, name: str | None = None) -> T:
    """Declare a field of an input that may be left out."""
    made: T = strawberry.field(description=description, name=name, default=default)
    return made


def told(resolver: F) -> F:
    """Declare a field that a method answers."""
    return strawberry.field(resolver=resolver, description=described(resolver))  # type: ignore[return-value]


@dataclass_transform(kw_only_default=True)
def typed(cls: type[T]) -> type[T]:
    """Declare an object type."""
    return strawberry.type(cls, description=described(cls))


@dataclass_transform(kw_only_default=True)
def interface(cls: type[T]) -> type[T]:
    """Declare an interface."""
    return strawberry.interface(cls, description=described(cls))


@dataclass_transform(kw_only_default=True)
def taken(cls: type[T]) -> type[T]:
    """Declare an input type."""
    return strawberry.input(cls, description=described(cls))


def described(thing: object) -> str:
    """Return a docstring as one paragraph."""
    return " ".join((inspect.getdoc(thing) or "").split())


def made(kind: Callable[..., T], found: object, **own: object) -> T:
    """Return a value of a wire type; its fields are those of `found` under the same names, but for those given."""
    names = [name for name in kind.__annotations__ if name not in own]
    return kind(**{name: getattr(found, name) for name in names}, **own)
