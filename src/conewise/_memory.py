"""Cache the last intermediate result of a computation. The cache saves time and never changes a result."""

from __future__ import annotations

import threading
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

_Owner = TypeVar("_Owner")
_Kept = TypeVar("_Kept")


class Memory(threading.local, Generic[_Owner, _Kept]):
    """Store one value for each owner (a frozen configuration) and thread, for as long as the owner lives."""

    def __init__(self) -> None:
        self._kept: WeakKeyDictionary[_Owner, _Kept] = WeakKeyDictionary()

    def taken(self, owner: _Owner) -> _Kept | None:
        """Remove and return the stored value, so that the caller may modify it; None if there is none."""
        return self._kept.pop(owner, None)

    def last(self, owner: _Owner) -> _Kept | None:
        """Return the stored value, or None if there is none."""
        return self._kept.get(owner)

    def keep(self, owner: _Owner, value: _Kept) -> None:
        """Store a value, in place of the earlier one."""
        self._kept[owner] = value
