"""How long the explorer waits for somebody, and for how many at once: half a request must not keep others out."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from conewise.dashboard.guard import PATIENCE

MOST_CONNECTIONS: Final = 200
"""Connections at once; a browser keeps six. With one more, the one that has waited longest is closed."""


class PatientProtocol(H11Protocol):  # type: ignore[misc]
    """HTTP as uvicorn speaks it, with an end to waiting: for the head of a request, and for who does not read.

    The body of a request has its own time, in `guard.Guard`; a connection between two requests is closed by uvicorn.
    """

    def connection_made(self, transport: Any) -> None:
        """Somebody has come: the head of a request is due, and there may be too many by now."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._due: asyncio.TimerHandle | None = None
        self._reading: asyncio.TimerHandle | None = None
        self._expect()
        there = [other for other in self.connections if not other.transport.is_closing()]
        if len(there) > MOST_CONNECTIONS:
            idle = (other for other in there if not other._is_answering())
            min(idle, key=lambda other: other._since, default=self).transport.abort()

    def data_received(self, data: bytes) -> None:
        """A head that comes in pieces does not get more time for each of them."""
        super().data_received(data)
        if self._is_answering():
            _stop(self._due)
            self._due = None
        elif self._due is None:
            self._expect()

    def pause_writing(self) -> None:
        """More is on its way than is read."""
        super().pause_writing()
        _stop(self._reading)
        self._reading = self.loop.call_later(PATIENCE, self.transport.abort)

    def resume_writing(self) -> None:
        """It was read."""
        super().resume_writing()
        _stop(self._reading)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is waited for any more."""
        _stop(self._due)
        _stop(self._reading)
        super().connection_lost(exc)

    def _expect(self) -> None:
        self._since = self.loop.time()
        self._due = self.loop.call_later(PATIENCE, self.transport.abort)

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete


def _stop(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
