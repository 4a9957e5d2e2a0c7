// Clocks of a match: which time counts, and what each event leaves on them.
(function (own) {
  "use strict";

  const { hasOnly, isObject } = own;
  const MINUTE = 60_000;
  const DAY = 86_400_000;
  const MOST = 400 * DAY;

  // What event 1 may pin

  const isWithin = (value, least, most) =>
    Number.isSafeInteger(value) && value >= least && value <= most;
  const isBanked = ({ bank, delay }) =>
    isWithin(bank, 0, MOST) && isWithin(delay, 0, MOST) && bank + delay >= 1;
  const TIMES = {
    per_move: [["move"], ({ move }) => isWithin(move, 1, MOST)],
    correspondence: [["days"], ({ days }) => isWithin(days, 1, MOST / DAY)],
    fischer: [
      ["bank", "increment", "most"],
      ({ bank, increment, most }) =>
        isWithin(bank, 1, MOST) &&
        isWithin(increment, 0, MOST) &&
        (most === null || isWithin(most, 0, MOST)),
    ],
    bronstein: [["bank", "delay"], isBanked],
    delay: [["bank", "delay"], isBanked],
  };

  function isTime(value) {
    if (!isObject(value) || typeof value.type !== "string") return false;
    if (!Object.hasOwn(TIMES, value.type)) return false;
    const [names, holds] = TIMES[value.type];
    return hasOnly(value, ["type", ...names].sort()) && holds(value);
  }

  function isWindow(value) {
    if (!isObject(value) || !hasOnly(value, ["closes", "offsets", "opens", "zone"])) return false;
    const { zone, opens, closes, offsets } = value;
    const isOffset = (each, place) =>
      Array.isArray(each) &&
      each.length === 2 &&
      Number.isSafeInteger(each[0]) &&
      isWithin(each[1], 1 - DAY / 1000, DAY / 1000 - 1) &&
      (place === 0 || each[0] > offsets[place - 1][0]);
    return (
      typeof zone === "string" &&
      [opens, closes].every((each) => isWithin(each, 0, DAY / MINUTE - 1)) &&
      lengthOf(value) >= 60 * MINUTE &&
      Array.isArray(offsets) &&
      offsets.length > 0 &&
      offsets.every(isOffset)
    );
  }

  /** Whether it can be the clocks of a match, of as many seats as it has times. */
  function isClock(value) {
    const names = ["abandon_after", "flag", "times", "window"];
    if (!isObject(value) || !hasOnly(value, names)) return false;
    const { times, flag, abandon_after, window } = value;
    return (
      Array.isArray(times) &&
      times.every(isTime) &&
      ["fallback", "forfeit", "remove"].includes(flag) &&
      isWithin(abandon_after, 1, 100) &&
      (window === null || isWindow(window))
    );
  }

  // Time that counts

  /** Ms that count on a day of 24 hours. */
  function lengthOf({ opens, closes }) {
    return (((closes - opens) * MINUTE) % DAY + DAY) % DAY;
  }

  /** The first place from `start` to `end` that holds, or `end`; those behind one that does do too. */
  function firstPlace(start, end, holds) {
    let [low, high] = [start, end];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (holds(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  const placeOf = ({ offsets }, at) =>
    firstPlace(1, offsets.length, (place) => offsets[place][0] > at) - 1;

  /** Ms that count since local midnight of day 0, by a local time without changes. */
  function countBefore(window, local) {
    const since = local - window.opens * MINUTE;
    const days = Math.floor(since / DAY);
    const length = lengthOf(window);
    return days * length + Math.min(since - days * DAY, length);
  }

  /** The first local time before which so many ms count. */
  function momentOf(window, count) {
    const length = lengthOf(window);
    const days = Math.floor((count - 1) / length);
    return window.opens * MINUTE + days * DAY + (count - 1 - days * length) + 1;
  }

  /** How many ms from `start` to `end` count, of which one offset holds. */
  function countIn(window, place, start, end) {
    const ahead = window.offsets[place][1] * 1000;
    return countBefore(window, end + ahead) - countBefore(window, start + ahead);
  }

  const sums = new WeakMap(); // by window, of each place: how many ms count from the first up to it

  function sumsOf(window) {
    if (sums.has(window)) return sums.get(window);
    const made = [0];
    for (let place = 1; place < window.offsets.length; place += 1) {
      const [[start], [end]] = [window.offsets[place - 1], window.offsets[place]];
      made.push(made[place - 1] + countIn(window, place - 1, start, end));
    }
    sums.set(window, made);
    return made;
  }

  /** How many ms count from the first offset up to a moment; before it, less than none. */
  function countUpTo(window, at) {
    const place = placeOf(window, at);
    return sumsOf(window)[place] + countIn(window, place, window.offsets[place][0], at);
  }

  /** How many ms from `start` to `end` count. */
  function counted({ window }, start, end) {
    if (end <= start) return 0;
    return window === null ? end - start : countUpTo(window, end) - countUpTo(window, start);
  }

  /** The moment at which so many ms have counted since `start`. */
  function reached({ window }, start, ms) {
    if (window === null) return start + ms;
    const { offsets } = window;
    const before = sumsOf(window);
    const goal = countUpTo(window, start) + ms;
    const first = placeOf(window, start);
    const place = firstPlace(first, offsets.length - 1, (each) => before[each + 1] >= goal);
    const from = place === first ? start : offsets[place][0];
    const left = place === first ? ms : goal - before[place];
    const ahead = offsets[place][1] * 1000;
    return Math.max(from, momentOf(window, countBefore(window, from + ahead) + left) - ahead);
  }

  // The clock of a seat: `left` and `used` when it last began to run or stood, `since` when it began
  // to run, or null. It is not known where that needs the rules: they alone say when a decision that
  // was not answered closed. `ifClosed` is what it would have, had its decision closed by the one
  // move since it was asked; `moves` are how many there were.

  const NEW = { open: null, moves: 0, ifClosed: null };

  function eachOf({ times, window }, seat) {
    const time = times[seat];
    if (time.type === "per_move") return time.move;
    return time.type === "correspondence"
      ? time.days * (window === null ? DAY : lengthOf(window))
      : null;
  }

  function atFirst(clock) {
    const seats = clock.times.map((time, seat) => ({
      left: eachOf(clock, seat) ?? time.bank,
      used: 0,
      since: null,
      misses: 0,
      isKnown: true,
      ...NEW,
    }));
    return { seats, fallen: [], falling: null, falls: 0, out: [], moment: null };
  }

  const delayLeft = ({ times }, seat, used) =>
    times[seat].type === "delay" ? Math.max(0, times[seat].delay - used) : 0;

  /** When the flag of a seat falls if nothing happens before; null if it stands or is not known. */
  function deadline(clock, { seats }, seat) {
    const { since, left, used, isKnown } = seats[seat];
    if (since === null || !isKnown) return null;
    return reached(clock, since, left + delayLeft(clock, seat, used));
  }

  function stopped(clock, seat, one, moment) {
    if (one.since === null) return one;
    const used = counted(clock, one.since, moment);
    const charged = Math.max(0, used - delayLeft(clock, seat, one.used));
    const left = Math.max(0, one.left - charged);
    return { ...one, left, used: one.used + used, since: null };
  }

  function leftAfter(clock, seat, { left, used }, isAnswered) {
    const time = clock.times[seat];
    if (time.type === "fischer") {
      const gain = left + (isAnswered ? time.increment : 0);
      return time.most === null ? gain : Math.max(left, Math.min(time.most, gain));
    }
    return time.type === "bronstein" ? left + Math.min(time.delay, used) : left;
  }

  /** Ready for the next decision. */
  function closed(clock, seat, one, moment, isAnswered) {
    const stood = stopped(clock, seat, one, moment);
    const each = eachOf(clock, seat);
    const left = Math.min(MOST, each ?? leftAfter(clock, seat, stood, isAnswered));
    return { ...stood, left, used: 0, isKnown: stood.isKnown || each !== null, ...NEW };
  }

  /** Asked anew: its decision was closed without its answer, if it had one. */
  function askedAnew(clock, seat, one, hasFallen) {
    if (one.open === null) return one;
    if (hasFallen || eachOf(clock, seat) !== null) return closed(clock, seat, one, one.since, false);
    const isKnown = one.ifClosed !== null && one.isKnown;
    return { ...one, left: one.ifClosed ?? 0, used: 0, since: null, isKnown, ...NEW };
  }

  // From event to event

  const put = (seats, seat, change) =>
    seats.map((one, place) => (place === seat ? { ...one, ...change } : one));

  function adjusted({ seats }, named, ms) {
    const sum = (value) => (value === null ? null : Math.min(MOST, Math.max(0, value + ms)));
    return seats.map((one, seat) =>
      named === null || named === seat
        ? { ...one, left: sum(one.left), ifClosed: sum(one.ifClosed) }
        : one,
    );
  }

  /** Until when clocks that an event stops have run: a draw takes no time after what led to it. */
  function stopOf({ falling, moment }, { kind, at, arrived = null, by }) {
    if (arrived !== null) return arrived;
    if (kind === "move_played" && by === "fallback" && falling !== null) return falling;
    return kind === "chance_drawn" ? (moment ?? at) : at;
  }

  function answered(clock, clocks, { seat, by }) {
    const one = closed(clock, seat, clocks.seats[seat], clocks.moment, true);
    const fallen = clocks.fallen.filter((each) => each !== seat);
    if (by !== "seat") return { ...clocks, seats: put(clocks.seats, seat, one), fallen };
    return { ...clocks, seats: put(clocks.seats, seat, { ...one, misses: 0 }), fallen, falls: 0 };
  }

  function fell(clock, clocks, { seat, fell: moment }) {
    const one = stopped(clock, seat, clocks.seats[seat], moment);
    const seats = put(clocks.seats, seat, { ...one, left: 0, misses: one.misses + 1 });
    const next = { ...clocks, seats, falls: clocks.falls + 1, falling: moment };
    return clock.flag === "fallback"
      ? { ...next, fallen: [...clocks.fallen, seat] }
      : { ...next, out: [...clocks.out, [seat, moment]] };
  }

  function changed(clock, clocks, event) {
    const { kind, ruling } = event;
    if (kind === "move_played" && event.decision !== null) return answered(clock, clocks, event);
    if (kind === "flag_fell") return fell(clock, clocks, event);
    if (kind === "time_added")
      return { ...clocks, seats: adjusted(clocks, event.seat, event.ms) };
    if (kind === "dispute_ruled" && ruling.type === "adjust_clock")
      return { ...clocks, seats: adjusted(clocks, ruling.seat, ruling.ms) };
    if (kind !== "time_credited") return clocks;
    const { since, until } = event;
    const seats = clocks.seats.map((one, seat) =>
      one.since === null || one.since >= until
        ? one
        : { ...stopped(clock, seat, one, since), since: until },
    );
    return { ...clocks, seats };
  }

  /** What a step of another may mean for a seat that was asked before. */
  function passed(clock, seat, one, kind, moment) {
    if (one.open === null || kind !== "move_played") return one;
    const isFirst = one.moves === 0 && one.since !== null;
    const ifClosed = isFirst ? closed(clock, seat, one, moment, false).left : null;
    return { ...one, moves: one.moves + 1, ifClosed };
  }

  /**
   * The clocks after an event. `asked` are the open decisions after it, by seat, `plays` whether
   * anybody may play, `resigned` who is out.
   */
  function ticked(clock, before, event, { plays, asked, resigned }) {
    const moment = stopOf(before, event);
    const clocks = changed(clock, { ...before, falling: null, moment }, event);
    const asks = new Set(event.asks);
    const anew = new Set(event.asks.filter((seat) => clocks.seats[seat].open !== null));
    const [fallen, gone] = [new Set(clocks.fallen), new Set(resigned)];
    const seats = clocks.seats.map((given, seat) => {
      let one = passed(clock, seat, given, event.kind, moment);
      if (asks.has(seat)) {
        one = { ...askedAnew(clock, seat, one, fallen.has(seat)), ...NEW, open: asked.get(seat) };
      }
      const stands = fallen.has(seat) && !anew.has(seat);
      const runs = plays && asked.has(seat) && !gone.has(seat) && !stands;
      if (runs && one.since === null) return { ...one, since: event.at };
      return runs ? one : stopped(clock, seat, one, moment);
    });
    return { ...clocks, seats, fallen: clocks.fallen.filter((seat) => !anew.has(seat)) };
  }

  /** After a rewind, before anybody is asked anew; `asks` are those that then are. */
  function restored(clocks, asks) {
    const anew = new Set(asks);
    const seats = clocks.seats.map((one, seat) => {
      const isOpen = one.moves === 0 || anew.has(seat);
      return { ...one, since: null, misses: 0, isKnown: one.isKnown && isOpen, ...NEW };
    });
    return { ...clocks, seats, fallen: [], falling: null, falls: 0 };
  }

  Object.assign(own, { isClock, clockArithmetic: { atFirst, counted, deadline, ticked, restored } });
})((globalThis.PlyscribeVerifier ??= {}));
