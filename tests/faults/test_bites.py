"""The suite finds what it looks for: builds that are broken at a guarded step are found out.

Those of a standby, of a pooling proxy and of connections that can't be had are beside the tests of
these; what the checker of histories finds is in test_history.py.
"""

from random import Random

import httpx
import pytest

from tests.faults import builds
from tests.faults.history import History, faults
from tests.faults.players import (
    REPLAYED,
    give,
    insisting_client,
    next_answers,
    open_table,
    play_out,
    played,
)
from tests.faults.serving import Service, plain_client
from tests.faults.stored import answers_in, assert_sound, final_of, records_of
from tests.forking import nothing


@pytest.mark.parametrize("is_broken", [False, True], ids=["sound", "broken"])
async def test_a_move_acknowledged_before_it_is_stored_is_missed(
    on_sqlite: Service, is_broken: bool
) -> None:
    if is_broken:
        on_sqlite.build = builds.answering_before_it_stores
    await on_sqlite.start()
    history = History()
    async with insisting_client(on_sqlite.url) as http:
        table = await open_table(http)
        (ask, *_) = await next_answers(http, table, Random(1))
        await played(http, table, ask, history)
        await on_sqlite.kill()
        on_sqlite.build = nothing
        await on_sqlite.start()
        await play_out(http, table, history)
    found = faults(history, final_of(await assert_sound(on_sqlite, table.match_id)))
    assert [fault for fault in found if ask.decision in fault] if is_broken else found == []


@pytest.mark.parametrize("is_broken", [False, True], ids=["sound", "broken"])
async def test_a_repeated_move_that_is_not_known_again_is_noticed(
    on_sqlite: Service, is_broken: bool
) -> None:
    if is_broken:
        on_sqlite.build = builds.knowing_no_key
    await on_sqlite.start("after_commit:6")  # of a creation, four claims and a move
    async with plain_client(on_sqlite.url) as http:
        table = await open_table(http)
        (ask, *_) = await next_answers(http, table, Random(1))
        with pytest.raises(httpx.TransportError):
            await give(http, table, ask)
        await on_sqlite.has_died()
        await on_sqlite.start()
        again = await give(http, table, ask)
    assert answers_in(await records_of(on_sqlite, table.match_id)) == {ask.decision: 1}
    assert (again.status_code == 200 and REPLAYED in again.headers) is not is_broken
