"""What was worked out last, beside the states and never in them: it saves time and changes no answer."""

from __future__ import annotations

import threading
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

_Owner = TypeVar("_Owner")
_Kept = TypeVar("_Kept")


class Memory(threading.local, Generic[_Owner, _Kept]):
    """One value for each owner (a frozen configuration), thread by thread, for as long as the owner lives."""

    def __init__(self) -> None:
        self._kept: WeakKeyDictionary[_Owner, _Kept] = WeakKeyDictionary()

    def taken(self, owner: _Owner) -> _Kept | None:
        """What was kept last, which is forgotten: the caller may write to it."""
        return self._kept.pop(owner, None)

    def last(self, owner: _Owner) -> _Kept | None:
        """What was kept last."""
        return self._kept.get(owner)

    def keep(self, owner: _Owner, value: _Kept) -> None:
        """Until the next."""
        self._kept[owner] = value
