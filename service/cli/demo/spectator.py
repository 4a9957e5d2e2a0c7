"""A program that watches a match to its end over server-sent events."""

from service.cli.demo.client import Door, Served, tell, told


def main() -> None:
    with Door(told()) as door:
        seen = []
        for event in door.follow():
            seen.append(event)
            if event["kind"] == "match_revealed":
                break
        tell(Served(None, 0, 0, door.get("/view"), seen))


if __name__ == "__main__":
    main()
