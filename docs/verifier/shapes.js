// The members of each kind of event, in bodies and in observations, as docs/log-format.md has them.
(function (own) {
  "use strict";

  const { need, isClock, isSchedule, isHex, isObject, isUuid, hasOnly, unbase64url } = own;

  const isInt = (value) => Number.isSafeInteger(value);
  const isCount = (value) => isInt(value) && value >= 0;
  const isVersion = (value) => isInt(value) && value >= 1;
  const isText = (value) => typeof value === "string";
  const isFlag = (value) => typeof value === "boolean";
  const isDigest = (value) => isHex(value, 32);
  const isPlace = (value, seats) => isCount(value) && value < seats;
  const isKey = (value) => unbase64url(value)?.length === 32;
  const orNull = (test) => (value, seats) => value === null || test(value, seats);
  const oneOf =
    (...words) =>
    (value) =>
      words.includes(value);
  const listOf = (test) => (value, seats) =>
    Array.isArray(value) && value.every((each) => test(each, seats));
  const bySeat = (test) => (value, seats) =>
    Array.isArray(value) && value.length === seats && value.every(test);

  const SIGNED = { version: isVersion, head: isDigest, signature: isText };
  const isSigned = (third) => (value, seats) =>
    isObject(value) && fits({ ...SIGNED, [third]: isDigest }, value, seats);

  const OUTCOME = {
    terminal: oneOf(
      ...["normal", "resigned", "forfeited", "timed_out", "abandoned", "closed", "agreed", "no_show"],
    ),
    ranks: bySeat(isVersion),
    scores: orNull(bySeat(isInt)),
    note: isText,
  };
  const RULINGS = {
    note: {},
    rewind: { to: isVersion, boundary: orNull(isText) },
    redraw: { label: isText, to: isVersion },
    adjust_clock: { seat: orNull(isPlace), ms: isInt },
    replace_seat: { seat: isPlace, holder: isText },
    force_move: { seat: isPlace, decision: isText },
    forfeit: { seat: isPlace },
    set_result: { ranks: bySeat(isVersion), scores: orNull(bySeat(isInt)) },
    void: {},
    replay: { match_id: isUuid },
  };

  function isRuling(value, seats) {
    if (!isMove(value) || !Object.hasOwn(RULINGS, value.type)) return false;
    return fits({ type: isText, ...RULINGS[value.type] }, value, seats);
  }

  const isMove = (value) => isObject(value) && isText(value.type);

  // Of each field its test; of those that can be left out the value they then have.
  const KINDS = {
    match_created: {
      format: (value) => value === 1,
      match_id: isUuid,
      game: isText,
      rules_version: isVersion,
      options: isObject,
      seats: (value) => isVersion(value) && value < 32768,
      data_digest: (value) => value === "" || isDigest(value),
      seed_commitment: isDigest,
      algorithm: oneOf("draw/1"),
      start: oneOf("auto", "manual"),
      reveal: oneOf("at_end", "after_window"),
      reveal_by: orNull(isInt),
      deal_group: orNull(isUuid),
      steerable: orNull(oneOf("operator")),
      window: isCount,
      closes_at: isInt,
      closing: oneOf("cancel", "forfeit", "fallback"),
      clock: isClock,
      schedule: isSchedule,
      agreed_draw: (value) => value === true,
      test: (value) => value === true,
    },
    seat_claimed: { seat: isPlace, holder: isText, key: isKey },
    seat_released: { seat: isPlace },
    entropy_committed: { seat: isPlace, commitment: orNull(isDigest) },
    entropy_closed: {},
    entropy_opened: { seat: isPlace, opening: isDigest },
    match_started: {},
    chance_drawn: {
      label: isText,
      redraw: isVersion,
      options: (value) => isVersion(value) && value <= 65536,
      offer: isDigest,
      picks: listOf(isCount),
    },
    move_played: {
      seat: isPlace,
      decision: orNull(isText),
      move: isMove,
      by: oneOf("fallback", "arbiter"),
      sealed: isDigest,
      signed: isSigned("nonce"),
      arrived: isInt,
    },
    seat_resigned: { seat: isPlace, signed: isSigned("nonce") },
    match_ended: { outcome: (value, seats) => isObject(value) && fits(OUTCOME, value, seats) },
    match_cancelled: {},
    match_closed: { early: (value) => value === true },
    match_revealed: { seed: isDigest },
    seat_token_issued: { seat: isPlace },
    seat_tokens_revoked: { seat: isPlace },
    takeback_asked: { seat: isPlace, move: isVersion },
    takeback_answered: { seat: isPlace, takeback: isVersion, consents: isFlag },
    match_rewound: { to: isVersion, cause: isVersion },
    dispute_opened: {
      seat: orNull(isPlace),
      arbiter: orNull(isText),
      about: isVersion,
      claim: isDigest,
    },
    review_started: { dispute: isVersion, arbiter: isText, pause: isFlag },
    dispute_ruled: { dispute: isVersion, arbiter: isText, ruling: isRuling, reason: isDigest },
    dispute_appealed: { dispute: isVersion, seat: isPlace, reason: isDigest },
    dispute_closed: { dispute: isVersion, seat: orNull(isPlace), arbiter: orNull(isText) },
    flag_fell: { seat: isPlace, decision: isText, fell: isInt },
    match_paused: { arbiter: isText },
    match_resumed: { arbiter: isText },
    time_added: { seat: orNull(isPlace), arbiter: isText, ms: isInt },
    seating_opened: {},
    presence_checked: { seen: bySeat((value) => value === null || isInt(value)) },
    draw_offered: { seat: isPlace },
    draw_answered: { seat: isPlace, offer: isVersion, accepts: isFlag },
    stand_in_seated: { seat: isPlace, holder: isText },
    time_credited: { since: isInt, until: isInt },
    erased: {
      of: isVersion,
      field: (value) => isText(value) && /^[a-z][a-z0-9_]{0,63}$/.test(value),
      seat: isPlace,
      holder: isText,
      hidden: (value) => value === true,
    },
    look_taken: { arbiter: isText, seat: orNull(isPlace), through: isVersion },
  };
  const LEFT_OUT = {
    match_created: {
      ...{ window: null, closes_at: null, closing: null, clock: null, schedule: null },
      ...{ agreed_draw: false, test: false },
    },
    seat_claimed: { key: null },
    chance_drawn: { redraw: 0 },
    move_played: { by: "seat", sealed: null, signed: null, arrived: null },
    seat_resigned: { signed: null },
    match_closed: { early: false },
    erased: { of: null, field: null, seat: null, holder: null, hidden: false },
  };
  const HEAD = { version: isVersion, kind: isText, at: isCount };
  const OPENING = { seat: isPlace, move: isMove };
  const SHOWN_MOVE = {
    seat: isPlace,
    by: oneOf("seat", "fallback", "arbiter"),
    decision: isText,
    move: isMove,
    sealed: isDigest,
    signed: isSigned("committed"),
    reveals: isOpenings,
    arrived: isInt,
  };
  const SHOWN_DRAW = { label: isText, redraw: isCount, move: isMove, reveals: isOpenings };

  function isOpenings(value, seats) {
    const committed = { ...OPENING, decision: isText, salt: isDigest };
    const holds = (each) =>
      isObject(each) && (fits(OPENING, each, seats) || fits(committed, each, seats));
    return Array.isArray(value) && value.length > 0 && value.every(holds);
  }

  /** Whether an object has the members of a shape, none but those that can be left out missing. */
  function fits(shape, value, seats, optional = []) {
    return (
      Object.keys(value).every(
        (name) => Object.hasOwn(shape, name) && shape[name](value[name], seats),
      ) && Object.keys(shape).every((name) => Object.hasOwn(value, name) || optional.includes(name))
    );
  }

  function headed(value, version, seats, others) {
    need(isObject(value), "body", "is no object");
    need(value.version === version, "version", `is not numbered ${version}`);
    need(value.kind !== "position_set", "position", "sets a position, which is for tests");
    need(
      isText(value.kind) && Object.hasOwn(KINDS, value.kind),
      "kind",
      "is of a kind that does not exist",
    );
    const { asks = [], ...rest } = value;
    need(
      isAscending(asks, seats) && (asks.length > 0 || !("asks" in value)),
      "body",
      "asks nobody there is",
    );
    const found = Object.fromEntries(Object.keys(HEAD).map((name) => [name, rest[name]]));
    need(fits(HEAD, found), "body", "lacks what every event has");
    const fields = Object.fromEntries(
      Object.entries(rest).filter(([name]) => !others.includes(name)),
    );
    return { event: { ...found, asks }, fields };
  }

  function isAscending(asks, seats) {
    return (
      Array.isArray(asks) &&
      asks.every((seat, place) => isPlace(seat, seats) && !(asks[place - 1] >= seat))
    );
  }

  function checkFields(kind, fields, seats) {
    const omitted = Object.keys(LEFT_OUT[kind] ?? {});
    need(fits(KINDS[kind], fields, seats, omitted), "body", `has members a ${kind} can't have`);
    return { ...(LEFT_OUT[kind] ?? {}), ...fields };
  }

  /** Whether an event is of a newer release: its kind or its schema is not known here yet. */
  function isNewer(value) {
    if (!isObject(value) || !isText(value.kind) || value.kind === "position_set") return false;
    return !Object.hasOwn(KINDS, value.kind) || (isVersion(value.schema) && value.schema > 1);
  }

  /** An event of a body: what every event has, and its own fields with all defaults. Throws Wrong. */
  function ofBody(value, version, seats) {
    const { event, fields } = headed(value, version, seats, [
      "version",
      "kind",
      "at",
      "asks",
      "schema",
    ]);
    need(value.schema === 1, "schema", "has a schema that does not exist");
    return { ...event, ...checkFields(event.kind, fields, seats), reveals: [] };
  }

  /** An event of an observation, as far as it shows one. Throws Wrong. */
  function ofObservation(value, version, seats) {
    const { event, fields } = headed(value, version, seats, ["version", "kind", "at", "asks"]);
    const { kind } = event;
    if (kind === "chance_drawn") {
      need(fits(SHOWN_DRAW, fields, seats, ["move", "reveals"]), "body", "shows what no draw has");
      return { ...event, reveals: [], move: null, ...fields };
    }
    if (kind === "move_played") {
      const omitted = ["decision", "move", "sealed", "signed", "reveals", "arrived"];
      need(fits(SHOWN_MOVE, fields, seats, omitted), "body", "shows what no move has");
      return {
        ...event,
        decision: null,
        move: null,
        sealed: null,
        signed: null,
        arrived: null,
        reveals: [],
        ...fields,
      };
    }
    return { ...event, ...ofData(kind, fields, seats), reveals: [] };
  }

  const omits = (kind, name) => Object.hasOwn(LEFT_OUT[kind] ?? {}, name);

  function ofData(kind, fields, seats) {
    const { seat = null, data = Object.create(null), ...rest } = fields;
    const sound = Object.keys(rest).length === 0 && isObject(data) && !("seat" in data);
    need(
      sound && (!("data" in fields) || Object.keys(data).length > 0),
      "body",
      "has other members",
    );
    need(seat !== null || !("seat" in fields), "body", "has an empty seat");
    const shape = KINDS[kind];
    const told =
      ("seat" in shape && !omits(kind, "seat")) || seat !== null ? { ...data, seat } : { ...data };
    const omitted = Object.keys(LEFT_OUT[kind] ?? {});
    need(fits(shape, told, seats, omitted), "body", `has members a ${kind} can't have`);
    return { ...(LEFT_OUT[kind] ?? {}), ...told };
  }

  /** The observation everybody has of an event that hides nothing, of its body; null of others. */
  function observationOf(body) {
    if (["chance_drawn", "move_played"].includes(body.kind)) return null;
    if (body.kind === "erased" && body.hidden) {
      return observationOf({ kind: "erased", version: body.version, at: body.at });
    }
    const { version, kind, at, asks, seat = null, schema, ...data } = body;
    const made = { version, kind, at };
    if (asks !== undefined) made.asks = asks;
    if (seat !== null) made.seat = seat;
    if (Object.keys(data).length > 0) made.data = data;
    return made;
  }

  Object.assign(own, { isNewer, ofBody, ofObservation, observationOf, hasOnly });
})((globalThis.PlyscribeVerifier ??= {}));
