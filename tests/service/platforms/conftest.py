"""Platforms that answer over HTTP, and a service that may ask addresses of this machine."""

from collections.abc import AsyncIterator

import msgspec
import pytest

from service.settings import Settings
from tests.service.platforms.serving import Served, served


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, private_webhooks=True, webhook_seconds=60)


@pytest.fixture
async def there() -> AsyncIterator[Served]:
    async with served() as opened:
        yield opened
