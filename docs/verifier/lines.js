// Lines of play: what was said by a name in the line that counts after rewinds.
(function (own) {
  "use strict";

  /**
   * Values by name, of which a rewind takes back and brings back what its goal had. All of it takes
   * as many steps as there are versions, but for rewinds into a line that was left, of which disputes
   * allow a few.
   */
  class Line {
    constructor() {
      this.before = [0]; // of each version the one it comes behind
      this.versions = [0]; // of the line, ascending
      this.said = new Map(); // by version, of all lines
      this.values = new Map(); // by name, of the line, the latest last
    }

    /** The next version; `to` is where a rewind goes back to, else null. */
    add(version, to = null) {
      this.before.push(to ?? version - 1);
      if (to !== null) this.goTo(to);
      this.versions.push(version);
    }

    /** Says something in a version that is the last one, or the next and no rewind. */
    put(version, name, value) {
      const saying = { name, value };
      if (this.said.has(version)) this.said.get(version).push(saying);
      else this.said.set(version, [saying]);
      this.say(saying);
    }

    /** The latest that was said by that name in the line of play; undefined if nothing was. */
    get(name) {
      return this.values.get(name)?.at(-1);
    }

    say({ name, value }) {
      if (this.values.has(name)) this.values.get(name).push(value);
      else this.values.set(name, [value]);
    }

    leave(version) {
      for (const { name } of this.said.get(version) ?? []) this.values.get(name).pop();
    }

    goTo(version) {
      const { versions } = this;
      while (versions.at(-1) > version) this.leave(versions.pop());
      if (versions.at(-1) === version) return;
      while (versions.length > 0) this.leave(versions.pop());
      for (let each = version; each > 0; each = this.before[each]) versions.push(each);
      versions.push(0);
      versions.reverse();
      for (const each of versions) for (const saying of this.said.get(each) ?? []) this.say(saying);
    }
  }

  Object.assign(own, { Line });
})((globalThis.PlyscribeVerifier ??= {}));
