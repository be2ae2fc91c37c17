"""Name what can go wrong: each error says which class, which field, and the remedy."""


class InternedError(Exception):
    """Base of every error that this library raises on its own account."""


class UnkeyableError(InternedError, TypeError):
    """A value is mutable or unhashable, so no exact key can stand for it."""


class MutableClassError(InternedError, TypeError):
    """A class whose fields can be reassigned was to be interned."""


class UnsupportedClassError(InternedError, TypeError):
    """A target of a kind that cannot be interned: it has an identity rule of its own."""


class DecoratorOrderError(InternedError, TypeError):
    """`@interned` was written below `@dataclass` or `@attrs.frozen` instead of above."""


class NotWeakReferenceableError(InternedError, TypeError):
    """An object was to be held weakly, but its class has no `__weakref__` slot."""


class MutatedError(InternedError, RuntimeError):
    """A shared value was changed in place (found by `INTERNED_MODE=verify`)."""


class UnsupportedVersionError(InternedError, RuntimeError):
    """A third-party library does not have the seams or the output an adapter knows."""
