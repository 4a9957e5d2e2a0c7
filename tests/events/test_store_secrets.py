"""What is stored once for a match or for many: seeds and component tables."""

from uuid import uuid4

from msgspec.structs import replace

from events.append import GameData, Secret
from events.store import Store
from tests.events.appends import NEW, creation


async def test_a_secret_is_stored_with_the_match(store: Store) -> None:
    match_id = str(uuid4())
    secret = Secret(match_id, b"ciphertext", "key-1")
    await store.append(creation(match_id, created=replace(NEW, secret=secret)))
    assert await store.secret(match_id) == secret
    assert await store.secret(str(uuid4())) is None


async def test_the_secret_of_a_deal_group_stays_as_first_stored(store: Store) -> None:
    group = str(uuid4())
    for ciphertext in (b"first", b"second"):
        secret = Secret(group, ciphertext, "key-1")
        new = replace(NEW, deal_group=group, secret=secret)
        await store.append(creation(created=new))
    assert await store.secret(group) == Secret(group, b"first", "key-1")


async def test_a_refused_creation_stores_no_secret(store: Store) -> None:
    first = creation()
    await store.append(first)
    secret = Secret(str(uuid4()), b"ciphertext", "key-1")
    new = replace(NEW, secret=secret)
    await store.append(creation(first.match_id, key="another", created=new))
    assert await store.secret(secret.id) is None


async def test_component_tables_are_kept_by_digest(store: Store) -> None:
    data = GameData(uuid4().hex, "high_card", b'{"cards":12}')
    for _ in range(2):
        await store.append(creation(created=replace(NEW, game_data=data)))
    assert await store.tables(data.digest) == data.tables
    assert await store.tables("unknown") is None
