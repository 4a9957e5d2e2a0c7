// What has to follow of itself in a match, as far as that needs no rules of a game.
(function (own) {
  "use strict";

  const { Agreeing } = own;
  const DAY = 86_400_000;
  const SKEW = 60_000; // ms: how far apart the clocks of the service may be
  const PLAYED_ON = 2000; // events past the closing, after which a match is forfeited

  /** The event that is fixed after each; all it needs is in Life. */
  class Due extends Agreeing {
    /** The event that has to come next, or null. */
    following(event) {
      return this.inTime(this.dueAfter(event));
    }

    dueAfter(event) {
      const rewind = this.rewindAfter(event);
      if (rewind !== null) return rewind;
      if (event.kind === "dispute_ruled" && event.ruling.type === "force_move") {
        const { seat, decision } = event.ruling;
        return {
          name: "forced move",
          fits: (next) =>
            next.kind === "move_played" &&
            next.by === "arbiter" &&
            next.seat === seat &&
            next.decision === decision,
        };
      }
      if (this.isOver && this.revealAt !== null && !this.revealed) {
        const inTime = (next) => next.at < this.revealAt || next.kind === "match_revealed";
        return { name: "reveal", fits: inTime, isOpen: true };
      }
      if (this.isAgreed) {
        const isDraw = (next) => next.kind === "match_ended" && next.outcome.terminal === "agreed";
        return { name: "match_ended", fits: isDraw };
      }
      if (event.kind === "flag_fell") return this.fallAfter(event);
      const kinds = this.kindsAfter(event);
      return kinds === null ? null : { name: kinds[0], fits: (next) => kinds.includes(next.kind) };
    }

    /** By when (ms) it has to be revealed; null if it is, or if nothing was promised. */
    get latestReveal() {
      const { reveal_by, window, deal_group } = this.created;
      const isAtOnce = window === null && deal_group === null && this.overSince !== null;
      if (!this.revealed && isAtOnce) return Math.min(this.overSince, reveal_by ?? Infinity) + SKEW;
      if (this.revealed || (reveal_by === null && this.revealAt === null)) return null;
      return Math.max(reveal_by ?? 0, this.revealAt === null ? 0 : this.revealAt + DAY) + SKEW;
    }

    rewindAfter(event) {
      const made = (to, cause = event.version) => ({
        name: "rewind",
        fits: (next) => next.kind === "match_rewound" && next.to === to && next.cause === cause,
      });
      if (event.kind === "dispute_ruled" && ["rewind", "redraw"].includes(event.ruling.type))
        return made(event.ruling.to);
      const { open } = this;
      if (open === null || this.position.status !== "running") return null;
      return open.lacks.length === 0 ? made(open.takeback.move - 1, open.takeback.version) : null;
    }

    kindsAfter({ version }) {
      const { created, closed } = this;
      if (this.isOver) {
        const isDue = !this.revealed && created.deal_group === null && created.window === null;
        return isDue ? ["match_revealed"] : null;
      }
      if (closed !== null && (closed.early || !closed.started)) return ["match_cancelled"];
      if (closed !== null && created.closing === "cancel")
        return ["match_cancelled", "match_ended"];
      const isForfeit =
        closed !== null && (created.closing === "forfeit" || version - closed.version >= PLAYED_ON);
      if (isForfeit) return ["match_ended"];
      if (this.isPaused) return null;
      if (this.isAbandoned) return ["match_ended"];
      if (this.position.status === "scheduled") return null;
      return this.position.status === "open" ? this.startAfter() : this.endAfter();
    }

    startAfter() {
      const { created, entropy } = this;
      const end = this.endAfter();
      if (end !== null) return end;
      if (this.unseated.length > 0) return null;
      if (created.steerable === null && !entropy.closed) {
        return entropy.commitments.size === created.seats ? ["entropy_closed"] : null;
      }
      if (created.steerable === null && !this.entropyIsWhole) return null;
      const isNow = created.start === "auto" && (created.schedule?.starts_at ?? null) === null;
      return isNow ? ["match_started"] : null;
    }

    get seatsAreReady() {
      const isWhole = this.created.steerable !== null || this.entropyIsWhole;
      return isWhole && this.unseated.length === 0 && this.endAfter() === null;
    }

    endAfter() {
      const { seats } = this.created;
      const gone = this.position.resigned.length;
      return gone > 0 && gone >= Math.max(1, seats - 1) ? ["match_ended"] : null;
    }
  }

  Object.assign(own, { Due });
})((globalThis.PlyscribeVerifier ??= {}));
