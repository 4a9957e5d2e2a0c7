// What the seed, the answers, the draws and the seats' own keys have to agree on, event by event.
(function (own) {
  "use strict";

  const { need, utf8, hex, unhex, uuid, canonical, prefixed, unbase64url } = own;
  const RESIGNING = utf8("resign");

  const isWhole = (value) =>
    value !== null &&
    (typeof value !== "object" || Object.values(value).every((each) => isWhole(each)));

  /** What answers of a seat are called in the line of play whose type is shown, or is not. */
  const typed = (seat, move) => (move === null ? `hidden ${seat}` : `typed ${seat} ${move.type}`);

  /**
   * `check` takes every event of a match in order, after `life.step` had it. `seed` is null where it
   * is not known; `heads` are the hashes of all events, the first one's at 0.
   */
  class Secrets {
    constructor({ created, life, seed, heads, viewer, hasKeys }) {
      Object.assign(this, { created, life, seed, heads, viewer, hasKeys });
      this.id = uuid(created.match_id);
      this.matchSeed = null;
      this.answers = new Map();
      this.signed = new Map();
      this.done = new Set();
    }

    async check(event) {
      if (event.kind === "entropy_opened") await this.opening(event);
      if (event.kind === "match_started" && this.seed !== null) {
        const put = this.life.contributions;
        this.matchSeed = await own.matchSeed(this.seed, canonical(put));
      }
      if (event.kind === "chance_drawn" && "picks" in event) await this.draw(event);
      if (event.kind === "move_played" || event.kind === "seat_resigned") {
        await this.signature(event);
        if (event.kind === "move_played") await this.answer(event);
      }
      for (const opened of event.reveals) await this.opened(opened);
    }

    async opening({ seat, opening }) {
      const made = await own.entropyCommitment(this.id, seat, unhex(opening));
      const said = this.life.entropy.commitments.get(seat);
      need(hex(made) === said, "entropy", "opens what the seat did not commit to");
      this.done.add("entropy");
    }

    async draw({ label, redraw, options, offer, picks }) {
      need(picks.length >= 1 && picks.length <= options, "draw", "picks more than there are");
      if (this.matchSeed === null) return;
      const made = await own.picks(
        this.matchSeed,
        label,
        redraw,
        unhex(offer),
        options,
        picks.length,
      );
      need(
        made.every((pick, place) => pick === picks[place]),
        "draw",
        "is not what the seed gives",
      );
      this.done.add("draws");
    }

    saltOf(decision) {
      return own.answerSalt(this.matchSeed, this.id, decision);
    }

    async answer(event) {
      const { seat, decision, move, sealed } = event;
      if (decision === null) {
        need(sealed === null, "answer", "commits to what is no answer");
        return;
      }
      if (sealed === null) return;
      need(this.viewer !== "public" || !isWhole(move), "answer", "commits to what everybody sees");
      if (this.viewer === "full") await this.sealing(event);
      const answer = { ...event, isOpened: false };
      this.answers.set(decision, answer);
      this.life.line.put(event.version, `answer ${decision}`, answer);
      this.life.line.put(event.version, typed(seat, move), answer);
    }

    async opened({ seat, move, decision = null, salt = null }) {
      if (decision === null) return;
      const latest = this.latest(seat, move.type);
      const found = this.life.line.get(`answer ${decision}`);
      need(found?.seat === seat, "answer", "opens what was not committed to");
      need(latest === null || latest === found, "answer", "opens an older answer than the latest");
      need(isWhole(move), "answer", "opens an answer and hides it");
      found.isOpened = true;
      const made = await own.hmac(unhex(salt), canonical(move));
      need(hex(made) === found.sealed, "answer", "opens another answer than was committed to");
      if (this.matchSeed !== null) {
        need(
          hex(await this.saltOf(decision)) === salt,
          "answer",
          "opens with another salt than the seed gives",
        );
      }
      this.done.add("answers");
    }

    async sealing({ decision, move, sealed }) {
      if (this.matchSeed === null || !isWhole(move)) return;
      const made = await own.hmac(await this.saltOf(decision), canonical(move));
      need(hex(made) === sealed, "answer", "is not the answer it commits to");
      this.done.add("answers");
    }

    /** The viewer's own answers that no step opened. */
    async finish() {
      for (const answer of this.answers.values()) {
        if (!answer.isOpened) await own.at(`event ${answer.version}`, () => this.sealing(answer));
      }
    }

    /** The latest sealed answer of a seat of a type in the line of play; null where types are hidden. */
    latest(seat, type) {
      const hidden = this.life.line.get(typed(seat, null));
      const found = this.life.line.get(typed(seat, { type }));
      return (hidden?.version ?? 0) > (found?.version ?? 0) ? null : (found ?? null);
    }

    async signature(event) {
      const { version, kind, seat, signed, by = "seat" } = event;
      const key = by === "seat" ? (this.life.keys.get(seat) ?? null) : null;
      if (key === null) {
        need(signed === null, "signature", "is signed though it can't be");
        return;
      }
      need(signed !== null, "signature", "lacks the signature of its seat's key");
      const asked = event.decision ? Number(event.decision.split(".")[0]) : 1;
      const least = Math.max(asked, this.signed.get(seat) ?? 1);
      need(
        signed.version < version && signed.version >= least,
        "signature",
        "is signed for another moment",
      );
      need(
        hex(this.heads[signed.version - 1]) === signed.head,
        "signature",
        "is signed in another log",
      );
      this.signed.set(seat, version);
      const move = kind === "seat_resigned" ? Object.create(null) : event.move;
      const committed =
        signed.committed ?? hex(await own.hmac(unhex(signed.nonce), canonical(move)));
      const decision = kind === "seat_resigned" ? RESIGNING : utf8(event.decision ?? "");
      const parts = ["plyscribe/move/1", this.id, decision, unhex(committed)];
      const data = prefixed(...parts, signed.version, unhex(signed.head));
      if (!this.hasKeys) return;
      const sound = await own.signedBy(unbase64url(key), unbase64url(signed.signature), data);
      need(sound, "signature", "is not signed by its seat's key");
      this.done.add("signatures");
    }
  }

  Object.assign(own, { Secrets });
})((globalThis.PlyscribeVerifier ??= {}));
