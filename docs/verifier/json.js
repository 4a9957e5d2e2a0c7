// JSON from strangers: no member twice, no depth without end, and the canonical form.
(function (own) {
  "use strict";

  const { Wrong, need, text, utf8 } = own;
  const DEEPEST = 64;
  const BLANK = /[ \t\n\r]*/y;
  const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
  const PLAIN = /[^"\\\u0000-\u001f]*/y;
  const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
  const WORDS = [
    ["true", true],
    ["false", false],
    ["null", null],
  ];

  class Reader {
    constructor(source) {
      this.source = source;
      this.place = 0;
    }

    fail(reason) {
      throw new Wrong("json", `${reason} at character ${this.place}`);
    }

    match(pattern) {
      pattern.lastIndex = this.place;
      const found = pattern.exec(this.source);
      if (found !== null) this.place = pattern.lastIndex;
      return found === null ? null : found[0];
    }

    next(char) {
      this.match(BLANK);
      if (this.source[this.place] !== char) return false;
      this.place += 1;
      return true;
    }

    value(depth) {
      if (depth > DEEPEST) this.fail(`is nested more than ${DEEPEST} deep`);
      this.match(BLANK);
      const char = this.source[this.place];
      if (char === "{") return this.object(depth);
      if (char === "[") return this.list(depth);
      if (char === '"') return this.string();
      for (const [word, meaning] of WORDS) {
        if (this.source.startsWith(word, this.place)) {
          this.place += word.length;
          return meaning;
        }
      }
      const number = this.match(NUMBER);
      if (number === null) this.fail("is no JSON");
      // Nothing that is signed has a fraction: 1.0 must not pass for 1.
      return /^-?[0-9]+$/.test(number) || !Number.isInteger(Number(number)) ? Number(number) : NaN;
    }

    string() {
      const start = this.place;
      this.place += 1;
      // One expression for all of it would need a stack as long as the text.
      do this.match(PLAIN);
      while (this.match(ESCAPE) !== null);
      if (this.source[this.place] !== '"') this.fail("has a text without an end");
      this.place += 1;
      return JSON.parse(this.source.slice(start, this.place));
    }

    list(depth) {
      const items = [];
      this.next("[");
      if (this.next("]")) return items;
      do items.push(this.value(depth + 1));
      while (this.next(","));
      if (!this.next("]")) this.fail("has a list without an end");
      return items;
    }

    object(depth) {
      const members = Object.create(null);
      this.next("{");
      if (this.next("}")) return members;
      do {
        this.match(BLANK);
        if (this.source[this.place] !== '"') this.fail("has a member without a name");
        const name = this.string();
        if (name in members) this.fail("names a member twice");
        if (!this.next(":")) this.fail("has a member without a value");
        members[name] = this.value(depth + 1);
      } while (this.next(","));
      if (!this.next("}")) this.fail("has an object without an end");
      return members;
    }
  }

  /** The value of one JSON text; objects have no prototype. Throws Wrong. */
  function parse(source) {
    const reader = new Reader(source);
    const value = reader.value(0);
    reader.match(BLANK);
    if (reader.place !== source.length) reader.fail("goes on behind its end");
    return value;
  }

  const SHORT = { 8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\" };
  const ESCAPED = /[\u0000-\u001f"\\]/g;
  const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

  function quoted(value) {
    need(!LONE.test(value), "json", "has half a character");
    const escape = (char) => {
      const code = char.charCodeAt(0);
      return SHORT[code] ?? "\\u" + code.toString(16).padStart(4, "0");
    };
    return `"${value.replace(ESCAPED, escape)}"`;
  }

  /** The canonical text of a value. Throws Wrong where it has none. */
  function canonicalText(value) {
    if (value === null || typeof value === "boolean") return String(value);
    if (typeof value === "string") return quoted(value);
    if (typeof value === "number") {
      need(Number.isSafeInteger(value), "json", "has a number that is no integer within 2^53 - 1");
      return String(value);
    }
    if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
    const names = Object.keys(value).sort();
    // eslint-disable-next-line no-control-regex
    need(
      names.every((name) => /^[\x00-\x7f]*$/.test(name)),
      "json",
      "has a name that is not ASCII",
    );
    return `{${names.map((name) => `${quoted(name)}:${canonicalText(value[name])}`).join(",")}}`;
  }

  const canonical = (value) => utf8(canonicalText(value));

  /** The value of canonical bytes. Throws Wrong where they are another spelling of it, or none. */
  function parseCanonical(bytes) {
    const source = text(bytes);
    const value = parse(source);
    need(canonicalText(value) === source, "json", "is not in its canonical form");
    return value;
  }

  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

  /** Whether an object has exactly these members. */
  function hasOnly(value, names) {
    if (!isObject(value)) return false;
    const found = Object.keys(value);
    return found.length === names.length && names.every((name) => Object.hasOwn(value, name));
  }

  Object.assign(own, { parse, canonical, canonicalText, parseCanonical, isObject, hasOnly });
})((globalThis.PlyscribeVerifier ??= {}));
