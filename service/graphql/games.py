"""Games as nodes."""

import strawberry

from games.core.game import AnyGame
from service import queries
from service.graphql.ids import Node, node_id
from service.graphql.problems import raw
from service.graphql.scalars import JSON

KIND = "Game"


@strawberry.type(description="A rule set. The schemas are JSON Schemas (2020-12).")
class Game(Node):
    game: strawberry.Private[AnyGame]

    @strawberry.field
    def slug(self) -> str:
        return self.game.slug

    @strawberry.field
    def name(self) -> str:
        return self.game.name

    @strawberry.field
    def rules_version(self) -> int:
        return self.game.rules_version

    @strawberry.field(description="Every seat count that some options allow.")
    def seats(self) -> list[int]:
        return list(self.game.seats)

    @strawberry.field
    def data_digest(self) -> str:
        return self.game.data_digest

    @strawberry.field
    def options_schema(self) -> JSON:
        return raw(queries.game_detail(self.game)["options"])

    @strawberry.field
    def moves_schema(self) -> JSON:
        return raw(queries.game_detail(self.game)["moves"])

    @strawberry.field
    def view_schema(self) -> JSON:
        return raw(queries.game_detail(self.game)["view"])


def game_of(game: AnyGame) -> Game:
    return Game(id=node_id(KIND, f"{game.slug}/{game.rules_version}"), game=game)
