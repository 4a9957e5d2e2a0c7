"""Every address below a match, for whoever may not see all of it."""


def below_match(dispute: int) -> tuple[str, ...]:
    """With variants; `dispute` is the version that opened one, or would."""
    below: tuple[str, ...] = ()
    below += ("", "/view", "/view?at=1", "/view?at=3", "/view?at=4", "/view?at=9", "/view?at=99")
    below += ("/seats", "/seats/0", "/decision", "/decision/moves", "/events", "/spectators")
    below += ("/events?proof=true", "/events?after=3", "/events?after=4", "/events?after=99")
    below += ("/events?limit=2", "/events?perspective=full", "/events?after=2&limit=3&proof=true")
    below += ("/result", "/draws")
    below += ("/takebacks", "/disputes", "/proof", "/replay", "/replay?at=3", "/replay?at=9")
    below += ("/replay?limit=2", "/replay?after=4", "/replay?as=0", "/replay?as=0&at=3")
    below += ("/view?as=0", "/view?as=0&at=3", "/view?as=0&at=9", "/view?as=7&at=3")
    below += ("/view?as=0&at=3&account=dan", "/replay?as=0&at=9&account=dan")
    below += ("/diff?from=3", "/diff?from=3&as=0", "/diff?to=3&as=0&against=1&account=dan")
    below += ("/bundle", "/bundle?at=3", "/bundle?at=9", "/refusals", "/refusals?limit=1")
    below += ("/bundle?perspective=seat:0", "/bundle?perspective=seat:0&at=3")
    below += ("/bundle?perspective=full", "/bundle?perspective=full&at=9&account=dan")
    below += ("/spectators/none", "/arbiters", "/arbiters/none")
    below += ("/disputes?limit=1", "/takebacks?limit=1")
    for own in (dispute, 99, "x"):
        below += tuple(f"/disputes/{own}{more}" for more in ("", "/report", "/report?to=3"))
    return below
