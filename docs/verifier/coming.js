// Who comes to a match: its opening, the check who is there, stand-ins, and what is due by the time.
(function (own) {
  "use strict";

  const { Timed, isHolder, need } = own;
  const OWN = [
    "draw_offered",
    "draw_answered",
    "move_played",
    "seat_resigned",
    "entropy_committed",
    "entropy_opened",
    "takeback_asked",
    "takeback_answered",
    "dispute_opened",
    "dispute_appealed",
    "dispute_closed",
  ];

  /** What a schedule adds to Life, which has all else it needs. */
  class Coming extends Timed {
    constructor() {
      super();
      this.acted = new Set(); // seats that did something themselves
      this.vacant = new Set(); // seats on which a stand-in may be put
      this.isChecked = false;
    }

    get schedule() {
      return this.created.schedule;
    }

    /** Whether the match itself, not a deal group, has a closing time that is to come. */
    get closesItself() {
      const { closes_at, deal_group } = this.created;
      return closes_at !== null && deal_group === null && this.closed === null && !this.isOver;
    }

    get unseated() {
      const { resigned } = this.position;
      const seats = Array.from({ length: this.created.seats }, (_, seat) => seat);
      return seats.filter((seat) => !this.held.has(seat) && !resigned.includes(seat));
    }

    seating_opened({ at }) {
      const isDue = this.position.status === "scheduled" && at >= this.schedule.opens_at;
      need(isDue, "presence", "opens what does not wait for it");
      this.move({ status: "open" });
    }

    presence_checked({ at, seen }) {
      const { schedule, position } = this;
      const isDue =
        schedule !== null &&
        schedule.join_by !== null &&
        at >= schedule.join_by &&
        !this.isChecked &&
        !this.isOver &&
        this.closed === null &&
        position.status !== "scheduled";
      need(isDue, "presence", "looks who is there when nobody is to");
      const since = Math.max(this.created.at, schedule.opens_at ?? 0);
      seen.forEach((moment, seat) => {
        const isSound =
          moment === null
            ? !this.acted.has(seat)
            : this.held.has(seat) && moment >= since && moment <= at;
        need(isSound, "presence", "says otherwise who was there than the log");
      });
      this.isChecked = true;
      const absent = seen.flatMap((moment, seat) =>
        moment === null && !position.resigned.includes(seat) ? [seat] : [],
      );
      if (absent.length > 0) this.miss(schedule.no_show, absent);
    }

    miss(policy, absent) {
      const { resigned, status } = this.position;
      if (policy === "forfeit") {
        this.move({ resigned: [...resigned, ...absent], missed: absent, cause: "no_show" });
        this.takeback = null;
      } else if (policy === "void") this.end("void");
      else if (policy === "wait") this.paused ||= status === "running" && !this.isPaused;
      else this.vacant = new Set(absent);
    }

    stand_in_seated({ seat, holder }) {
      const { status, resigned } = this.position;
      const isFree = this.vacant.has(seat) && !resigned.includes(seat) && this.closed === null;
      need(
        isFree && ["open", "running"].includes(status) && isHolder(holder),
        "presence",
        "takes a seat that waits for nobody",
      );
      this.hold(seat, holder);
      this.keys.delete(seat);
      this.vacant.delete(seat);
    }

    /** Keeps what a seat did itself. */
    notice({ kind, seat = null, by = "seat" }) {
      if (seat === null) return;
      const isOwn = OWN.includes(kind) && by === "seat";
      if (!isOwn && kind !== "seat_claimed" && kind !== "seat_released") return;
      this.vacant.delete(seat);
      if (isOwn) this.acted.add(seat);
      else this.acted.delete(seat);
    }

    /** What has to come from some moment on, whatever else is due: [moment, kind], or null. */
    get timely() {
      const { schedule, created, position } = this;
      if (position.status === "scheduled") return [schedule.opens_at, "seating_opened"];
      const starts = schedule?.starts_at ?? null;
      const isReady = position.status === "open" && this.seatsAreReady;
      return isReady && starts !== null && created.start === "auto"
        ? [starts, "match_started"]
        : null;
    }

    /** What is due, as far as the time alone makes nothing else follow before. */
    inTime(due) {
      const closes = this.closesItself ? this.created.closes_at : Infinity;
      const [moment, kind] = this.timely ?? [Infinity, null];
      if (closes === Infinity && kind === null) return due;
      const fits = (next) => {
        if (next.at >= closes) return next.kind === "match_closed";
        if (due !== null) return due.fits(next);
        return next.at < moment || next.kind === kind;
      };
      return { name: due?.name ?? kind ?? "match_closed", fits, isOpen: due?.isOpen ?? due === null };
    }
  }

  Object.assign(own, { Coming });
})((globalThis.PlyscribeVerifier ??= {}));
