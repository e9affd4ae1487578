"""The little of OpenML that a download needs, on this machine: descriptions as JSON, tables as ARFF."""

import gzip
import hashlib
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

FILE = "data/v1/download/7"


@dataclass
class Served:
    """A table that the server has.

    ``kinds`` are "numeric", or the words of a nominal column; cells are as they stand in the file.
    """

    columns: Sequence[str]
    kinds: Sequence[str | Sequence[str]]
    rows: Sequence[Sequence[str]]
    status: int = 200
    asked: list[str] = field(default_factory=list)

    def arff(self) -> bytes:
        kinds = (kind if isinstance(kind, str) else "{" + ",".join(kind) + "}" for kind in self.kinds)
        head = [f"@attribute {name} {kind}" for name, kind in zip(self.columns, kinds, strict=True)]
        lines = ["@relation made_up", *head, "@data", *(",".join(row) for row in self.rows), ""]
        return "\n".join(lines).encode()

    def answer(self, path: str) -> bytes:
        """What is under a path of the server."""
        self.asked.append(path)
        if path.startswith(FILE):
            return self.arff()
        if "/features/" in path:
            return json.dumps({"data_features": {"feature": self._features()}}).encode()
        if "/qualities/" in path:
            rows = {"name": "NumberOfInstances", "value": str(len(self.rows))}
            return json.dumps({"data_qualities": {"quality": [rows]}}).encode()
        described = {
            "id": "1",
            "name": "made_up",
            "version": "1",
            "format": "ARFF",
            "status": "active",
            "description": "",
            "file_id": "7",
            "url": f"http://openml.invalid/{FILE}/made_up.arff",
            "md5_checksum": hashlib.md5(self.arff(), usedforsecurity=False).hexdigest(),
        }
        return json.dumps({"data_set_description": described}).encode()

    def _features(self) -> list[dict[str, str]]:
        return [
            {
                "index": str(at),
                "name": name,
                "data_type": kind if isinstance(kind, str) else "nominal",
                # The last one, as is usual.
                "is_target": str(at == len(self.columns) - 1).lower(),
                "is_ignore": "false",
                "is_row_identifier": "false",
            }
            for at, (name, kind) in enumerate(zip(self.columns, self.kinds, strict=True))
        ]


@contextmanager
def serving(table: Served) -> Iterator[str]:
    """Answer for the table while inside; gives the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = gzip.compress(table.answer(urlsplit(self.path).path.lstrip("/")))
            self.send_response(table.status)
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def send_there(monkeypatch, address: str) -> None:
    """Let scikit-learn ask this address instead of the host it knows, whichever version it is."""

    def open_there(request, *arguments, **settings):
        path = urlsplit(request.full_url).path
        return urlopen(
            Request(address + path, headers=dict(request.header_items())), *arguments, **settings
        )

    monkeypatch.setattr("sklearn.datasets._openml.urlopen", open_there)
    # Between two tries.
    monkeypatch.setattr("sklearn.datasets._openml.time.sleep", lambda _: None)
