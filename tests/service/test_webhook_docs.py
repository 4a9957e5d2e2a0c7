"""What docs/webhooks.md gives a receiver to verify by, run."""

import json
import re
import subprocess
import time
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any, cast

import msgspec

from events.signing import Purpose, new_key
from service import contract
from service.vault import Vault
from service.webhooks import signing
from service.webhooks.rows import Hook, Scheme
from tests.service.contract_checks import validator
from tests.service.node import installed
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "webhooks.md").read_text("utf-8")
SECRET, KEY = bytes(range(32)), new_key(Purpose.WEBHOOKS, bytes(32), 1)
BODY = b'{"type":"webhook.test","data":null}'


class Keys:
    def active(self, purpose: Purpose) -> list[Any]:
        assert purpose is Purpose.WEBHOOKS
        return [KEY]


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)
    assert found is not None
    return found[1]


def sent(at: float, secret: bytes = SECRET) -> dict[str, str]:
    """The headers of a message of that moment, by both kinds of signature."""
    vault = Vault(bytes(32))
    hook = Hook(
        id="one",
        org="main",
        name="one",
        url="https://play.example.org/",
        types=(),
        games=(),
        external_id_prefix="",
        signatures=(Scheme.HMAC, Scheme.ED25519),
        secret=vault.seal_webhook("one", b"x" * 32),
        previous=vault.seal_webhook("one", secret),
        previous_until=2**52,
        created_at=1,
    )
    return signing.headers(vault, cast(Any, Keys()), hook, "msg_1", BODY, int(at * 1000))


def cases() -> list[tuple[dict[str, str], bytes, bool]]:
    now = time.time()
    good = sent(now)
    return [
        (good, BODY, True),
        (good, BODY + b" ", False),
        ({**good, "webhook-id": "msg_2"}, BODY, False),
        ({**good, "webhook-timestamp": str(int(now) + 1)}, BODY, False),
        (sent(now - 3600), BODY, False),
        ({**good, "webhook-signature": "v1,AAAA v1a,AAAA"}, BODY, False),
    ]


def test_the_example_is_what_is_sent() -> None:
    schema = {"$ref": "#/components/schemas/WebhookEvent"}
    example = msgspec.json.decode(block("json"))
    assert list(validator(msgspec.json.encode(schema)).iter_errors(example)) == []
    post = contract.document()["webhooks"]["match"]["post"]
    (own,) = post["requestBody"]["content"]["application/json"]["examples"].values()
    assert own["value"] == example


def test_a_receiver_in_python_verifies() -> None:
    own: dict[str, Any] = {}
    exec(compile(block("python"), "webhooks.md", "exec"), own)
    told = signing.told(SECRET)
    for headers, body, is_good in cases():
        assert own["verified"](headers, body, told) is is_good
    assert not own["verified"](sent(time.time(), b"y" * 32), BODY, told)


def test_a_receiver_in_typescript_verifies(tmp_path: Path) -> None:
    tools = installed(ROOT / "tests" / "service" / "npm")
    source, program = tmp_path / "verify.ts", tmp_path / "run.mjs"
    source.write_text(block("typescript"))
    (tmp_path / "node_modules").symlink_to(tools / "node_modules")
    command = [
        *("node", str(tools / "node_modules" / "typescript" / "bin" / "tsc"), "--strict"),
        *("--noUncheckedIndexedAccess", "--target", "es2022", "--module", "esnext"),
        *("--moduleResolution", "bundler", "--types", "node", str(source)),
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout
    source.with_suffix(".js").rename(tmp_path / "verify.mjs")
    jwk = {**KEY.public.jwk(), "x": urlsafe_b64encode(KEY.public.public).decode().rstrip("=")}
    asked = {
        "cases": [[headers, body.decode()] for headers, body, _ in cases()],
        "secret": signing.told(SECRET),
        "jwks": {"keys": [jwk]},
    }
    program.write_text(
        'import { verified, verifiedByKey } from "./verify.mjs";\n'
        f"const asked = {json.dumps(asked)};\n"
        "console.log(JSON.stringify(asked.cases.map(([h, b]) => [\n"
        "  verified(h, Buffer.from(b), asked.secret),\n"
        "  verifiedByKey(h, Buffer.from(b), asked.jwks)])));\n"
    )
    ran = subprocess.run(["node", str(program)], capture_output=True, text=True, timeout=PATIENCE)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == [[is_good, is_good] for _, _, is_good in cases()]
