import pickle
import weakref

import pytest

from interned import readers
from interned.forms import form_class, keep, new_form
from interned.readers import FormProperty, install


def served_dict(instance):
    """The dict."""
    return "served dict", instance


def served_json(instance):
    return "served json", instance


class Base:
    as_serialized_dict = FormProperty(served_dict, "mapping")
    as_serialized_json = FormProperty(served_json, "text")


@pytest.fixture
def cls():
    class Value(Base):
        def __init__(self, x, y):
            self.x = x
            self.y = y

    return Value


@pytest.fixture
def forms(cls):
    forms = form_class(2)
    install(cls, ("x", "y"), forms)
    return forms


def form_for(value, forms):
    form = new_form(forms, value, [value.x, value.y])
    form.mapping, form.text = {"x": 1}, "text"
    keep(form, value)
    return form


def test_it_reads_what_the_form_holds(cls, forms):
    value = cls(1, "a")
    form = form_for(value, forms)
    assert value.as_serialized_dict is form.mapping
    assert value.as_serialized_json is form.text


def test_without_a_form_it_is_served(cls, forms):
    value = cls(1, "a")
    assert value.as_serialized_dict == ("served dict", value)
    assert value.as_serialized_json == ("served json", value)


@pytest.mark.parametrize("change", [{"x": True}, {"x": 1.0}, {"y": "b"}])
def test_with_another_field_it_is_served(cls, forms, change):
    value = cls(1, "a")
    form = form_for(value, forms)
    vars(value).update(change)
    assert value.as_serialized_dict == ("served dict", value)
    vars(value).update({"x": 1, "y": "a"})
    assert value.as_serialized_dict is form.mapping


def test_without_a_field_it_is_served(cls, forms):
    value = cls(1, "a")
    form = form_for(value, forms)
    del value.x
    assert value.as_serialized_dict == ("served dict", value)
    assert form


def test_with_half_a_form_the_other_half_is_served(cls, forms):
    value = cls(1, "a")
    form = form_for(value, forms)
    del form.text
    assert value.as_serialized_json == ("served json", value)
    assert value.as_serialized_dict is form.mapping


def test_other_references_are_not_taken_for_a_form(cls, forms):
    value = cls(1, "a")
    form = form_for(value, forms)
    other = weakref.ref(value)
    assert value.as_serialized_dict == ("served dict", value)
    del other
    assert value.as_serialized_dict is form.mapping


def test_forms_of_another_class_are_not_taken_for_its_own(cls, forms):
    value = cls(1, "a")
    form = form_for(value, form_class(2))
    assert value.as_serialized_dict == ("served dict", value)
    assert form


def test_a_subclass_is_served_until_it_has_its_own(cls, forms):
    class Child(cls):
        pass

    value = Child(1, "a")
    assert value.as_serialized_dict == ("served dict", value)
    child_forms = form_class(2)
    install(Child, ("x", "y"), child_forms)
    form = form_for(value, child_forms)
    assert value.as_serialized_dict is form.mapping


def test_an_overridden_property_is_left_alone(cls):
    class Child(cls):
        @property
        def as_serialized_dict(self):
            return "mine", super().as_serialized_dict

    forms = form_class(2)
    install(Child, ("x", "y"), forms)
    value = Child(1, "a")
    form = form_for(value, forms)
    assert value.as_serialized_dict == ("mine", ("served dict", value))
    assert value.as_serialized_json is form.text


def test_it_keeps_what_it_says_about_itself(cls, forms):
    assert cls.as_serialized_dict is not Base.as_serialized_dict
    assert cls.as_serialized_dict.__doc__ == "The dict."


def test_a_class_pickled_by_value_goes_without_what_was_generated(cls, forms):
    again = pickle.loads(pickle.dumps(cls.as_serialized_dict))
    assert type(again) is FormProperty
    assert again.fget is served_dict


@pytest.mark.parametrize("names", [(), ("class",), ("é",)])
def test_what_cannot_be_spelled_is_not_generated(cls, names):
    install(cls, names, form_class(len(names)))
    assert cls.as_serialized_dict is Base.as_serialized_dict


def test_a_class_that_makes_up_attributes_is_not_trusted(cls):
    cls.__getattr__ = lambda self, name: None
    install(cls, ("x", "y"), form_class(2))
    assert cls.as_serialized_dict is Base.as_serialized_dict


@pytest.mark.parametrize(("setting", "value"), [("MODE", "verify"), ("_HAS_GIL", False)])
def test_it_is_not_installed_where_each_read_is_checked(cls, monkeypatch, setting, value):
    monkeypatch.setattr(readers, setting, value)
    install(cls, ("x", "y"), form_class(2))
    assert cls.as_serialized_dict is Base.as_serialized_dict


def test_a_metaclass_has_no_say_in_it():
    class Closed(type):
        def __setattr__(cls, name, value):
            raise AttributeError(name)

    class Value(Base, metaclass=Closed):
        pass

    install(Value, ("x",), form_class(1))
    assert Value.as_serialized_dict is not Base.as_serialized_dict
