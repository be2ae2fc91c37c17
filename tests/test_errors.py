"""Each error is caught as what it is, and as one of ours."""

import pytest

from interned import errors


@pytest.mark.parametrize(
    ("name", "builtin"),
    [
        ("UnkeyableError", TypeError),
        ("MutableClassError", TypeError),
        ("UnsupportedClassError", TypeError),
        ("DecoratorOrderError", TypeError),
        ("NotWeakReferenceableError", TypeError),
        ("MutatedError", RuntimeError),
        ("UnsupportedVersionError", RuntimeError),
    ],
)
def test_an_error_is_ours_and_the_builtin(name, builtin):
    error = getattr(errors, name)
    assert issubclass(error, errors.InternedError)
    assert issubclass(error, builtin)
