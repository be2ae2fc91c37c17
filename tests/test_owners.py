"""Owners: results go with them, and leave no trace."""

import weakref

import pytest

from interned.entries import ExactKey
from interned.errors import NotWeakReferenceableError
from interned.owners import Owners, require_weak_reference


class Thing:
    __slots__ = ("__weakref__",)
    __hash__ = None

    def __eq__(self, other):
        return True


class Entry:
    def __init__(self, key, *owners):
        self.key = key
        self.owners = tuple(map(weakref.ref, owners))


class Keeper:
    """Forgets entries as the interner of a callable does."""

    def __init__(self):
        self.forgotten = []
        self.owners = Owners(self.forget)

    def forget(self, entry):
        self.forgotten.append(entry)
        self.owners.discard(entry)


@pytest.fixture
def keeper():
    return Keeper()


@pytest.mark.parametrize("make", [tuple, ExactKey])
def test_an_entry_goes_with_the_first_of_its_owners(keeper, make):
    one, other = Thing(), Thing()
    entry = Entry(make((id(one), id(other), 1)), one, other)
    keeper.owners.add(entry)
    del one
    assert keeper.forgotten == [entry]
    del other
    assert keeper.forgotten == [entry]
    assert keeper.owners._known == {}


def test_a_forgotten_entry_goes_with_nobody(keeper):
    thing = Thing()
    first, second = (Entry((id(thing), number), thing) for number in range(2))
    keeper.owners.add(first)
    keeper.owners.add(second)
    keeper.owners.discard(first)
    del thing
    assert keeper.forgotten == [second]


def test_an_owner_whose_death_was_not_reported_is_noticed(keeper, monkeypatch):
    thing = Thing()
    entry = Entry((id(thing),), thing)
    keeper.owners.add(entry)
    (owner,) = keeper.owners._known.values()
    monkeypatch.setattr(keeper.owners, "_known", {id(keeper): owner})
    owner.place = id(keeper)
    keeper.owners.add(Entry((id(keeper),), keeper))
    assert keeper.forgotten == [entry]
    assert [known() for known in keeper.owners._known.values()] == [keeper]


def test_owners_do_not_keep_their_keeper():
    keeper = Keeper()
    thing = Thing()
    keeper.owners.add(Entry((id(thing),), thing))
    gone = weakref.ref(keeper)
    del keeper
    assert gone() is None
    del thing


def test_references_are_refused_in_words(keeper):
    thing = Thing()
    (reference,) = keeper.owners.references((thing,), ("self",), "f")
    assert reference() is thing
    with pytest.raises(NotWeakReferenceableError, match=r"f\.mesh: instances of int"):
        keeper.owners.references((thing, 3), ("self", "mesh"), "f")
    with pytest.raises(NotWeakReferenceableError, match=r"f\.self: instances of str"):
        keeper.owners.references(("a",), (), "f")


class Slotted:
    __slots__ = ()


class Number(int):
    pass


@pytest.mark.parametrize(
    ("cls", "remedy"),
    [
        (Slotted, 'add "__weakref__" to its __slots__'),
        (int, "pass an object that can be"),
        (Number, "pass an object that can be"),
    ],
)
def test_the_remedy_fits_the_class(cls, remedy):
    with pytest.raises(NotWeakReferenceableError, match=remedy):
        require_weak_reference(cls, "f.x")
    require_weak_reference(Thing, "f.x")
