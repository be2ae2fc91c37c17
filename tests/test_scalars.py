"""Values of the standard library: what `==` merges and a reader does not, what nobody can tell."""

import collections
import datetime as dt
import functools
import ipaddress
import operator
import pathlib
import re
import struct
import subprocess
import sys
import time
import typing
import uuid
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

import pytest

from interned.errors import UnkeyableError
from interned.keys import exact_key, weak_key


def nan(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


QUIET, OTHER, NEGATIVE = 0x7FF8 << 48, (0x7FF8 << 48) + 1, 0xFFF8 << 48
NOON = dt.datetime(2024, 6, 1, 12, tzinfo=dt.UTC)
NIGHT = dt.datetime(2024, 10, 27, 2, 30)


class Number(int):
    def __int__(self):
        return 0

    __index__ = __int__


class Real(float):
    def __float__(self):
        return 0.0


class Text(str):
    __slots__ = ()

    def __str__(self):
        return ""


class Raw(bytes):
    def __bytes__(self):
        return b""


class Row(tuple):
    __slots__ = ()

    def __iter__(self):
        return iter(())


class Bag(frozenset):
    def __iter__(self):
        return iter(())


class Moment(dt.datetime):
    def __reduce_ex__(self, protocol):
        return (type(self), (b"",))


class Folder(pathlib.PurePosixPath):
    def __str__(self):
        return ""


class Host:
    def method(self):
        pass

    other = method

    @classmethod
    def made(cls):
        pass


class Unhashable(dt.tzinfo):
    __hash__ = None

    def utcoffset(self, moment):
        return dt.timedelta(0)


HOST = Host()


def place_of(value):
    with pytest.raises(UnkeyableError) as caught:
        exact_key(value)
    return str(caught.value).partition(":")[0]


DIFFERENT = [
    (0.0, -0.0),
    (nan(QUIET), nan(OTHER)),
    (nan(QUIET), nan(NEGATIVE)),
    (complex(0.0, 1.0), complex(-0.0, 1.0)),
    (complex(1.0, 0.0), complex(1.0, -0.0)),
    (complex(1.0, nan(QUIET)), complex(1.0, nan(OTHER))),
    (1, True),
    (1, 1.0),
    (1, Number(1)),
    (Number(1), Number(2)),
    (Real(1.0), Real(2.0)),
    (Real(0.0), Real(-0.0)),
    ("a", Text("a")),
    (Text("a"), Text("b")),
    ("a", b"a"),
    (b"a", Raw(b"a")),
    (Raw(b"a"), Raw(b"b")),
    ((), Row()),
    (Row((1,)), Row((2,))),
    (Row((1,)), Row((True,))),
    (frozenset({1}), frozenset({True})),
    (frozenset(), Bag()),
    (Bag({1}), Bag({2})),
    (frozenset({nan(QUIET)}), frozenset({nan(QUIET), nan(QUIET)})),
    (frozenset({(1, 2)}), frozenset({(1, 2.0)})),
    (range(0), range(1, 1)),
    (range(0, 3, 2), range(0, 4, 2)),
    (..., NotImplemented),
    (None, ...),
    (Decimal("1.0"), Decimal("1.00")),
    (Decimal(0), Decimal("-0")),
    (Decimal("NaN"), Decimal("sNaN")),
    (Decimal("NaN1"), Decimal("NaN2")),
    (Decimal("Infinity"), Decimal("-Infinity")),
    (Fraction(1, 2), Decimal("0.5")),
    (NOON, NOON.astimezone(dt.timezone(dt.timedelta(hours=1)))),
    (NOON, NOON.replace(tzinfo=dt.timezone(dt.timedelta(0), "UTC"))),
    (NOON, Moment.fromtimestamp(NOON.timestamp(), dt.UTC)),
    (Moment(2024, 1, 1), Moment(2024, 1, 2)),
    (NIGHT, NIGHT.replace(fold=1)),
    (dt.time(1), dt.time(1, fold=1)),
    (dt.time(1, tzinfo=dt.UTC), dt.time(1)),
    (dt.date(2024, 1, 1), dt.datetime(2024, 1, 1)),
    (dt.timedelta(1), dt.timedelta(2)),
    (dt.UTC, dt.timezone(dt.timedelta(0), "UTC")),
    (uuid.UUID(int=1), uuid.UUID(int=1, is_safe=uuid.SafeUUID.safe)),
    (pathlib.PurePosixPath("a"), pathlib.PureWindowsPath("a")),
    (pathlib.PureWindowsPath("a"), pathlib.PureWindowsPath("A")),
    (Folder("a"), Folder("b")),
    (ipaddress.ip_address("1.2.3.4"), int(ipaddress.ip_address("1.2.3.4"))),
    (ipaddress.ip_address("fe80::1"), ipaddress.ip_address("fe80::1%eth0")),
    (ipaddress.ip_address("1.2.3.4"), ipaddress.ip_interface("1.2.3.4")),
    (ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_network("10.0.0.0/9")),
    (re.compile("a"), re.compile(b"a")),
    (re.compile("a"), re.compile("a", re.IGNORECASE)),
    (re.compile("a"), re.compile(Text("a"))),
    (int, bool),
    (Host, HOST),
    (len, abs),
    (HOST.method, Host().method),
    (HOST.method, Host.method),
    (Host.made, HOST.method),
    ([].append, [].append),
    ((lst := []).append, lst.extend),
    (operator.attrgetter("x"), operator.attrgetter("x")),
    (functools.partial(len, 1), functools.partial(len, True)),
    (functools.partial(len, a=1, b=2), functools.partial(len, b=2, a=1)),
    (functools.partial(len, a=1), functools.partial(len, a=True)),
    (functools.partial(len, a=1), functools.partial(len, b=1)),
    (functools.partial(len), functools.partial(abs)),
    (list[int], list[bool]),
    (list[int], typing.List[int]),  # noqa: UP006
    (tuple[int], tuple[*tuple[int]]),
    (int | str, str | int),
    (typing.Literal[1], typing.Literal[True]),
    (typing.Annotated[int, 1], typing.Annotated[int, True]),
    (typing.Optional[int], typing.Optional[bool]),  # noqa: UP045
    (time.gmtime(0), time.struct_time(tuple(time.gmtime(0)))),
]


@pytest.mark.parametrize("key", [exact_key, weak_key])
@pytest.mark.parametrize(("one", "other"), DIFFERENT, ids=repr)
def test_values_that_can_be_told_apart(key, one, other):
    assert key(one) == key(one)
    assert hash(key(one)) == hash(key(one))
    assert key(one) != key(other)
    assert key((0, one)) != key((0, other))


def tagged(notes):
    partial = functools.partial(len, 1)
    partial.notes = notes
    return partial


SAME = [
    lambda: nan(QUIET),
    lambda: complex(nan(OTHER), -0.0),
    lambda: (float("1.5"), int("12345")),
    lambda: frozenset({nan(QUIET), nan(QUIET), 1}),
    lambda: Number(1),
    lambda: Raw(b"a"),
    lambda: Row((1, 2.0)),
    lambda: Bag({1, (2,)}),
    lambda: range(0, 3, 2),
    lambda: Decimal("-1.50"),
    lambda: Fraction(3, 4),
    lambda: NIGHT.replace(tzinfo=dt.timezone(dt.timedelta(hours=2)), fold=1),
    lambda: Moment(2024, 1, 1, tzinfo=dt.UTC),
    lambda: dt.time(1, 2, tzinfo=dt.UTC),
    lambda: dt.timedelta(days=1.5),
    lambda: dt.timezone(dt.timedelta(hours=1), "CET"),
    lambda: uuid.UUID(int=7),
    lambda: pathlib.PurePosixPath("a//b"),
    lambda: ipaddress.ip_interface("10.0.0.1/8"),
    lambda: ipaddress.ip_network("::/64"),
    lambda: re.compile("a" + "b"),
    lambda: HOST.method,
    lambda: Host.made,
    lambda: HOST.__eq__,
    lambda: time.gmtime,
    lambda: functools.partial(HOST.method, (1,), x=2.0),
    lambda: tagged((1, 2)),
    lambda: dict[str, list[int]],
    lambda: typing.Annotated[int, (1, 2)],
    lambda: typing.Callable[[int], str],
    lambda: int | None,
    lambda: time.gmtime(0),
]


@pytest.mark.parametrize("key", [exact_key, weak_key])
@pytest.mark.parametrize("make", SAME, ids=lambda make: repr(make()))
def test_values_that_cannot_be_told_apart(key, make):
    one, other = make(), make()
    assert key(one) == key(other)
    assert hash(key(one)) == hash(key(other))


def test_one_method_under_two_names_is_one_method():
    assert exact_key(HOST.method) == exact_key(HOST.other)


def test_attributes_of_a_partial_belong_to_it():
    assert exact_key(tagged(1)) != exact_key(tagged(True))
    assert exact_key(tagged(1)) != exact_key(functools.partial(len, 1))


def test_an_overridden_method_is_not_the_overriding_one():
    mapping = collections.OrderedDict()
    assert exact_key(mapping.pop) == exact_key(mapping.pop)
    assert exact_key(mapping.pop) != exact_key(super(collections.OrderedDict, mapping).pop)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="a slice has no hash before Python 3.12")
def test_a_slice_where_it_hashes():
    assert exact_key(slice(1, 2)) == exact_key(slice(1, 2))
    assert exact_key(slice(1, 2)) != exact_key(slice(True, 2))


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="a slice has a hash from Python 3.12 on")
def test_a_slice_where_it_does_not_hash():
    with pytest.raises(UnkeyableError, match=r"a slice is unhashable.*pass a tuple of its bounds"):
        exact_key(slice(1, 2))


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ((0, (1, [])), "[1][1]"),
        (frozenset({memoryview(b"")}), "{}"),
        (functools.partial(len, 1, []), ".args[1]"),
        (functools.partial(len, x=[]), ".keywords['x']"),
        (tagged([]), ".notes"),
        (typing.Annotated[int, []], ".__metadata__[0]"),
        (dt.time(1, tzinfo=Unhashable()), ".tzinfo"),
        ((MappingProxyType({}),), "[0]"),
    ],
    ids=repr,
)
def test_the_place_of_a_mutable_part(value, place):
    assert place_of(value) == place


def test_no_comparison_of_text_and_bytes():
    script = """if True:
        import re
        from interned.keys import exact_key, weak_key
        class Text(str): __slots__ = ()
        values = ["a", b"a", 97, Text("a"), re.compile("a"), re.compile(b"a"), ("a",), (b"a",)]
        for key in (exact_key, weak_key):
            keys = {key(value): value for value in values}
            assert len(keys) == len(values)
            assert all((key(one) == key(other)) is (one is other)
                       for one in values for other in values)
    """
    subprocess.run([sys.executable, "-W", "error", "-bb", "-c", script], check=True)
