// The schedule that event 1 may pin: what it can be, and what becomes of seats that do not come.
(function (own) {
  "use strict";

  const { isObject, hasOnly } = own;
  const NAMES = ["join_by", "no_show", "opens_at", "starts_at"];
  const POLICIES = ["forfeit", "void", "wait", "stand_in"];

  const isTime = (value) => value === null || (Number.isSafeInteger(value) && value >= 0);

  /** Whether it can be the schedule of some match. */
  function isSchedule(value) {
    if (!isObject(value) || !hasOnly(value, NAMES)) return false;
    const { opens_at, starts_at, join_by, no_show } = value;
    return (
      [opens_at, starts_at, join_by].every(isTime) &&
      [opens_at, starts_at, join_by].some((each) => each !== null) &&
      (join_by === null) === (no_show === null) &&
      (no_show === null || POLICIES.includes(no_show)) &&
      (starts_at === null || starts_at >= (opens_at ?? 0)) &&
      (join_by === null || join_by > (opens_at ?? -1))
    );
  }

  /** Whether it can be that of a match with this event 1. */
  function fitsMatch({ schedule, closes_at, deal_group, steerable }) {
    if (schedule === null) return true;
    const { opens_at, starts_at, join_by, no_show } = schedule;
    const isInTime = (moment) => moment === null || closes_at === null || moment < closes_at;
    return (
      deal_group === null &&
      [opens_at, starts_at, join_by].every(isInTime) &&
      (steerable !== null || no_show === null || ["void", "wait"].includes(no_show))
    );
  }

  Object.assign(own, { isSchedule, fitsMatch });
})((globalThis.PlyscribeVerifier ??= {}));
