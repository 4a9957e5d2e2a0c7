"""URLs of Redis as operators write them: no part of a password becomes the name of a place."""

from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.redis_nodes import RedisRefused, nodes_at


@pytest.mark.parametrize(
    "url",
    [
        "redis://u:12/tru@host:6379",
        "redis://tru:12#Pw@host",
        "rediss://u:12?tru@host/1",
        "redis+cluster://u:12/tru@one,two",
        "redis+sentinel://u:12/tru@one/main",
        "unix://u:pw@/run/tru@1",
    ],
)
def test_a_password_that_is_cut_in_two_is_refused_and_not_told(url: str) -> None:
    with pytest.raises(RedisRefused, match="%40") as refused:
        nodes_at(url)
    assert "tru" not in str(refused.value)


@given(password=st.text("@/:?#%,=&a1", max_size=8))
def test_no_part_of_a_password_becomes_a_host(password: str) -> None:
    try:
        nodes_at(f"redis://u:{password}@host:7")
    except RedisRefused:
        return
    parts = urlsplit(f"redis://u:{password}@host:7")
    assert (parts.hostname, parts.port) == ("host", 7)
    assert unquote(parts.password or "") == unquote(password)


def test_what_tears_nothing_is_taken() -> None:
    for url in (
        "redis://u:p@w@host",
        "redis://u:p%2Fw%40@host/1",
        "redis+sentinel://u:p@one,two/main?sentinel_password=s@x",
    ):
        nodes_at(url)
