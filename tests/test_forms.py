import gc
import weakref

import pytest

from interned.forms import clear_forms, current_form, form_class, keep, new_form, renew


class Value:
    def __init__(self, *fields):
        self.fields = list(fields)


FORMS = form_class(2)


class Token:
    """What only one form holds, so that it shows how long the form lives."""


def made(value):
    form = new_form(FORMS, value, value.fields)
    form.text = "[]"
    form.mapping = Token()
    keep(form, value)
    return form


def test_a_form_is_found_by_its_instance():
    value = Value(1, "a")
    form = made(value)
    assert current_form(FORMS, value, value.fields) is form


def test_it_is_found_by_identity_only():
    class Awkward(Value):
        def __eq__(self, other):
            raise AssertionError

        __hash__ = None

    value, equal = Awkward(1, "a"), Awkward(1, "a")
    form = made(value)
    assert current_form(FORMS, value, value.fields) is form
    assert current_form(FORMS, equal, equal.fields) is None


@pytest.mark.parametrize("fields", [[True, "a"], [1.0, "a"], [1, "b"]])
def test_it_is_only_current_while_the_fields_are_the_very_objects(fields):
    value = Value(1, "a")
    form = made(value)
    assert current_form(FORMS, value, fields) is None
    assert current_form(FORMS, value, value.fields) is form


def test_a_form_of_another_class_is_not_taken_for_one():
    value = Value(1, "a")
    made(value)
    assert current_form(form_class(2), value, value.fields) is None


def test_no_two_classes_of_forms_share_a_slot():
    assert not set(form_class(3).__slots__) & set(form_class(3).__slots__)


def test_instances_without_fields_have_forms_too():
    value, forms = Value(), form_class(0)
    form = new_form(forms, value, [])
    keep(form, value)
    assert current_form(forms, value, []) is form


def test_the_form_dies_with_its_instance_at_once():
    value = Value(1, "a")
    dead = weakref.ref(made(value).mapping)
    assert dead() is not None
    gc.disable()
    try:
        del value
        assert dead() is None
    finally:
        gc.enable()


def test_the_form_of_a_cycle_goes_with_the_cycle():
    value = Value(1, "a")
    value.me = value
    dead = weakref.ref(made(value).mapping)
    del value
    gc.collect()
    assert dead() is None


def test_a_form_that_nothing_keeps_is_gone():
    value = Value(1, "a")
    new_form(FORMS, value, value.fields)
    assert current_form(FORMS, value, value.fields) is None


def test_a_form_replaces_the_former():
    value = Value(1, "a")
    former = weakref.ref(made(value).mapping)
    value.fields = [2, "a"]
    form = made(value)
    assert former() is None
    assert weakref.getweakrefs(value) == [form]


def test_clearing_drops_forms_and_they_can_be_made_again():
    value = Value(1, "a")
    dead = weakref.ref(made(value).mapping)
    clear_forms()
    assert dead() is None
    assert current_form(FORMS, value, value.fields) is None
    form = made(value)
    assert current_form(FORMS, value, value.fields) is form


def test_what_cannot_be_weakly_referenced_has_no_form():
    with pytest.raises(TypeError, match="weak reference"):
        new_form(FORMS, (1, 2), [1, 2])


def test_a_form_is_brought_before_newer_references():
    value = Value(1, "a")
    form = made(value)
    newer = weakref.ref(value, print)
    assert weakref.getweakrefs(value)[0] is newer
    renew(form, value, value.fields)
    renewed = weakref.getweakrefs(value)[0]
    assert (renewed.text, renewed.mapping) == (form.text, form.mapping)
    assert current_form(FORMS, value, value.fields) is renewed
    del form
    assert weakref.getweakrefs(value) == [renewed, newer]


def test_a_form_stays_where_it_is_if_nothing_can_be_gained():
    value = Value(1, "a")
    form = made(value)
    renew(form, value, value.fields)
    assert weakref.getweakrefs(value) == [form]


@pytest.mark.parametrize("refer", [weakref.ref, weakref.proxy])
def test_a_form_is_not_made_again_behind_what_is_always_first(refer):
    value = Value(1, "a")
    form = made(value)
    first = refer(value)
    renew(form, value, value.fields)
    found = weakref.getweakrefs(value)
    assert found[0] is first
    assert found[1] is form


def test_its_length_is_that_of_the_text():
    value = Value(1, "a")
    form = new_form(FORMS, value, value.fields, print)
    form.mapping = {"a": 1}
    assert len(form) == len("{'a': 1}")
    form.text = ""
    assert len(form) == 0
    assert form
