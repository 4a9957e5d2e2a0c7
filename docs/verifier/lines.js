// Lines of play: which versions count after rewinds.
(function (own) {
  "use strict";

  /** The line of play of the last version, and of any version before it. */
  class Lines {
    constructor() {
      this.segment = { from: 1, before: null, upto: 0 };
      this.segments = [null];
    }

    /** The next version; `to` is where a rewind goes back to, else null. */
    add(version, to = null) {
      if (to !== null) this.segment = { from: version, before: this.segments[to], upto: to };
      this.segments.push(this.segment);
    }

    /** Whether the last version comes of this one. */
    has(version) {
      let limit = this.segments.length - 1;
      for (let segment = this.segment; segment !== null; segment = segment.before) {
        if (version >= segment.from) return version <= limit;
        limit = segment.upto;
      }
      return false;
    }
  }

  Object.assign(own, { Lines });
})((globalThis.PlyscribeVerifier ??= {}));
