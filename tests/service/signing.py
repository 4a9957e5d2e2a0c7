"""An issuer of users' tokens, and a server of its keys that can be made to misbehave."""

import asyncio
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec
from joserfc import jwt
from joserfc.jwk import ECKey, OKPKey, RSAKey

Key = RSAKey | ECKey | OKPKey

KEYS: dict[str, Key] = {
    "RS256": RSAKey.generate_key(2048, parameters={"kid": "rs"}),
    "ES256": ECKey.generate_key("P-256", parameters={"kid": "es"}),
    "EdDSA": OKPKey.generate_key("Ed25519", parameters={"kid": "ed"}),
}
STRANGER = ECKey.generate_key("P-256", parameters={"kid": "es"})


def jwks(*keys: Key) -> dict[str, Any]:
    return {"keys": [key.as_dict(private=False) for key in keys or KEYS.values()]}


def signed(claims: dict[str, Any], alg: str = "ES256", key: Any = None, **head: Any) -> str:
    key = key or KEYS[alg]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        header = {"alg": alg, "kid": key.kid, **head}
        token: str = jwt.encode(header, claims, key, algorithms=[alg])
    return token


@dataclass
class KeyServer:
    """`answer` is all that is sent; `asked` counts requests."""

    url: str = ""
    answer: bytes = b""
    asked: int = 0
    seen: list[bytes] = field(default_factory=list)

    def serve(self, *keys: Key) -> None:
        body = msgspec.json.encode(jwks(*keys))
        self.answer = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)


@asynccontextmanager
async def key_server() -> AsyncIterator[KeyServer]:
    known = KeyServer()

    async def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        known.seen.append(await reader.readuntil(b"\r\n\r\n"))
        known.asked += 1
        writer.write(known.answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answered, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    known.url = f"http://localhost:{port}/jwks.json"
    known.serve()
    try:
        yield known
    finally:
        server.close()
        await server.wait_closed()
