// What may follow what in a match, as far as that needs no rules of a game.
(function (own) {
  "use strict";

  const { Due, Line, fitsMatch, need, refuse } = own;
  const DAY = 86_400_000;
  const OF_DISPUTES = [
    "dispute_opened",
    "review_started",
    "dispute_ruled",
    "dispute_appealed",
    "dispute_closed",
  ];

  const ENDS = ["match_ended", "match_cancelled"];
  const GONE = ["resigned", "forfeited", "timed_out", "no_show"];
  const SKEW = 60_000;
  // From a closing time on nobody does any of these.
  const IN_TIME = [
    "seat_claimed",
    "seat_released",
    "entropy_committed",
    "entropy_opened",
    "match_started",
    "move_played",
    "seat_resigned",
    "takeback_asked",
    "takeback_answered",
    "flag_fell",
    "match_paused",
    "match_resumed",
    "time_added",
    "draw_offered",
    "draw_answered",
  ];

  /**
   * A match from event to event. `step` takes the next one, of ofBody or ofObservation, and throws
   * Wrong if it can't stand there. What a rewind takes back is in `position`, all else is not.
   */
  class Life extends Due {
    constructor(created, isFull = false) {
      super();
      this.isFull = isFull;
      this.created = created;
      this.line = new Line();
      this.positions = [null];
      this.position = {
        status: (created.schedule?.opens_at ?? null) === null ? "open" : "scheduled",
        resigned: [],
        missed: [], // of them those that did not come
        cause: null, // of the last that resigned
        asked: new Map(),
        last: null,
        clocks: this.clocksAtFirst(),
      };
      this.held = new Map();
      this.speakers = new Map(); // by version who held the seat that says something there
      this.keys = new Map();
      this.entropy = { commitments: new Map(), openings: new Map(), closed: false };
      this.redraws = new Map();
      this.disputes = new Map();
      this.takeback = null;
      this.closed = null;
      this.paused = false;
      this.answered = new Map(); // by seat and decision the version
      this.unclear = new Map(); // seats whose clocks are not known from some version on
      this.revealed = false;
      this.revealAt = null;
      this.overSince = null;
      this.due = null;
    }

    get isOver() {
      return ["over", "cancelled", "void"].includes(this.position.status);
    }

    /** What the seats put into the seed, as it goes into the match seed; null while it is open. */
    get contributions() {
      if (this.created.steerable === "operator") return [];
      const { commitments, openings } = this.entropy;
      return this.entropyIsWhole
        ? Array.from({ length: this.created.seats }, (_, seat) =>
            commitments.get(seat) === null ? null : openings.get(seat),
          )
        : null;
    }

    get entropyIsWhole() {
      const { commitments, openings, closed } = this.entropy;
      return (
        closed && [...commitments].every(([seat, said]) => said === null || openings.has(seat))
      );
    }

    step(event) {
      const { version, kind } = event;
      if (this.due !== null)
        need(this.due.fits(event), "following", `is not the ${this.due.name} that had to follow`);
      else this.needTime(event);
      if (kind === "match_created") this.create(event);
      else {
        need(version > 1, "following", "does not create the match");
        need(
          !this.revealed || OF_DISPUTES.includes(kind) || kind === "erased",
          "following",
          "stands behind the reveal",
        );
        this[kind](event);
      }
      this.notice(event);
      this.hear(event);
      this.line.add(version, kind === "match_rewound" ? event.to : null);
      this.ask(event);
      this.tick(event);
      this.move({ held: this.heldBy, isAsking: event.asks.length > 0 });
      this.positions.push(this.position);
      if (this.isOver && (OF_DISPUTES.includes(kind) || ENDS.includes(kind))) this.putOff(event.at);
      this.overSince = this.isOver ? (this.overSince ?? event.at) : null;
      this.due = this.following(event);
    }

    create(event) {
      const { version, seats, deal_group, closes_at, closing, window, reveal, clock } = event;
      need(version === 1, "following", "creates the match again");
      const isWhole = (closes_at === null) === (closing === null);
      const closes = isWhole && (deal_group === null || closes_at !== null);
      need(closes, "created", "has a deal group without its closing, or half of one");
      const isFree = !event.agreed_draw || deal_group === null;
      need(isFree, "created", "lets seats of a deal group agree on a draw");
      need(fitsMatch(event), "created", "has a schedule that does not fit it");
      need(
        deal_group === null || window === null,
        "created",
        "has a deal group and a window of its own",
      );
      need(
        clock === null || clock.times.length === seats,
        "created",
        "has clocks of other seats than there are",
      );
      need(
        (reveal === "after_window") === (window !== null),
        "created",
        "reveals otherwise than it says",
      );
    }

    /** What comes of nobody's doing may stand behind a closing time. */
    needTime({ kind, at, by = "seat" }) {
      const { closes_at } = this.created;
      const isLate =
        closes_at !== null && at >= closes_at && by === "seat" && IN_TIME.includes(kind);
      if (isLate) refuse("stands behind the closing time");
    }

    putOff(at) {
      const { window } = this.created;
      if (window !== null && !this.revealed)
        this.revealAt = Math.max(this.revealAt ?? 0, at + window);
    }

    /** Throws Wrong where a log may not end. */
    finish() {
      if (this.due !== null && !this.due.isOpen)
        refuse(`the ${this.due.name} is missing that had to follow`);
    }

    ask({ version, asks }) {
      if (asks.length === 0) return;
      if (this.position.status !== "running") refuse("asks somebody in a match that does not run");
      const asked = new Map(this.position.asked);
      for (const seat of asks) asked.set(seat, `${version}.${seat}`);
      this.move({ asked });
    }

    move(change) {
      this.position = { ...this.position, ...change };
    }

    needRunning() {
      if (this.position.status !== "running") refuse("stands in a match that does not run");
      if (this.isPaused) refuse("stands in a match that is paused");
    }

    needOpen() {
      if (this.position.status !== "open" || this.closed !== null)
        refuse("stands in a match that has begun or is closed");
    }

    // Seats and start

    hold(seat, holder) {
      if (holder === null) this.held.delete(seat);
      else this.held.set(seat, holder);
    }

    seat_claimed({ seat, holder, key }) {
      this.needOpen();
      if (this.held.has(seat)) refuse("claims a seat that is held");
      if (this.position.resigned.includes(seat)) refuse("claims a seat that is out");
      this.hold(seat, holder);
      if (key !== null) this.keys.set(seat, key);
    }

    seat_released({ seat }) {
      this.needOpen();
      if (!this.held.has(seat)) refuse("releases a seat that is free");
      if (this.entropy.closed) refuse("releases a seat behind the closing of the seed");
      this.hold(seat, null);
      this.keys.delete(seat);
      this.entropy.commitments.delete(seat);
    }

    needEntropy() {
      this.needOpen();
      if (this.created.steerable !== null) refuse("puts something into a seed that takes nothing");
    }

    entropy_committed({ seat, commitment }) {
      this.needEntropy();
      const { commitments, closed } = this.entropy;
      if (closed || commitments.has(seat) || !this.held.has(seat))
        refuse("commits to something out of turn");
      commitments.set(seat, commitment);
    }

    entropy_closed() {
      this.needEntropy();
      const { entropy, created } = this;
      if (entropy.closed || entropy.commitments.size < created.seats) refuse("closes too early");
      entropy.closed = true;
    }

    entropy_opened({ seat, opening }) {
      this.needEntropy();
      const { commitments, openings, closed } = this.entropy;
      if (!closed || openings.has(seat) || (commitments.get(seat) ?? null) === null)
        refuse("opens nothing it committed to");
      openings.set(seat, opening);
    }

    match_started({ at }) {
      this.needOpen();
      if (this.unseated.length > 0) refuse("starts before every seat is claimed");
      if (at < (this.created.schedule?.starts_at ?? 0)) refuse("starts before its time");
      if (this.created.steerable === null && !this.entropyIsWhole)
        refuse("starts before the seed is whole");
      this.move({ status: "running" });
    }

    // Play

    chance_drawn({ version, label, redraw }) {
      this.needRunning();
      const count = this.redraws.get(label) ?? 0;
      need(redraw === count, "draw", `is redraw ${redraw} where ${count} are ordered`);
      const name = `draw ${redraw} ${label}`;
      const isNew = this.line.get(name) === undefined;
      need(isNew, "draw", "draws a label of its line of play again");
      this.line.put(version, name, version);
      this.move({ last: { version, seat: null } });
    }

    move_played(event) {
      const { version, seat, decision, by } = event;
      if (this.position.status !== "running") refuse("stands in a match that does not run");
      if (by !== "arbiter" && this.isPaused) refuse("stands in a match that is paused");
      const gone = this.position.resigned.includes(seat);
      const isLate = this.clocks?.fallen.includes(seat) ?? false;
      if (by === "seat" && (gone || this.closed !== null))
        refuse("is played by a seat that may not play any more");
      need(
        by !== "fallback" || gone || this.closed !== null || isLate,
        "by",
        "is a fallback of a seat that plays",
      );
      need(by !== "arbiter" || this.due?.name === "forced move", "by", "is forced by no ruling");
      if (decision === null) {
        need(by === "seat", "by", "is said by nobody");
        this.needArrival(event);
        this.move({ last: { version, seat: null } });
        return;
      }
      need(
        this.position.asked.get(seat) === decision,
        "decision",
        "answers another decision than the open one of its seat",
      );
      this.needArrival(event);
      const asked = new Map(this.position.asked);
      asked.delete(seat);
      this.answered.set(`${seat} ${decision}`, version);
      this.move({ asked, last: { version, seat: by === "seat" ? seat : null } });
    }

    seat_resigned({ seat }) {
      this.needRunning();
      if (this.closed !== null) refuse("resigns in a match that is closed");
      this.resign(seat, false);
    }

    resign(seat, forfeited) {
      const { resigned } = this.position;
      if (resigned.includes(seat)) refuse("resigns a seat that has resigned");
      this.move({ resigned: [...resigned, seat], cause: forfeited ? "forfeited" : "resigned" });
      this.takeback = null;
    }

    match_ended({ outcome }) {
      const { resigned } = this.position;
      const isUnplayed = this.position.status === "open" && outcome.terminal === "no_show";
      if (!isUnplayed || this.endAfter() === null) this.needRunning();
      const { terminal, ranks, scores } = outcome;
      const isClosed = terminal === "closed" && this.closed !== null;
      const isAbandoned = terminal === "abandoned" && this.canBeAbandoned;
      const isByNobody = ["closed", "abandoned"].includes(terminal);
      need(
        !isByNobody || ((isClosed || isAbandoned) && scores === null),
        "outcome",
        "closes a match that is not closed",
      );
      if (terminal === "agreed") {
        need(this.canBeAgreed && scores === null, "outcome", "is a draw nobody agreed on");
        this.needDrawn(ranks);
      }
      need(
        !GONE.includes(terminal) || (resigned.length > 0 && this.position.cause === terminal),
        "outcome",
        "names another cause of the end",
      );
      const isDue = terminal === "abandoned" || !this.isAbandoned || this.closed !== null;
      need(isDue, "outcome", "names another cause of the end");
      // An earlier resignation ranks lower, and all of them below the others.
      const left = new Set(resigned);
      const staying = ranks.filter((_, seat) => !left.has(seat));
      const gone = isByNobody ? [...resigned].reverse().map((seat) => [seat]) : this.goneTogether();
      const order = [Math.max(0, ...staying), ...gone.map(([seat]) => ranks[seat])];
      need(
        order.every((rank, place) => place === 0 || rank > order[place - 1]) &&
          gone.every((group) => group.every((seat) => ranks[seat] === ranks[group[0]])),
        "outcome",
        "ranks who resigned otherwise",
      );
      need(
        !isByNobody || staying.every((rank) => rank === 2),
        "outcome",
        "ranks who is left otherwise",
      );
      this.end("over");
    }

    end(status) {
      this.move({ status, asked: new Map() });
      this.takeback = null;
    }

    match_cancelled() {
      if (this.isOver) refuse("cancels a match that is over");
      this.end("cancelled");
    }

    match_closed({ version, at, early }) {
      const { closes_at } = this.created;
      if (this.closed !== null || closes_at === null || this.isOver)
        refuse("closes what can't be closed");
      if (early && this.created.deal_group === null) refuse("closes before its time");
      if (!early && at < closes_at) refuse("closes before its time");
      this.closed = { version, early, started: !["scheduled", "open"].includes(this.position.status) };
    }

    match_revealed({ at }) {
      if (!this.isOver) refuse("reveals a match that is not over");
      const { window, reveal_by } = this.created;
      const latest = this.revealAt === null ? 0 : this.revealAt + DAY;
      if (window !== null)
        need(at >= this.revealAt, "reveal", "reveals before the window for disputes is over");
      need(window === null || at <= latest, "overdue", "reveals more than a day late");
      const promised = reveal_by === null ? null : Math.max(reveal_by, latest) + SKEW;
      need(promised === null || at <= promised, "overdue", "reveals later than event 1 promised");
      this.revealed = true;
    }

    seat_token_issued() {}

    seat_tokens_revoked() {}

    look_taken({ version, through }) {
      if (through >= version) refuse("looks at what is not yet");
    }
  }

  Object.assign(own, { Life });
})((globalThis.PlyscribeVerifier ??= {}));
