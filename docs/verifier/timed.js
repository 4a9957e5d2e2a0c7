// What clocks lead to: flags that fall and what follows, pauses, time that is given.
(function (own) {
  "use strict";

  const { Beside, need, refuse } = own;
  const { atFirst, counted, deadline, ticked, restored } = own.clockArithmetic;
  const MOST = 400 * 86_400_000;
  const FALLS = 10; // times the seats: a seat that is never asked is never late
  // What somebody does about the play: whose time was over before that has lost it by then.
  const IN_TURN = [
    "move_played",
    "seat_resigned",
    "match_cancelled",
    "takeback_answered",
    "review_started",
    "dispute_ruled",
    "match_paused",
    "match_resumed",
    "time_added",
    "time_credited",
    "presence_checked",
    "stand_in_seated",
    "draw_offered",
    "draw_answered",
  ];

  /** Where the clocks of a match stand, in `position`; all else it needs is in Life. */
  class Timed extends Beside {
    get clock() {
      return this.created.clock;
    }

    get clocks() {
      return this.position.clocks;
    }

    /** What clocks at first show; null without any. */
    clocksAtFirst() {
      return this.clock === null ? null : atFirst(this.clock);
    }

    /** The clocks as an event leaves them that has done all else. */
    tick(event) {
      if (this.clock === null) return;
      this.needFallen(event);
      if (event.kind === "match_rewound") {
        this.move({ clocks: restored(this.clocks, event.asks) });
      }
      const { status, asked, resigned } = this.position;
      const plays = status === "running" && !this.isPaused && this.closed === null;
      this.move({ clocks: ticked(this.clock, this.clocks, event, { plays, asked, resigned }) });
      this.clocks.seats.forEach(({ isKnown }, seat) => {
        if (!isKnown && !this.unclear.has(seat)) this.unclear.set(seat, event.version);
      });
    }

    /** Who was late for certain before somebody did this has lost the time by then. */
    needFallen({ kind, at, by = "seat", arrived = null, since }) {
      if (!IN_TURN.includes(kind) || by !== "seat" || this.isTimeOver(at)) return;
      const moment = kind === "time_credited" ? since : (arrived ?? at);
      const isLate = (_, seat) => {
        const over = this.isSure(seat) ? deadline(this.clock, this.clocks, seat) : null;
        return over !== null && over < moment;
      };
      need(!this.clocks.seats.some(isLate), "clock", "comes before a flag that fell earlier");
    }

    /** Whether the closing time of its deal group has come. */
    isTimeOver(at) {
      const { closes_at } = this.created;
      return this.closed !== null || (closes_at !== null && at >= closes_at);
    }

    /** Whether a seat's decision is open for certain, not only as far as its own answers tell. */
    isSure(seat) {
      return this.clocks.seats[seat].moves === 0;
    }

    /** What keeps everybody from playing: "pause", "review", or null. */
    get heldBy() {
      if (this.paused) return "pause";
      const isHeld = [...this.disputes.values()].some((d) => d.stage === "review" && d.pause);
      return isHeld ? "review" : null;
    }

    get isPaused() {
      return this.closed === null && this.heldBy !== null;
    }

    needArrival({ seat, at, by, decision, arrived }) {
      if (this.clock === null || by !== "seat" || decision === null) {
        need(arrived === null, "clock", "says when it arrived, which is of answers on a clock");
        return;
      }
      const { since } = this.clocks.seats[seat];
      need(since !== null, "clock", "answers on a clock that does not run");
      const isThen = arrived !== null && arrived >= since && arrived <= Math.max(at, since);
      need(isThen, "clock", "can't have arrived then");
      const latest = deadline(this.clock, this.clocks, seat);
      need(latest === null || arrived <= latest, "clock", "arrived when its time was over");
    }

    needClock() {
      need(this.clock !== null, "clock", "is of clocks, and there are none");
    }

    needUnclosed() {
      if (this.closed !== null) refuse("stands in a match that is closed");
    }

    flag_fell({ at, seat, decision, fell }) {
      this.needClock();
      this.needRunning();
      this.needUnclosed();
      const { asked, resigned } = this.position;
      const runs = this.clocks.seats[seat].since !== null && asked.get(seat) === decision;
      need(runs, "clock", "is the flag of a clock that does not run");
      const own = deadline(this.clock, this.clocks, seat);
      need(fell <= at && (own === null || own === fell), "clock", "falls at another moment");
      const isFirst = this.clocks.seats.every((_, other) => {
        const moment = this.isSure(other) ? deadline(this.clock, this.clocks, other) : null;
        return moment === null || moment > fell || (moment === fell && other >= seat);
      });
      need(isFirst, "clock", "falls before one that fell earlier");
      if (this.clock.flag === "fallback") return;
      this.move({ resigned: [...resigned, seat], cause: "timed_out" });
      this.takeback = null;
    }

    match_paused() {
      this.needRunning();
      this.needUnclosed();
      this.paused = true;
    }

    match_resumed() {
      if (!this.paused || this.isOver) refuse("resumes a match that is not paused");
      this.needUnclosed();
      this.paused = false;
    }

    time_added({ ms }) {
      this.needClock();
      if (this.isOver) refuse("adds time behind the end");
      this.needUnclosed();
      need(ms >= 1 && ms <= MOST, "clock", "adds no time, or too much");
    }

    time_credited({ at, since, until }) {
      this.needClock();
      need(!this.isTimeOver(at), "clock", "gives back time when none is left");
      const gives = (one) =>
        one.since !== null && counted(this.clock, Math.max(one.since, since), until) > 0;
      const isSound = since < until && until <= at && this.clocks.seats.some(gives);
      need(isSound, "clock", "gives back time in which no clock ran");
    }

    mayAdjust({ seat, ms }) {
      const isSeat = seat === null || seat < this.created.seats;
      const isLive = this.position.status === "running";
      return this.clock !== null && isSeat && isLive && ms !== 0 && Math.abs(ms) <= MOST;
    }

    // What follows

    /** Who is gone, the last first, each beside those whose flags fell at the same moment. */
    goneTogether() {
      const moments = new Map(this.clocks?.out ?? []);
      for (const seat of this.position.missed) moments.set(seat, -1);
      const groups = [];
      for (const seat of [...this.position.resigned].reverse()) {
        const last = groups[groups.length - 1];
        const isWith = moments.has(seat) && moments.get(last?.[0]) === moments.get(seat);
        if (isWith) last.push(seat);
        else groups.push([seat]);
      }
      return groups;
    }

    /** Whether it has to end as nobody moves, whoever the game says is out. */
    get isAbandoned() {
      if (this.clock?.flag !== "fallback" || this.clocks.falls === 0) return false;
      const most = this.clock.abandon_after;
      const gone = new Set(this.position.resigned);
      const isAway = ({ misses }, seat) => misses >= most || gone.has(seat);
      return (
        this.clocks.seats.every(isAway) ||
        this.clocks.falls >= most * FALLS * this.created.seats
      );
    }

    /** Whether it can end as nobody moves. */
    get canBeAbandoned() {
      const most = this.clock?.abandon_after;
      const isLate = ({ misses }) => misses >= most;
      return (
        this.clock?.flag === "fallback" &&
        this.clocks.falls > 0 &&
        (this.isAbandoned || this.clocks.seats.some(isLate))
      );
    }

    /** What has to come directly after a flag fell, or null. */
    fallAfter({ seat, fell }) {
      const { flag } = this.clock;
      const isOther = (next) => next.kind === "flag_fell" && next.fell === fell;
      const isEnd = (terminal) => (next) =>
        next.kind === "match_ended" && next.outcome.terminal === terminal;
      const made = (name, fits = () => false) => ({
        name,
        fits: (next) => isOther(next) || fits(next),
      });
      const falls = this.clocks.seats.some((_, other) => {
        const moment = this.isSure(other) ? deadline(this.clock, this.clocks, other) : null;
        return moment !== null && moment <= fell;
      });
      if (falls) return made("flag_fell");
      if (flag === "forfeit") return made("match_ended", isEnd("timed_out"));
      if (flag === "remove") {
        return this.endAfter() === null ? null : made("match_ended", isEnd("timed_out"));
      }
      if (this.isAbandoned) return made("match_ended", isEnd("abandoned"));
      const isFallback = (next) =>
        next.kind === "move_played" &&
        next.by === "fallback" &&
        next.seat <= seat &&
        this.clocks.fallen.includes(next.seat);
      return made("fallback", (next) => isFallback(next) || isEnd("abandoned")(next));
    }
  }

  Object.assign(own, { Timed });
})((globalThis.PlyscribeVerifier ??= {}));
