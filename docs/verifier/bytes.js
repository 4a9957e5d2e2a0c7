// Bytes, their spellings in text, and what is thrown where something does not hold.
//
// All files but verify.mjs are classic scripts that add to one object, so that the page works from
// file:// (where modules may not be imported) and Node loads the very same files.
(function (own) {
  "use strict";

  /** Something is wrong. `code` is one word, `place` "event 7", a member, or null: not known here. */
  class Wrong extends Error {
    constructor(code, reason, place = null) {
      super(reason);
      this.name = "Wrong";
      this.code = code;
      this.place = place;
    }
  }

  /** Runs `action`; what is thrown in there without a place is at this one. */
  async function at(place, action) {
    try {
      return await action();
    } catch (error) {
      if (error instanceof Wrong && error.place === null) error.place = place;
      throw error;
    }
  }

  function need(holds, code, reason, place = null) {
    if (!holds) throw new Wrong(code, reason, place);
  }

  /** Values by their key, each in their order. */
  function grouped(values, keyOf) {
    const found = new Map();
    for (const each of values) {
      const key = keyOf(each);
      if (found.has(key)) found.get(key).push(each);
      else found.set(key, [each]);
    }
    return found;
  }

  /** Numbers, the least first; a step takes the logarithm of how many there are. */
  class Queue {
    constructor() {
      this.heap = [];
    }

    push(value) {
      const { heap } = this;
      let place = heap.push(value) - 1;
      for (let up = (place - 1) >> 1; place > 0 && heap[up] > value; up = (place - 1) >> 1) {
        heap[place] = heap[up];
        place = up;
      }
      heap[place] = value;
    }

    /** Undefined if there is none. */
    pop() {
      const { heap } = this;
      const least = heap[0],
        last = heap.pop();
      if (heap.length === 0) return least;
      let place = 0;
      for (;;) {
        let down = 2 * place + 1;
        if (down + 1 < heap.length && heap[down + 1] < heap[down]) down += 1;
        if (down >= heap.length || heap[down] >= last) break;
        heap[place] = heap[down];
        place = down;
      }
      heap[place] = last;
      return least;
    }
  }

  const encoder = new TextEncoder();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  const utf8 = (text) => encoder.encode(text);

  /** The text of bytes that are UTF-8. Throws Wrong where they are not. */
  function text(bytes) {
    try {
      return decoder.decode(bytes);
    } catch {
      throw new Wrong("json", "is not UTF-8");
    }
  }

  function joined(...parts) {
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let place = 0;
    for (const part of parts) {
      whole.set(part, place);
      place += part.length;
    }
    return whole;
  }

  function equal(one, other) {
    return one.length === other.length && one.every((byte, place) => byte === other[place]);
  }

  function big(value, size) {
    const bytes = new Uint8Array(size);
    let rest = BigInt(value);
    for (let place = size - 1; place >= 0; place -= 1) {
      bytes[place] = Number(rest & 255n);
      rest >>= 8n;
    }
    return bytes;
  }

  const u16 = (value) => big(value, 2);
  const u32 = (value) => big(value, 4);
  const u64 = (value) => big(value, 8);

  const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
  const hex = (bytes) => Array.from(bytes, (byte) => HEX[byte]).join("");

  const isHex = (value, size = 32) =>
    typeof value === "string" && value.length === 2 * size && /^[0-9a-f]*$/.test(value);

  /** Bytes of lower-case hex that `isHex` said yes to. */
  function unhex(value) {
    const bytes = new Uint8Array(value.length / 2);
    for (let place = 0; place < bytes.length; place += 1) {
      bytes[place] = parseInt(value.slice(2 * place, 2 * place + 2), 16);
    }
    return bytes;
  }

  const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
  const isUuid = (value) => typeof value === "string" && UUID.test(value);
  const uuid = (value) => unhex(value.replaceAll("-", ""));

  function binary(bytes) {
    let whole = "";
    for (let place = 0; place < bytes.length; place += 4096) {
      whole += String.fromCharCode(...bytes.subarray(place, place + 4096));
    }
    return whole;
  }

  const base64 = (bytes) => btoa(binary(bytes));
  const base64url = (bytes) =>
    base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

  /** Bytes of base64 with padding, or null where it is not spelled in the one way there is. */
  function unbase64(value) {
    if (typeof value !== "string" || !/^[A-Za-z0-9+/]*={0,2}$/.test(value)) return null;
    try {
      const bytes = Uint8Array.from(atob(value), (char) => char.charCodeAt(0));
      return base64(bytes) === value ? bytes : null;
    } catch {
      return null;
    }
  }

  /** Bytes of base64url without padding, or null. */
  function unbase64url(value) {
    if (typeof value !== "string" || !/^[A-Za-z0-9_-]*$/.test(value)) return null;
    const padded = value + "===".slice((value.length + 3) % 4);
    return unbase64(padded.replaceAll("-", "+").replaceAll("_", "/"));
  }

  /** Each part behind its length; a number is its 8 bytes, a text its UTF-8. */
  function prefixed(...parts) {
    return joined(
      ...parts.flatMap((part) => {
        const bytes =
          typeof part === "number" ? u64(part) : typeof part === "string" ? utf8(part) : part;
        return [u32(bytes.length), bytes];
      }),
    );
  }

  Object.assign(own, {
    Wrong,
    at,
    need,
    grouped,
    Queue,
    utf8,
    text,
    joined,
    equal,
    u16,
    u32,
    u64,
    hex,
    isHex,
    unhex,
    isUuid,
    uuid,
    base64,
    base64url,
    unbase64,
    unbase64url,
    prefixed,
  });
})((globalThis.PlyscribeVerifier ??= {}));
