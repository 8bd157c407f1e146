"""The family of refusals."""

import inspect

from backend.app.api.errors import STATUS
from backend.app.core import errors


def _family() -> list[type[errors.AppError]]:
    return [
        member
        for _, member in inspect.getmembers(errors, inspect.isclass)
        if issubclass(member, errors.AppError)
    ]


def test_the_code_on_the_wire_is_the_snake_cased_name() -> None:
    assert errors.TooMany.code() == "too_many"
    assert errors.NotFound.code() == "not_found"


def test_a_class_says_its_docstring_unless_told_otherwise() -> None:
    assert errors.Gone().detail == "This has expired."
    assert errors.Gone("Start again.").detail == "Start again."


def test_every_kind_has_a_status_and_no_business_refusal_is_a_500() -> None:
    assert set(STATUS) == set(errors.ErrorKind)
    assert [kind for kind, status in STATUS.items() if status == 500] == [errors.ErrorKind.INTERNAL]


def test_the_tree_at_the_top_of_the_module_is_the_family() -> None:
    drawn = inspect.getdoc(errors) or ""

    assert all(member.__name__ in drawn for member in _family())
