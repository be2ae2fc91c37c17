"""A price list of ordinary frozen dataclasses: shared by a decorator, serialized once by a base."""

import json
from copy import deepcopy
from dataclasses import asdict, dataclass, replace

from interned import CachedSerialization, interned


@interned
@dataclass(frozen=True)
class Currency(CachedSerialization):
    """What a price is in."""

    code: str
    digits: int = 2


@interned
@dataclass(frozen=True)
class Price(CachedSerialization):
    """An amount in a currency."""

    amount: float
    currency: Currency


euro = Currency("EUR")
price = Price(500, euro)

assert Price(amount=500, currency=Currency("EUR", digits=2)) is price  # one value, one object
assert replace(Price(250, euro), amount=500) is deepcopy(price) is price
assert Price(500.0, euro) == price  # equal ...
assert Price(500.0, euro) is not price  # ... yet a reader could tell them apart

assert price.as_serialized_dict == asdict(price)
assert price.as_serialized_json == json.dumps(asdict(price))
assert price.as_serialized_json is price.as_serialized_json  # computed once
assert list(vars(price)) == ["amount", "currency"]  # and kept out of sight
