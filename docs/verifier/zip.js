// The one form of zip a bundle may have: stored members, one behind the other, nothing else.
(function (own) {
  "use strict";

  const { Wrong, need, utf8, joined, equal } = own;

  /** The members there may be, in their order. */
  const ORDER = [
    "manifest.json",
    "events.ndjson",
    "salts.bin",
    "facets.bin",
    "heads.bin",
    "texts.ndjson",
    "refusals.ndjson",
    "options.json",
    "tables.bin",
    "seed.bin",
    "keys.json",
    "statements.ndjson",
    "proof.tlog-proof",
  ];
  const ALWAYS = [
    "manifest.json",
    "events.ndjson",
    "salts.bin",
    "facets.bin",
    "heads.bin",
    "options.json",
  ];
  const LOCAL = 0x04034b50,
    CENTRAL = 0x02014b50,
    END = 0x06054b50;
  const LOCAL_SIZE = 30,
    DATE = 0x21,
    NEEDED = 20,
    MADE_BY = 0x0314;
  const MODE = 0o100644 * 65536;

  const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1)
      value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value;
  });

  function crc32(bytes) {
    let value = 0xffffffff;
    for (const byte of bytes) value = TABLE[(value ^ byte) & 255] ^ (value >>> 8);
    return (value ^ 0xffffffff) >>> 0;
  }

  /** Little-endian fields: [value, size in bytes] each. */
  function little(...fields) {
    const bytes = [];
    for (const [value, size] of fields) {
      for (let place = 0; place < size; place += 1)
        bytes.push(Math.floor(value / 256 ** place) & 255);
    }
    return Uint8Array.from(bytes);
  }

  function common(member) {
    const { crc, size, name } = member;
    return [
      [NEEDED, 2],
      [0, 2],
      [0, 2],
      [0, 2],
      [DATE, 2],
      [crc, 4],
      [size, 4],
      [size, 4],
      [name.length, 2],
      [0, 2],
    ];
  }

  const localHeader = (member) => joined(little([LOCAL, 4], ...common(member)), utf8(member.name));

  const centralHeader = (member) =>
    joined(
      little(
        [CENTRAL, 4],
        [MADE_BY, 2],
        ...common(member),
        [0, 2],
        [0, 2],
        [0, 2],
        [MODE, 4],
        [member.place, 4],
      ),
      utf8(member.name),
    );

  function ending(count, size, place) {
    return little([END, 4], [0, 2], [0, 2], [count, 2], [count, 2], [size, 4], [place, 4], [0, 2]);
  }

  const NO_HEADER = "is damaged, or of another form than bundles have";

  /** The member whose header stands at a byte, or Wrong. */
  function memberAt(data, place) {
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    need(place + LOCAL_SIZE <= data.length, "zip", "ends within a header", "zip");
    const field = (offset, size) =>
      (size === 2 ? view.getUint16 : view.getUint32).call(view, place + offset, true);
    const length = field(26, 2);
    const name = String.fromCharCode(
      ...data.subarray(place + 30, place + 30 + Math.min(length, 64)),
    );
    need(
      ORDER.includes(name) && length === name.length,
      "zip",
      "has a member that no bundle has",
      "zip",
    );
    const size = field(22, 4),
      start = place + LOCAL_SIZE + length;
    const isPlain =
      field(6, 2) === 0 && field(8, 2) === 0 && field(28, 2) === 0 && field(18, 4) === size;
    need(isPlain, "zip", `${name} is compressed, encrypted or has more to it`, "zip");
    need(start + size <= data.length, "zip", `ends within ${name}`, "zip");
    const content = data.subarray(start, start + size);
    return { name, place, start, size, content, said: field(14, 4), crc: crc32(content) };
  }

  /** Where a file is not the one zip of its members: Wrong, or null. */
  function damageOf(data, found) {
    let place = 0;
    const holds = (bytes) => {
      const start = place;
      place += bytes.length;
      return equal(data.subarray(start, place), bytes);
    };
    for (const member of found) {
      if (member.said !== member.crc)
        return new Wrong("member", "has another checksum", member.name);
      if (!holds(localHeader(member))) return new Wrong("zip", NO_HEADER, "zip");
      place += member.size;
    }
    const start = place;
    const listed = found.every((member) => holds(centralHeader(member)));
    const sound =
      listed && holds(ending(found.length, place - start, start)) && place === data.length;
    return sound ? null : new Wrong("zip", NO_HEADER, "zip");
  }

  /**
   * The members of a bundle by name, and what is wrong with the file around them: Wrong, or null.
   * Throws Wrong where they can't be told apart.
   */
  function unzipped(data) {
    const found = [];
    let place = 0;
    while (
      place + 4 <= data.length &&
      [0x50, 0x4b, 3, 4].every((byte, n) => data[place + n] === byte)
    ) {
      const member = memberAt(data, place);
      const before = found.length ? ORDER.indexOf(found[found.length - 1].name) : -1;
      need(
        ORDER.indexOf(member.name) > before,
        "zip",
        `has ${member.name} out of its order`,
        "zip",
      );
      found.push(member);
      place = member.start + member.size;
    }
    need(found.length > 0, "zip", "is no bundle", "zip");
    const members = new Map(found.map((member) => [member.name, member.content]));
    need(members.has("manifest.json"), "member", "is missing", "manifest.json");
    return { members, damage: damageOf(data, found) };
  }

  /** Throws Wrong where a member is missing that has to be there, or is empty that has not. */
  function needMembers(members) {
    for (const name of ALWAYS) need(members.has(name), "member", "is missing", name);
    for (const [name, content] of members) {
      need(content.length > 0 || ALWAYS.includes(name), "member", "is empty", name);
    }
  }

  Object.assign(own, { ORDER, unzipped, needMembers });
})((globalThis.PlyscribeVerifier ??= {}));
