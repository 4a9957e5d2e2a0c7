// Draws by agreement: offered, accepted by all that still play, or refused; a step ends an offer.
(function (own) {
  "use strict";

  const { Coming, need } = own;

  /** What draws by agreement add to Life, which has all else it needs. */
  class Agreeing extends Coming {
    constructor() {
      super();
      this.offer = null;
    }

    get lastStep() {
      return this.position.last?.version ?? 0;
    }

    /** The offer that waits for answers, or null. */
    get openOffer() {
      const { offer, position } = this;
      if (offer === null || offer.refused || position.status !== "running") return null;
      const isSame = offer.last === this.lastStep && offer.gone === position.resigned.length;
      return isSame ? offer : null;
    }

    /** The seats whose answers it lacks, as far as the game does not say that they are out. */
    get lacking() {
      const settled = [...this.position.resigned, this.offer.seat, ...this.offer.accepted];
      const seats = Array.from({ length: this.created.seats }, (_, seat) => seat);
      return seats.filter((seat) => !settled.includes(seat));
    }

    needAgreeing(seat) {
      need(this.created.agreed_draw, "agreement", "is about a draw nobody can agree on");
      this.needRunning();
      const plays = this.closed === null && !this.position.resigned.includes(seat);
      need(plays, "agreement", "is said by a seat that plays no more");
    }

    draw_offered({ version, seat }) {
      this.needAgreeing(seat);
      const { offer } = this;
      const isAgain = offer?.seat === seat && offer.last === this.lastStep;
      need(this.openOffer === null && !isAgain, "agreement", "offers a draw once too often");
      const gone = this.position.resigned.length;
      this.offer = { version, seat, last: this.lastStep, gone, accepted: [], refused: false };
    }

    draw_answered({ seat, offer, accepts }) {
      this.needAgreeing(seat);
      const waits = this.openOffer?.version === offer && this.lacking.includes(seat);
      need(waits, "agreement", "answers an offer that does not wait for it");
      if (accepts) this.offer.accepted.push(seat);
      else this.offer.refused = true;
    }

    /** Whether it can be agreed on: those that have not answered may be out. */
    get canBeAgreed() {
      return this.openOffer !== null && this.offer.accepted.length > 0;
    }

    get isAgreed() {
      return this.canBeAgreed && this.lacking.length === 0;
    }

    /** Whether ranks are those of a draw: the seats that agreed first, then those that are out. */
    needDrawn(ranks) {
      const agreed = [this.offer.seat, ...this.offer.accepted];
      const isFirst = agreed.every((seat) => ranks[seat] === 1);
      const isOut = this.lacking.every((seat) => ranks[seat] === agreed.length + 1);
      need(isFirst && isOut, "outcome", "ranks a draw otherwise");
    }
  }

  Object.assign(own, { Agreeing });
})((globalThis.PlyscribeVerifier ??= {}));
