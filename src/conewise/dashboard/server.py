"""The explorer's server: a page, its files, and answers as JSON; on 127.0.0.1 and behind a token."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import socket
from importlib.resources import files
from typing import Any, Final

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import Route
from uvicorn import Config, Server

from conewise.dashboard.desk import Desk
from conewise.dashboard.guard import LARGEST_BODY, Guard
from conewise.dashboard.patience import PatientProtocol
from conewise.dashboard.sources import Source
from conewise.errors import ConewiseError

HOST: Final = "127.0.0.1"
_KINDS: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}


def build(source: Source, *, token: str, hosts: tuple[str, ...]) -> Guard:
    """The application, guarded."""
    desk = Desk(source)
    questions = {
        "start": desk.start,
        "standing": desk.standing,
        "front": desk.front,
        "table": desk.table,
        "hardness": desk.hardness,
        "design": desk.design,
        "confidence": desk.confidence,
        "upcoming": desk.upcoming,
        "angles": desk.angles,
        "shares": desk.shares,
        "points": desk.points,
        "duel": desk.duel,
        "shortlist": desk.shortlist,
        "saved": desk.saved,
    }
    served = _files()

    async def file(request: Any) -> Any:
        name = request.path_params.get("name", "index.html")
        if name not in served:
            return Response("there is no such file.", status_code=404, media_type="text/plain")
        content, kind = served[name]
        return Response(content, media_type=kind)

    async def question(request: Any) -> Any:
        try:
            asked = await _body(request)
        except ClientDisconnect:  # whoever only took too long hears of it
            return _json({"error": "the request did not come in time."}, 408, close=True)
        except _RefusedError as refusal:
            return _json({"error": str(refusal)}, refusal.status)
        ask = questions.get(request.path_params["name"])
        if ask is None:
            return _json({"error": "there is no such question."}, 404)
        try:
            return _json(await run_in_threadpool(ask, asked))
        except ConewiseError as error:
            # An ordinary turn of the dialogue, such as a cone half typed: an answer in words, not a failed request.
            return _json({"error": " ".join(str(error).split())})
        except OSError as error:
            return _json({"error": f"the source cannot be read: {error.strerror or error}."})
        except Exception as error:  # a question that the mathematics cannot take is refused; the page goes on
            return _json({"error": _unanswered(error)}, 422)
        except asyncio.CancelledError:  # the explorer was ended while it thought, and nobody waits for the answer
            return Response(status_code=503)

    app = Starlette(
        routes=[
            Route(f"/{token}/", file),
            Route(f"/{token}/api/{{name}}", question, methods=["POST"]),
            Route(f"/{token}/{{name}}", file),
        ]
    )
    return Guard(app, token=token, hosts=hosts)


def _json(answer: dict[str, Any], status: int = 200, *, close: bool = False) -> Response:
    """In ASCII, so that it can be sent whatever texts it holds."""
    content = json.dumps(answer, allow_nan=False)
    headers = {"connection": "close"} if close else None
    return Response(content, status_code=status, media_type="application/json", headers=headers)


def _unanswered(error: Exception) -> str:
    return (
        f"this question cannot be worked out ({type(error).__name__}): its numbers may be too close together, too "
        "large or too many; try others."
    )


class _RefusedError(Exception):
    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


async def _body(request: Any) -> dict[str, Any]:
    """A JSON object of at most LARGEST_BODY bytes, whatever its declared length."""
    content, read = bytearray(), 0
    async for chunk in request.stream():
        read += len(chunk)
        if read <= LARGEST_BODY:
            content += chunk
        elif read > 2 * LARGEST_BODY:  # a little too long is read to its end, so that the refusal arrives
            break
    if read > LARGEST_BODY:
        raise _RefusedError(413, f"a request may have {LARGEST_BODY} bytes.")
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise _RefusedError(400, "a question is JSON and says so in its content type.")
    try:
        asked = json.loads(bytes(content))
    except (ValueError, RecursionError):
        raise _RefusedError(400, "the question is not valid JSON.") from None
    if not isinstance(asked, dict):
        raise _RefusedError(400, "a question is a JSON object.")
    return asked


def _files() -> dict[str, tuple[bytes, str]]:
    """Everything the page consists of, read once: a path in a request never reaches the disk."""
    found = {}
    for room in ("conewise.report", "conewise.dashboard"):  # reports and explorer draw with the same scripts
        for entry in files(room).joinpath("static").iterdir():
            kind = _KINDS.get(entry.name[entry.name.rfind(".") :])
            if kind is not None:
                found[entry.name] = (entry.read_bytes(), kind)
    return found


def _is_worth_saying(record: logging.LogRecord) -> bool:
    """Ctrl-C while an answer is computed is no error, though uvicorn says so."""
    return "timeout graceful shutdown exceeded" not in record.getMessage()


class Explorer:
    """A page about one source, on this machine only: bound when made, served by `run`, ended by `stop`."""

    def __init__(self, source: Source, *, port: int = 0, token: str | None = None) -> None:
        self._source = source
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.bind((HOST, port))
            self._socket.listen(1024)
        except OSError as error:
            self._socket.close()
            raise ConewiseError(f"port {port} cannot be used ({error.strerror}); choose another, or 0.") from None
        self.port: int = self._socket.getsockname()[1]
        self.token = secrets.token_urlsafe(24) if token is None else token
        logging.getLogger("uvicorn.error").addFilter(_is_worth_saying)
        app = build(source, token=self.token, hosts=tuple(f"{name}:{self.port}" for name in (HOST, "localhost")))
        self.server = Server(
            Config(
                app,
                http=PatientProtocol,
                ws="none",
                loop="asyncio",
                lifespan="off",
                log_level="error",
                access_log=False,  # it would hold the token
                server_header=False,
                timeout_graceful_shutdown=2,
            )
        )

    @property
    def address(self) -> str:
        """What to open in a browser; whoever knows it may look."""
        return f"http://{HOST}:{self.port}/{self.token}/"

    def run(self) -> None:
        """Serve until stopped or interrupted."""
        try:
            self.server.run(sockets=[self._socket])
        finally:
            self._socket.close()
            self._source.close()

    def stop(self) -> None:
        """End `run`, from another thread."""
        self.server.should_exit = True
