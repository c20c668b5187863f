"""Who may speak to the explorer: only the page that it served itself, on this machine, in small requests."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST_BODY: Final = 2**20
"""Bytes: ten times the longest text form of a cone."""
PATIENCE: Final = 20.0
"""Seconds for the head of a request, for its body, and for reading an answer that does not fit on the line."""

HEADERS: Final = (
    # Nothing but our own files: no inline script, no other host, no frame around the page.
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),  # the address holds the token
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


class Guard:
    """Refuses with 403 what does not come from our own page, and with 413 what is too long; adds the headers."""

    def __init__(self, app: App, *, token: str, hosts: tuple[str, ...]) -> None:
        self._app, self._token, self._hosts = app, token, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            return
        refusal = self._refusal(scope)
        receive = _in_time(receive)

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
            await send(message)

        if refusal is None:
            await self._app(scope, receive, answer)
            return
        status, sentence = refusal
        if status != 413:
            await _discard(receive)
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
        await answer({"type": "http.response.start", "status": status, "headers": headers})
        await answer({"type": "http.response.body", "body": sentence.encode()})

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers: dict[bytes, bytes] = {}
        for name, value in scope["headers"]:
            if name in headers and name in (b"host", b"origin", b"content-length"):
                return 403, f"two headers called {name.decode()} were sent."
            headers[name] = value
        # A page elsewhere can be made to resolve to 127.0.0.1; its Host gives it away.
        host = headers.get(b"host", b"")
        if host.lower() not in (known.encode() for known in self._hosts):
            return 403, "this page is served on its own address only; use the one that conewise explore printed."
        if headers.get(b"origin", b"http://" + host).lower() != b"http://" + host.lower():
            return 403, "requests from other pages are refused."
        if headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin") and not self._is_opened(scope):
            return 403, "requests from other pages are refused."
        token = str(scope["path"]).removeprefix("/").partition("/")[0].encode()  # the path may be *
        if not secrets.compare_digest(token, self._token.encode()):
            return 403, "the token in the address is missing or wrong; use the address that conewise explore printed."
        if int(headers.get(b"content-length", b"0")) > LARGEST_BODY:  # uvicorn has checked that it is a number
            return 413, f"a request may have {LARGEST_BODY} bytes."
        return None

    def _is_opened(self, scope: Scope) -> bool:
        """Whether somebody follows a link to the page itself, as the file does through which a browser is opened."""
        wanted = {(b"sec-fetch-mode", b"navigate"), (b"sec-fetch-dest", b"document")}
        whole = scope["method"] == "GET" and scope["path"] == f"/{self._token}/"
        return whole and wanted <= {(name, value) for name, value in scope["headers"]}


def _in_time(receive: Receive) -> Receive:
    """A request whose body is not there in time counts as hung up."""
    due, whole = asyncio.get_running_loop().time() + PATIENCE, False

    async def patient() -> Message:
        nonlocal whole
        if whole:
            return await receive()
        try:
            async with asyncio.timeout_at(due):
                message = await receive()
        except TimeoutError:
            return {"type": "http.disconnect"}
        whole = not message.get("more_body", False)
        return message

    return patient


async def _discard(receive: Receive) -> None:
    """Read a short body before answering: who hangs up with bytes unread resets the connection, answer and all."""
    read, more = 0, True
    while more and read <= LARGEST_BODY:
        message = await receive()
        read += len(message.get("body", b""))
        more = message.get("more_body", False)
