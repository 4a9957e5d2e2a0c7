// The one form of zip a bundle may have: stored members, one behind the other, nothing else.
(function (own) {
  "use strict";

  const { Wrong, need, utf8, joined, equal } = own;

  /** The members there may be, in their order. */
  const ORDER = [
    "manifest.json", "events.ndjson", "salts.bin", "facets.bin", "heads.bin", "texts.ndjson",
    "options.json", "tables.bin", "seed.bin", "keys.json", "proof.tlog-proof",
  ];
  const ALWAYS = ["manifest.json", "events.ndjson", "salts.bin", "facets.bin", "heads.bin", "options.json"];
  const LOCAL = 0x04034b50, CENTRAL = 0x02014b50, END = 0x06054b50;
  const LOCAL_SIZE = 30, DATE = 0x21, NEEDED = 20, MADE_BY = 0x0314;
  const MODE = 0o100644 * 65536;

  const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
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
      for (let place = 0; place < size; place += 1) bytes.push(Math.floor(value / 256 ** place) & 255);
    }
    return Uint8Array.from(bytes);
  }

  function common(member) {
    const { crc, size, name } = member;
    return [[NEEDED, 2], [0, 2], [0, 2], [0, 2], [DATE, 2], [crc, 4], [size, 4], [size, 4],
      [name.length, 2], [0, 2]];
  }

  const localHeader = (member) => joined(little([LOCAL, 4], ...common(member)), utf8(member.name));

  const centralHeader = (member) =>
    joined(
      little([CENTRAL, 4], [MADE_BY, 2], ...common(member), [0, 2], [0, 2], [0, 2], [MODE, 4],
        [member.place, 4]),
      utf8(member.name),
    );

  function ending(count, size, place) {
    return little([END, 4], [0, 2], [0, 2], [count, 2], [count, 2], [size, 4], [place, 4], [0, 2]);
  }

  function expect(data, place, bytes, what) {
    need(equal(data.subarray(place, place + bytes.length), bytes), "zip", what, "zip");
    return place + bytes.length;
  }

  function memberAt(data, place) {
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    need(place + LOCAL_SIZE <= data.length, "zip", "ends within a header", "zip");
    const length = view.getUint16(place + 26, true);
    const name = String.fromCharCode(...data.subarray(place + 30, place + 30 + Math.min(length, 64)));
    need(ORDER.includes(name), "zip", "has a member that no bundle has", "zip");
    const size = view.getUint32(place + 22, true);
    const member = { name, place, size, crc: view.getUint32(place + 14, true) };
    const start = expect(data, place, localHeader(member), `has another header at ${name}`);
    need(start + size <= data.length, "zip", `ends within ${name}`, "zip");
    member.content = data.subarray(start, start + size);
    return member;
  }

  /**
   * The members of a bundle by name, and of which the checksum does not fit.
   * Throws Wrong for every other form than the one there is.
   */
  function unzipped(data) {
    const found = [];
    let place = 0;
    need(data.length > 22 && data[0] === 0x50 && data[1] === 0x4b, "zip", "is no bundle", "zip");
    while (place + 4 <= data.length && data[place + 2] === 3 && data[place + 3] === 4) {
      const member = memberAt(data, place);
      const before = found.length ? ORDER.indexOf(found[found.length - 1].name) : -1;
      need(ORDER.indexOf(member.name) > before, "zip", `has ${member.name} out of its order`, "zip");
      found.push(member);
      place += LOCAL_SIZE + member.name.length + member.size;
    }
    const start = place;
    for (const member of found) {
      place = expect(data, place, centralHeader(member), `lists ${member.name} otherwise`);
    }
    place = expect(data, place, ending(found.length, place - start, start), "has another end");
    need(place === data.length, "zip", "goes on behind its end", "zip");
    for (const name of ALWAYS) {
      if (!found.some((member) => member.name === name)) throw new Wrong("member", "is missing", name);
    }
    for (const { name, size } of found) {
      need(size > 0 || ALWAYS.includes(name), "member", "is empty", name);
    }
    return {
      members: new Map(found.map((member) => [member.name, member.content])),
      damaged: found.filter((member) => crc32(member.content) !== member.crc).map((m) => m.name),
    };
  }

  Object.assign(own, { ORDER, unzipped });
})((globalThis.PlyscribeVerifier ??= {}));
