// Takebacks, rewinds and disputes: what may follow what beside the play itself.
(function (own) {
  "use strict";

  const { Wrong } = own;
  const DISPUTES = 32;
  const LONGEST = 64; // characters of a holder
  const ARBITERS = "arbiters"; // all together are one party
  const AFTER_THE_REVEAL = ["note", "set_result", "void", "replay"];
  const SPOKEN = ["move_played", "dispute_opened", "dispute_appealed"];
  const OF_PLAY = ["rewind", "redraw", "adjust_clock", "force_move", "forfeit", "replace_seat"];

  /** Throws that an event can't stand where it stands. */
  const refuse = (reason) => {
    throw new Wrong("following", reason);
  };

  const isHolder = (value) =>
    value !== "" && value.length <= 2 * LONGEST && [...value].length <= LONGEST;

  const textName = (version, field) => `${version} ${field}`;
  const seatName = (seat, holder) => (holder === null ? `seat ${seat}` : `seat ${seat} as ${holder}`);

  /** What an erasure names, as namesOf calls it; null if the viewer is not told. */
  function erasedName({ of, field, seat, holder }) {
    if (of !== null) return textName(of, field);
    return seat === null ? null : seatName(seat, holder);
  }

  /** The events of Life that are no step of the game; all it needs is in there. */
  class Beside {
    // Takebacks and rewinds

    takeback_asked({ version, seat, move }) {
      this.needRunning();
      const { last, resigned } = this.position;
      const own = last !== null && last.version === move && last.seat === seat;
      const before = this.positions[move - 1];
      const nobodyLeft = before?.resigned.length === resigned.length;
      const isNew = this.takeback?.move !== move && !resigned.includes(seat);
      if (!own || !nobodyLeft || !isNew) refuse("takes back what is not its last answer");
      this.takeback = { version, seat, move, consents: [], refused: false };
    }

    /** The takeback that waits, and the seats whose consent it lacks; null if there is none. */
    get open() {
      const { takeback, position, created } = this;
      if (takeback === null || takeback.refused || position.last?.version !== takeback.move)
        return null;
      const settled = new Set([takeback.seat, ...position.resigned, ...takeback.consents]);
      const seats = Array.from({ length: created.seats }, (_, seat) => seat);
      return { takeback, lacks: seats.filter((seat) => !settled.has(seat)) };
    }

    takeback_answered({ seat, takeback, consents }) {
      this.needRunning();
      const { open } = this;
      const waits =
        open !== null && open.takeback.version === takeback && open.lacks.includes(seat);
      if (!waits) refuse("answers a takeback that does not wait for it");
      if (consents) this.takeback.consents.push(seat);
      else this.takeback.refused = true;
    }

    match_rewound({ version, to, cause }) {
      if (this.due?.name !== "rewind") refuse("rewinds without a cause");
      const goal = this.positions[to];
      const runs = to < version && goal?.status === "running";
      if (!runs || cause >= version) refuse("goes back to where the match did not run");
      this.position = { ...goal, asked: new Map() };
      this.takeback = null;
      this.offer = null;
      this.revealAt = null;
    }

    // Erasures

    erased({ version, of, field, seat, holder, hidden }) {
      const isOne =
        of !== null && field !== null && of < version && seat === null && holder === null;
      const isNamed = holder === null || isHolder(holder);
      const isMany = of === null && field === null && seat !== null && !hidden && isNamed;
      // What a viewer sees of a hidden one names nothing.
      const isHidden = [of, field, seat, holder].every((each) => each === null) && !this.isFull;
      if (!isOne && !isMany && !isHidden) refuse("erases nothing there can be");
    }

    /** Keeps who says something, if it is a seat. */
    hear({ version, kind, seat }) {
      if (SPOKEN.includes(kind) && seat !== null)
        this.speakers.set(version, { seat, holder: this.held.get(seat) ?? null });
    }

    /** What erasures may name the text in a field of an event by. */
    namesOf(version, field) {
      const names = [textName(version, field)];
      const speaker = this.speakers.get(version);
      if (speaker === undefined) return names;
      const { seat, holder } = speaker;
      return [...names, seatName(seat, null), ...(holder === null ? [] : [seatName(seat, holder)])];
    }

    // Disputes

    dispute(version, ...stages) {
      const found = this.disputes.get(version);
      if (found === undefined || !stages.includes(found.stage))
        refuse("is about no dispute of that stage");
      return found;
    }

    dispute_opened({ version, seat, arbiter, about }) {
      const { status } = this.position;
      const sound = (seat === null) !== (arbiter === null) && about < version;
      if (!sound || ["scheduled", "open", "cancelled"].includes(status))
        refuse("disputes nothing, or by nobody");
      const party = seat ?? ARBITERS;
      const unsettled = [...this.disputes.values()].some(
        (d) => d.stage !== "closed" && d.stage !== "ruled" && d.party === party,
      );
      if (this.disputes.size >= DISPUTES || unsettled) refuse("is one dispute too many");
      this.disputes.set(version, { stage: "open", party, pause: false, appealed: false });
    }

    review_started({ dispute, pause }) {
      const found = this.dispute(dispute, "open");
      if ([...this.disputes.values()].some((d) => d.stage === "review"))
        refuse("reviews a second dispute");
      const runs = this.position.status === "running" && !this.paused;
      if (pause && !runs) refuse("pauses a match that does not run");
      Object.assign(found, { stage: "review", pause });
    }

    dispute_ruled(event) {
      const { version, dispute, ruling } = event;
      const found = this.dispute(dispute, "review");
      if (this.revealed && !AFTER_THE_REVEAL.includes(ruling.type))
        refuse("rules on play behind the reveal");
      const { closes_at } = this.created;
      const isLate = this.closed !== null || (closes_at !== null && event.at >= closes_at);
      if (isLate && OF_PLAY.includes(ruling.type))
        refuse("rules on play in a match that is closed");
      this.needPossible(version, ruling);
      found.stage = found.appealed ? "closed" : "ruled";
      this.rule(version, ruling);
    }

    needPossible(version, ruling) {
      const { type, to, seat, decision, ranks, holder } = ruling;
      const { status, asked, resigned } = this.position;
      const seats = this.created.seats;
      const goesBack = () =>
        status !== "cancelled" &&
        !(this.created.deal_group !== null && this.isOver) &&
        to < version &&
        this.positions[to]?.status === "running";
      const stays = status === "running" && !resigned.includes(seat);
      const possible = {
        note: () => true,
        rewind: goesBack,
        redraw: goesBack,
        adjust_clock: () => this.mayAdjust(ruling),
        replace_seat: () => ["open", "running"].includes(status) && isHolder(holder),
        force_move: () => stays && !this.paused && asked.get(seat) === decision,
        forfeit: () => stays,
        set_result: () => status !== "cancelled" && ranks.every((rank) => rank <= seats),
        void: () => status !== "cancelled" && status !== "void",
        replay: () => status !== "cancelled",
      };
      if (!possible[type]()) refuse("rules what can't be ruled there");
    }

    rule(version, ruling) {
      switch (ruling.type) {
        case "redraw":
          this.redraws.set(ruling.label, (this.redraws.get(ruling.label) ?? 0) + 1);
          break;
        case "replace_seat":
          this.hold(ruling.seat, ruling.holder);
          this.keys.delete(ruling.seat);
          break;
        case "forfeit":
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

    dispute_closed({ dispute, seat, arbiter }) {
      const found = this.dispute(dispute, seat === null ? "ruled" : "open");
      const own =
        seat === null
          ? arbiter !== null
          : arbiter === null && found.party === seat && !found.appealed;
      if (!own) refuse("is closed by somebody else");
      found.stage = "closed";
    }
  }

  Object.assign(own, { Beside, erasedName, isHolder, refuse });
})((globalThis.PlyscribeVerifier ??= {}));
