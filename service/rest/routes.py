"""Every address of the REST door; those that are called all the time are found first."""

from collections.abc import Mapping, Sequence
from typing import Final

from starlette.routing import BaseRoute, Mount, Route, Router

from service.errors import NotFound
from service.http import HTML, JSON, Answer, Receive, Request, Scope, Send
from service.parts import Parts
from service.rest import (
    about,
    arbiters,
    batches,
    bundles,
    clocks,
    connections,
    deal_groups,
    disputes,
    draws,
    erasures,
    events,
    feed,
    games,
    issuers,
    keys,
    log,
    matches,
    play,
    refusals,
    results,
    sandbox,
    seats,
    series,
    spectators,
    webhooks,
)
from service.rest.endpoint import Endpoint
from service.rest.probes import PROBES

_MATCH: Final = "/v1/matches/{match}"
_SEAT: Final = _MATCH + "/seats/{seat}"
_DISPUTE: Final = _MATCH + "/disputes/{dispute}"
_CONNECTION: Final = "/v1/connections/{connection}"
_PREFIX: Final = "/v1/matches/"
_ANY: Final = (JSON, b"text/css", b"text/javascript", b"image/png", HTML)

ENDPOINTS: Final = (
    Endpoint(_MATCH + "/moves", {"POST": play.post_move}),
    Endpoint(_MATCH + "/decision", {"GET": play.get_decision}),
    Endpoint(_MATCH + "/view", {"GET": play.get_view}),
    Endpoint(_MATCH + "/events", {"GET": events.get_events}, events.MEDIA, is_negotiated=True),
    Endpoint(_MATCH + "/decision/moves", {"GET": play.get_decision_moves}),
    Endpoint(_MATCH + "/moves/validate", {"POST": play.post_validate}),
    Endpoint(_MATCH, {"GET": matches.get_match}),
    Endpoint(_MATCH + "/start", {"POST": matches.post_start}),
    Endpoint(_MATCH + "/result", {"GET": results.get_result}),
    Endpoint(_MATCH + "/pause", {"POST": clocks.post_pause}),
    Endpoint(_MATCH + "/resume", {"POST": clocks.post_resume}),
    Endpoint(_MATCH + "/end", {"POST": sandbox.post_end}),
    Endpoint(_MATCH + "/extend", {"POST": clocks.post_extend}),
    Endpoint(_MATCH + "/proof", {"GET": log.get_proof}, (log.NOTE,)),
    Endpoint(_MATCH + "/refusals", {"GET": refusals.get_refusals}),
    Endpoint(_MATCH + "/bundle", {"GET": bundles.get_bundle}, (bundles.ZIP,)),
    Endpoint(_MATCH + "/cancel", {"POST": matches.post_cancel}),
    Endpoint(_MATCH + "/seats", {"GET": seats.get_seats}),
    Endpoint(_SEAT, {"GET": seats.get_seat}),
    Endpoint(_SEAT + "/claim", {"POST": seats.post_claim}),
    Endpoint(_SEAT + "/stand-in", {"POST": seats.post_stand_in}),
    Endpoint(_SEAT + "/release", {"POST": seats.post_release}),
    Endpoint(_SEAT + "/resign", {"POST": seats.post_resign}),
    Endpoint(_SEAT + "/tokens", {"POST": seats.post_token, "DELETE": seats.delete_tokens}),
    Endpoint(_MATCH + "/entropy/{seat}", {"PUT": seats.put_entropy}),
    Endpoint(
        _MATCH + "/spectators",
        {"GET": spectators.get_spectators, "POST": spectators.post_spectator},
    ),
    Endpoint(
        _MATCH + "/spectators/{spectator}",
        {"GET": spectators.get_spectator, "DELETE": spectators.delete_spectator},
    ),
    Endpoint(
        _MATCH + "/arbiters",
        {"GET": arbiters.get_arbiters, "POST": arbiters.post_arbiter},
    ),
    Endpoint(
        _MATCH + "/arbiters/{arbiter}",
        {"GET": arbiters.get_arbiter, "DELETE": arbiters.delete_arbiter},
    ),
    Endpoint(_MATCH + "/replay", {"GET": play.get_replay}),
    Endpoint(_MATCH + "/diff", {"GET": play.get_diff}),
    Endpoint(_MATCH + "/takebacks", {"GET": disputes.get_takeback, "POST": disputes.post_takeback}),
    Endpoint(_MATCH + "/takebacks/{takeback}/consent", {"POST": disputes.post_consent}),
    Endpoint(_MATCH + "/takebacks/{takeback}/refuse", {"POST": disputes.post_refusal}),
    Endpoint(_MATCH + "/draws", {"GET": draws.get_draw, "POST": draws.post_draw}),
    Endpoint(_MATCH + "/draws/{draw}/accept", {"POST": draws.post_acceptance}),
    Endpoint(_MATCH + "/draws/{draw}/refuse", {"POST": draws.post_refusal}),
    Endpoint(_MATCH + "/disputes", {"GET": disputes.get_disputes, "POST": disputes.post_dispute}),
    Endpoint(_DISPUTE, {"GET": disputes.get_dispute}),
    Endpoint(_DISPUTE + "/review", {"POST": disputes.post_review}),
    Endpoint(_DISPUTE + "/rulings", {"POST": disputes.post_ruling}),
    Endpoint(_DISPUTE + "/appeal", {"POST": disputes.post_appeal}),
    Endpoint(_DISPUTE + "/close", {"POST": disputes.post_close}),
    Endpoint(_DISPUTE + "/report", {"GET": disputes.get_report}),
    Endpoint(_MATCH + "/erasures", {"POST": erasures.post_erasure}),
    Endpoint("/v1/erasures", {"POST": erasures.post_account}),
    Endpoint("/v1/matches", {"GET": matches.get_matches, "POST": matches.post_match}),
    Endpoint("/v1/deal-groups", {"GET": deal_groups.get_groups, "POST": deal_groups.post_group}),
    Endpoint("/v1/deal-groups/{group}", {"GET": deal_groups.get_group}),
    Endpoint("/v1/deal-groups/{group}/standings", {"GET": deal_groups.get_standings}),
    Endpoint("/v1/deal-groups/{group}/close", {"POST": deal_groups.post_close}),
    Endpoint("/v1/batches", {"GET": batches.get_batches, "POST": batches.post_batch}),
    Endpoint("/v1/batches/{batch}", {"GET": batches.get_batch}),
    Endpoint(
        "/v1/batches/{batch}/matches",
        {"GET": batches.get_matches},
        results.MEDIA,
        is_negotiated=True,
    ),
    Endpoint(
        "/v1/batches/{batch}/results",
        {"GET": batches.get_results},
        results.MEDIA,
        is_negotiated=True,
    ),
    Endpoint("/v1/batches/{batch}/standings", {"GET": batches.get_standings}),
    Endpoint("/v1/batches/{batch}/start", {"POST": batches.post_start}),
    Endpoint("/v1/batches/{batch}/cancel", {"POST": batches.post_cancel}),
    Endpoint("/v1/batches/{batch}/start-clocks", {"POST": batches.post_start_clocks}),
    Endpoint("/v1/batches/{batch}/pause", {"POST": batches.post_pause}),
    Endpoint("/v1/batches/{batch}/resume", {"POST": batches.post_resume}),
    Endpoint("/v1/batches/{batch}/extend", {"POST": batches.post_extend}),
    Endpoint("/v1/series", {"GET": series.get_all_series, "POST": series.post_series}),
    Endpoint("/v1/series/{series}", {"GET": series.get_series}),
    Endpoint("/v1/series/{series}/current", {"GET": series.get_current}),
    Endpoint("/v1/series/{series}/cancel", {"POST": series.post_cancel}),
    Endpoint("/v1/games", {"GET": games.get_games}),
    Endpoint("/v1/games/{game}", {"GET": games.get_game}),
    Endpoint("/v1/feed", {"GET": feed.get_feed}, events.MEDIA, is_negotiated=True),
    Endpoint("/v1/results", {"GET": results.get_results}, results.MEDIA, is_negotiated=True),
    Endpoint("/v1/log", {"GET": log.get_log}),
    Endpoint("/v1/log/checkpoint", {"GET": log.get_checkpoint}, (log.NOTE,)),
    Endpoint("/v1/log/consistency", {"GET": log.get_consistency}),
    Endpoint("/v1/log/statements", {"GET": log.get_statements}),
    Endpoint("/v1/log/tile/entries/{tile}", {"GET": log.get_entries}, (log.TILE,), is_deep=True),
    Endpoint("/v1/log/tile/{level}/{tile}", {"GET": log.get_tile}, (log.TILE,), is_deep=True),
    Endpoint("/.well-known/jwks.json", {"GET": log.get_jwks}),
    Endpoint("/v1/tickets", {"POST": spectators.post_ticket}),
    Endpoint("/v1/keys", {"GET": keys.get_keys, "POST": keys.post_key}),
    Endpoint(
        "/v1/keys/{key}",
        {"GET": keys.get_key, "PATCH": keys.patch_key, "DELETE": keys.delete_key},
    ),
    Endpoint("/v1/keys/{key}/rotate", {"POST": keys.post_rotation}),
    Endpoint("/v1/issuers", {"GET": issuers.get_issuers, "POST": issuers.post_issuer}),
    Endpoint(
        "/v1/issuers/{issuer_id}",
        {
            "GET": issuers.get_issuer,
            "PATCH": issuers.patch_issuer,
            "DELETE": issuers.delete_issuer,
        },
    ),
    Endpoint("/v1/webhooks", {"GET": webhooks.get_webhooks, "POST": webhooks.post_webhook}),
    Endpoint(
        "/v1/webhooks/{webhook}",
        {
            "GET": webhooks.get_webhook,
            "PATCH": webhooks.patch_webhook,
            "DELETE": webhooks.delete_webhook,
        },
    ),
    Endpoint("/v1/webhooks/{webhook}/rotate", {"POST": webhooks.post_rotation}),
    Endpoint("/v1/webhooks/{webhook}/test", {"POST": webhooks.post_test}),
    Endpoint("/v1/webhooks/{webhook}/deliveries", {"GET": webhooks.get_deliveries}),
    Endpoint(
        "/v1/webhooks/{webhook}/deliveries/{delivery}/redeliver",
        {"POST": webhooks.post_redelivery},
    ),
    Endpoint(
        "/v1/connections",
        {"GET": connections.get_connections, "POST": connections.post_connection},
    ),
    Endpoint(
        _CONNECTION,
        {
            "GET": connections.get_connection,
            "PATCH": connections.patch_connection,
            "DELETE": connections.delete_connection,
        },
    ),
    Endpoint(_CONNECTION + "/links", {"GET": connections.get_links}),
    Endpoint(
        _CONNECTION + "/links/{match}",
        {
            "GET": connections.get_link,
            "PUT": connections.put_link,
            "DELETE": connections.delete_link,
        },
    ),
    Endpoint(_CONNECTION + "/links/{match}/report", {"POST": connections.post_report}),
    Endpoint("/v1/orgs", {"GET": keys.get_orgs, "POST": keys.post_org}),
    Endpoint("/v1/orgs/{org}", {"GET": keys.get_org}),
    Endpoint("/v1/me", {"GET": about.get_me}),
    *PROBES,
    Endpoint("/problems", {"GET": about.get_problems}, about.PROBLEM_MEDIA, is_negotiated=True),
    Endpoint(
        "/problems/{code}", {"GET": about.get_problem}, about.PROBLEM_MEDIA, is_negotiated=True
    ),
    Endpoint("/openapi.json", {"GET": about.get_openapi}),
    Endpoint("/asyncapi.json", {"GET": about.get_asyncapi}),
    Endpoint("/docs", {"GET": about.get_docs}, about.PAGE),
    Endpoint("/docs/assets/{name}", {"GET": about.get_asset}, _ANY),
    Endpoint("/", {"GET": about.get_root}, _ANY),
)

# The last word of an address below one match, which says all: no route has to be searched.
_HOT: Final[Mapping[str, Endpoint]] = {
    each.route.removeprefix(_MATCH + "/"): each for each in ENDPOINTS[:4]
}


async def _no_such_address(parts: Parts, request: Request) -> Answer:
    raise NotFound


_NOWHERE: Final = Endpoint(
    "", dict.fromkeys(("GET", "POST", "PUT", "PATCH", "DELETE"), _no_such_address), _ANY
)


class Rest:
    """The REST door of a running service, as an ASGI application for HTTP."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        below = _MATCH + "/"
        below_match = [self._route(each, _MATCH) for each in ENDPOINTS if below in each.route]
        rest = [self._route(each, "") for each in ENDPOINTS if below not in each.route]
        mounted = Mount(_MATCH, self._router(below_match))
        self._routes = self._router([mounted, *rest])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope["path"]
        if path.startswith(_PREFIX):
            match_id, _, last = path[len(_PREFIX) :].partition("/")
            hot = _HOT.get(last)
            if hot is not None:
                await hot.serve(self._parts, scope, receive, send, {"match": match_id})
                return
        await self._routes(scope, receive, send)

    def _router(self, routes: Sequence[BaseRoute]) -> Router:
        return Router(routes, redirect_slashes=False, default=self._nowhere)

    def _route(self, endpoint: Endpoint, below: str) -> Route:
        parts = self._parts

        class Served:
            async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
                await endpoint.serve(parts, scope, receive, send, scope["path_params"])

        return Route(endpoint.pattern.removeprefix(below), Served())

    async def _nowhere(self, scope: Scope, receive: Receive, send: Send) -> None:
        await _NOWHERE.serve(self._parts, scope, receive, send, {})
