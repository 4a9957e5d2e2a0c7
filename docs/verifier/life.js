// What may follow what in a match, as far as that needs no rules of a game.
(function (own) {
  "use strict";

  const { Wrong, Lines, need } = own;
  const DISPUTES = 32;
  const DAY = 86_400_000;
  const OF_DISPUTES = [
    "dispute_opened", "review_started", "dispute_ruled", "dispute_appealed", "dispute_closed",
  ];
  const AFTER_THE_REVEAL = ["note", "set_result", "void", "replay"];

  const refuse = (reason) => {
    throw new Wrong("following", reason);
  };

  /**
   * A match from event to event. `step` takes the next one, of ofBody or ofObservation, and throws
   * Wrong if it can't stand there. What a rewind takes back is in `position`, all else is not.
   */
  class Life {
    constructor(created) {
      this.created = created;
      this.lines = new Lines();
      this.positions = [null];
      this.position = { status: "open", resigned: [], forfeited: false, asked: new Map(), last: null };
      this.held = new Map();
      this.keys = new Map();
      this.entropy = { commitments: new Map(), openings: new Map(), closed: false };
      this.redraws = new Map();
      this.drawn = new Map();
      this.disputes = new Map();
      this.taken = new Map();
      this.takeback = null;
      this.closed = null;
      this.revealed = false;
      this.moved = created.at;
      this.due = null;
    }

    get isOver() {
      return ["over", "cancelled", "void"].includes(this.position.status);
    }

    get isPaused() {
      return this.closed === null && [...this.disputes.values()].some((d) => d.stage === "review" && d.pause);
    }

    /** What the seats put into the seed, as it goes into the match seed; null while it is open. */
    get contributions() {
      if (this.created.steerable === "operator") return [];
      const { commitments, openings } = this.entropy;
      return this.entropyIsWhole
        ? Array.from({ length: this.created.seats }, (_, seat) =>
            commitments.get(seat) === null ? null : openings.get(seat))
        : null;
    }

    get entropyIsWhole() {
      const { commitments, openings, closed } = this.entropy;
      return closed && [...commitments].every(([seat, said]) => said === null || openings.has(seat));
    }

    step(event) {
      const { version, kind } = event;
      if (this.due !== null) need(this.due.fits(event), "following", `is not the ${this.due.name} that had to follow`);
      if (kind === "match_created") need(version === 1, "following", "creates the match again");
      else {
        need(version > 1, "following", "does not create the match");
        need(!this.revealed || OF_DISPUTES.includes(kind), "following", "stands behind the reveal");
        this[kind](event);
      }
      this.lines.add(version, kind === "match_rewound" ? event.to : null);
      this.ask(event);
      this.positions.push(this.position);
      if (this.isOver || OF_DISPUTES.includes(kind)) {
        if (this.isOver && (OF_DISPUTES.includes(kind) || kind.startsWith("match_"))) this.moved = event.at;
      }
      this.due = this.following(event);
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
      if (this.isPaused) refuse("stands in a match that a review pauses");
    }

    needOpen() {
      if (this.position.status !== "open" || this.closed !== null) refuse("stands in a match that has begun or is closed");
    }

    // Seats and start

    seat_claimed({ seat, holder, key }) {
      this.needOpen();
      if (this.held.has(seat)) refuse("claims a seat that is held");
      this.held.set(seat, holder);
      if (key !== null) this.keys.set(seat, key);
    }

    seat_released({ seat }) {
      this.needOpen();
      if (!this.held.has(seat)) refuse("releases a seat that is free");
      if (this.entropy.closed) refuse("releases a seat behind the closing of the seed");
      this.held.delete(seat);
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
      if (closed || commitments.has(seat) || !this.held.has(seat)) refuse("commits to something out of turn");
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
      if (!closed || openings.has(seat) || (commitments.get(seat) ?? null) === null) refuse("opens nothing it committed to");
      openings.set(seat, opening);
    }

    match_started() {
      this.needOpen();
      if (this.held.size < this.created.seats) refuse("starts before every seat is claimed");
      if (this.created.steerable === null && !this.entropyIsWhole) refuse("starts before the seed is whole");
      this.move({ status: "running" });
    }

    // Play

    chance_drawn({ version, label, redraw }) {
      this.needRunning();
      const count = this.redraws.get(label) ?? 0;
      need(redraw === count, "draw", `is redraw ${redraw} where ${count} are ordered`);
      const drawn = this.drawn.get(`${redraw} ${label}`) ?? [];
      need(!drawn.some((other) => this.lines.has(other)), "draw", "draws a label of its line of play again");
      this.drawn.set(`${redraw} ${label}`, [...drawn, version]);
      this.move({ last: { version, seat: null } });
    }

    move_played({ version, seat, decision, by }) {
      if (this.position.status !== "running") refuse("stands in a match that does not run");
      if (by !== "arbiter" && this.isPaused) refuse("stands in a match that a review pauses");
      const gone = this.position.resigned.includes(seat);
      if (by === "seat" && (gone || this.closed !== null)) refuse("is played by a seat that may not play any more");
      need(by !== "fallback" || gone || this.closed !== null, "by", "is a fallback of a seat that plays");
      need(by !== "arbiter" || this.due?.name === "forced move", "by", "is forced by no ruling");
      if (decision === null) {
        need(by === "seat", "by", "is said by nobody");
        return;
      }
      need(this.position.asked.get(seat) === decision, "decision", "answers another decision than the open one of its seat");
      const asked = new Map(this.position.asked);
      asked.delete(seat);
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
      this.move({ resigned: [...resigned, seat], forfeited, last: null });
    }

    match_ended({ outcome }) {
      this.needRunning();
      const { resigned } = this.position;
      const { terminal, ranks, scores } = outcome;
      need(terminal !== "closed" || (this.closed !== null && scores === null), "outcome", "closes a match that is not closed");
      const gone = terminal === "resigned" || terminal === "forfeited";
      need(!gone || (resigned.length > 0 && this.position.forfeited === (terminal === "forfeited")), "outcome", "names another cause of the end");
      // An earlier resignation ranks lower, and all of them below the others.
      const staying = ranks.filter((_, seat) => !resigned.includes(seat));
      const order = [Math.max(0, ...staying), ...resigned.map((seat) => ranks[seat]).reverse()];
      need(order.every((rank, place) => place === 0 || rank > order[place - 1]), "outcome", "ranks who resigned otherwise");
      need(terminal !== "closed" || staying.every((rank) => rank === 2), "outcome", "ranks a closed match otherwise");
      this.end("over");
    }

    end(status) {
      this.move({ status, asked: new Map() });
      this.takeback = null;
    }

    match_cancelled() {
      if (this.isOver) refuse("cancels a match that is over");
      if (this.position.status === "running" && this.closed === null) refuse("cancels a match that runs");
      this.end("cancelled");
    }

    match_closed({ at, early }) {
      const { closes_at } = this.created;
      if (this.closed !== null || closes_at === null) refuse("closes what can't be closed");
      if (!early && at < closes_at) refuse("closes before its time");
      this.closed = { early, started: this.position.status !== "open" };
      this.takeback = null;
    }

    match_revealed({ at }) {
      if (!this.isOver) refuse("reveals a match that is not over");
      const { window } = this.created;
      if (window !== null) {
        need(at >= this.moved + window, "reveal", "reveals before the window for disputes is over");
        need(at <= this.moved + window + DAY, "reveal", "reveals more than a day late");
      }
      this.revealed = true;
    }

    seat_token_issued() {}

    seat_tokens_revoked() {}

    look_taken({ version, through }) {
      if (through >= version) refuse("looks at what is not yet");
    }

    // Takebacks and rewinds

    takeback_asked({ version, seat, move }) {
      this.needRunning();
      const { last, resigned } = this.position;
      const own = last !== null && last.version === move && last.seat === seat;
      if (!own || this.taken.has(move) || this.closed !== null) refuse("takes back what is not its last answer");
      this.taken.set(move, version);
      const others = Array.from({ length: this.created.seats }, (_, other) => other);
      const waits = new Set(others.filter((other) => other !== seat && !resigned.includes(other)));
      this.takeback = { version, move, waits };
    }

    takeback_answered({ seat, takeback, consents }) {
      this.needRunning();
      const open = this.takeback;
      if (open === null || open.version !== takeback || !open.waits.has(seat)) refuse("answers a takeback that does not wait for it");
      open.waits.delete(seat);
      if (!consents) this.takeback = null;
    }

    match_rewound({ version, to, cause }) {
      if (this.due?.name !== "rewind") refuse("rewinds without a cause");
      const goal = this.positions[to];
      const runs = to < version && goal?.status === "running";
      if (!runs || cause >= version) refuse("goes back to where the match did not run");
      this.position = { ...goal, asked: new Map() };
      this.takeback = null;
    }

    // Disputes

    dispute(version, ...stages) {
      const found = this.disputes.get(version);
      if (found === undefined || !stages.includes(found.stage)) refuse("is about no dispute of that stage");
      return found;
    }

    dispute_opened({ version, seat, arbiter, about }) {
      if ((seat === null) === (arbiter === null) || about >= version) refuse("disputes nothing, or by nobody");
      const party = seat ?? arbiter;
      const unsettled = [...this.disputes.values()].some((d) => d.stage !== "closed" && d.stage !== "ruled" && d.party === party);
      if (this.disputes.size >= DISPUTES || unsettled) refuse("is one dispute too many");
      this.disputes.set(version, { stage: "open", party, pause: false, appealed: false });
    }

    review_started({ dispute, pause }) {
      const found = this.dispute(dispute, "open");
      if ([...this.disputes.values()].some((d) => d.stage === "review")) refuse("reviews a second dispute");
      Object.assign(found, { stage: "review", pause });
    }

    dispute_ruled(event) {
      const { dispute, ruling } = event;
      const found = this.dispute(dispute, "review");
      if (this.revealed && !AFTER_THE_REVEAL.includes(ruling.type)) refuse("rules on play behind the reveal");
      if (this.closed !== null && ["rewind", "redraw", "force_move", "forfeit"].includes(ruling.type)) refuse("rules on play in a match that is closed");
      found.stage = found.appealed ? "closed" : "ruled";
      this.rule(ruling);
    }

    rule(ruling) {
      switch (ruling.type) {
        case "redraw":
          this.redraws.set(ruling.label, (this.redraws.get(ruling.label) ?? 0) + 1);
          break;
        case "replace_seat":
          this.held.set(ruling.seat, ruling.holder);
          this.keys.delete(ruling.seat);
          break;
        case "forfeit":
          if (this.position.status !== "running") refuse("forfeits a match that does not run");
          this.resign(ruling.seat, true);
          break;
        case "set_result":
          this.end("over");
          break;
        case "void":
        case "replay":
          this.end("void");
          break;
      }
    }

    dispute_appealed({ dispute }) {
      const found = this.dispute(dispute, "ruled");
      Object.assign(found, { stage: "open", appealed: true });
    }

    dispute_closed({ dispute }) {
      this.dispute(dispute, "open", "review", "ruled").stage = "closed";
    }

    // What is fixed

    /** The event that has to come next, or null. */
    following(event) {
      const rewind = this.rewindAfter(event);
      if (rewind !== null) return rewind;
      if (event.kind === "dispute_ruled" && event.ruling.type === "force_move") {
        const { seat, decision } = event.ruling;
        return {
          name: "forced move",
          fits: (next) => next.kind === "move_played" && next.by === "arbiter" && next.seat === seat && next.decision === decision,
        };
      }
      const kinds = this.kindsAfter();
      return kinds === null ? null : { name: kinds[0], fits: (next) => kinds.includes(next.kind) };
    }

    rewindAfter(event) {
      const made = (to) => ({
        name: "rewind",
        fits: (next) => next.kind === "match_rewound" && next.to === to && next.cause === event.version,
      });
      if (event.kind === "dispute_ruled" && ["rewind", "redraw"].includes(event.ruling.type)) return made(event.ruling.to);
      const asked = event.kind === "takeback_asked" || event.kind === "takeback_answered";
      return asked && this.takeback?.waits.size === 0 ? made(this.takeback.move - 1) : null;
    }

    kindsAfter() {
      const { created, closed } = this;
      if (this.isOver) {
        const isDue = !this.revealed && created.deal_group === null && created.window === null;
        return isDue ? ["match_revealed"] : null;
      }
      if (closed !== null && (closed.early || !closed.started)) return ["match_cancelled"];
      if (closed !== null && created.closing === "cancel") return ["match_cancelled", "match_ended"];
      if (closed !== null && created.closing === "forfeit") return ["match_ended"];
      if (this.isPaused) return null;
      return this.position.status === "open" ? this.startAfter() : this.endAfter();
    }

    startAfter() {
      const { created, entropy } = this;
      if (this.held.size < created.seats) return null;
      if (created.steerable === null && !entropy.closed) {
        return entropy.commitments.size === created.seats ? ["entropy_closed"] : null;
      }
      if (created.steerable === null && !this.entropyIsWhole) return null;
      return created.start === "auto" ? ["match_started"] : null;
    }

    endAfter() {
      const { seats } = this.created;
      const gone = this.position.resigned.length;
      return gone > 0 && gone >= Math.max(1, seats - 1) ? ["match_ended"] : null;
    }
  }

  Object.assign(own, { Life });
})((globalThis.PlyscribeVerifier ??= {}));
