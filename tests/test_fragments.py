import json

import pytest

from interned import fragments
from interned.fragments import Fragment, MarkFound, admits, splice, takes_fragments


class Known:
    """A value that is replaced by something else."""

    def __init__(self, replacement):
        self.replacement = replacement


def replace(value):
    return value.replacement if isinstance(value, Known) else NotImplemented


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (Fragment("[1]"), "[1]"),
        ([Fragment("1"), 0, Fragment("2")], "[1, 0, 2]"),
        ({"a": Fragment("{}"), 3: (Fragment("[]"),)}, '{"a": {}, "3": [[]]}'),
        ([Known(Fragment("1")), Known(2), Known([Known(Fragment("3"))])], "[1, 2, [3]]"),
        ([Known({"a": Fragment('"é"')})], '[{"a": "é"}]'),
        ([], "[]"),
    ],
)
def test_fragments_are_put_in_their_places(document, expected):
    assert splice(document, {}, replace) == expected


def test_one_fragment_can_stand_in_many_places():
    one = Fragment("1")
    assert splice([one, [one], {"k": one}], {}, replace) == '[1, [1], {"k": 1}]'


def test_a_fragment_is_no_key():
    with pytest.raises(TypeError, match="unhashable"):
        {Fragment("{}"): 1}


def test_other_values_are_left_to_the_callers_default():
    assert splice([1j, Fragment("2")], {"default": str}, replace) == '["1j", 2]'


def test_other_values_are_left_to_the_callers_encoder():
    class Encoder(json.JSONEncoder):
        def default(self, value):
            return ["encoder", str(value)]

    assert splice([1j, Known(2)], {"cls": Encoder}, replace) == '[["encoder", "1j"], 2]'


def test_other_values_are_refused_as_json_refuses_them():
    with pytest.raises(TypeError, match="Object of type complex is not JSON serializable"):
        splice([1j], {}, replace)


def test_unknown_options_are_refused_as_json_refuses_them():
    with pytest.raises(TypeError, match="unexpected keyword argument 'flavour'"):
        splice([], {"flavour": 1}, replace)


def test_a_document_that_holds_the_mark_is_noticed():
    for document in ([fragments._MARK, Fragment("1")], {fragments._MARK: Fragment("1")}):
        with pytest.raises(MarkFound):
            splice(document, {}, replace)
    assert splice([fragments._MARK], {}, replace) == json.dumps([fragments._MARK])


def test_a_quoted_mark_is_no_mark():
    document = [fragments._QUOTED_MARK, Fragment("1")]
    assert splice(document, {}, replace) == json.dumps([fragments._QUOTED_MARK, 1])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, True),
        ({"skipkeys": True, "check_circular": False, "default": str, "allow_nan": False}, True),
        ({"ensure_ascii": False}, True),
        ({"indent": None, "separators": None, "sort_keys": False, "cls": None}, True),
        ({"separators": (", ", ": "), "cls": json.JSONEncoder}, True),
        ({"indent": 0}, False),
        ({"indent": ""}, False),
        ({"separators": (",", ":")}, False),
        ({"sort_keys": True}, False),
        ({"cls": type("Encoder", (json.JSONEncoder,), {})}, False),
        ({"flavour": 1}, False),
    ],
)
def test_options_that_lay_out_otherwise_take_no_fragments(options, expected):
    assert takes_fragments(options) is expected


@pytest.mark.parametrize(
    ("options", "text", "expected"),
    [
        ({}, "NaN", True),
        ({"allow_nan": False}, "[NaN]", False),
        ({"allow_nan": False}, "[-Infinity]", False),
        ({"allow_nan": False}, "[1]", True),
        ({"ensure_ascii": False}, '"\\u00e9"', False),
        ({"ensure_ascii": False}, '"e"', True),
    ],
)
def test_a_text_is_admitted_where_json_would_write_the_same(options, text, expected):
    assert admits(options, text) is expected
