// Plays and follows a whole match with the client graphql-ws.
// Arguments: the address, the id of the match's node, the token of each seat.
// Prints as JSON the events that the holder of seat 1 saw, over connections that break off.
import { createClient } from "graphql-ws";
import WebSocket from "ws";

const [url, id, ...tokens] = process.argv.slice(2);
const match = { id };
// Another seat was quicker where the first answer is taken.
const late = ["DECISION_CLOSED", "OFFER_GONE", "MATCH_NOT_RUNNING"];

function client(token) {
  return createClient({
    url,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
    retryAttempts: 0,
  });
}

function pick(field) {
  if (field.text) return "hello";
  if (field.low !== undefined) return field.low;
  return field.list ? field.options.slice(0, field.least) : field.options[0];
}

async function play(token) {
  const own = client(token);
  const asked = own.iterate({ query: "subscription { decisions { decision { id offersJson } } }" });
  for await (const { data } of asked) {
    const { id: decision, offersJson } = data.decisions.decision;
    const { type, fields } = offersJson[0];
    const move = { type };
    for (const [name, field] of Object.entries(fields)) move[name] = pick(field);
    const query = `mutation ($match: MatchRef!, $decision: String!, $move: JSON!) {
      playMove(input: {match: $match, decision: $decision, moveJson: $move}) {
        __typename ... on Problem { code } } }`;
    for await (const told of own.iterate({ query, variables: { match, decision, move } })) {
      const { code } = told.data.playMove;
      if (code && !late.includes(code)) throw new Error(code);
    }
  }
  await own.dispose();
}

async function follow(token) {
  const seen = [];
  const query = `subscription ($match: MatchRef!, $after: Int!) {
    matchEvents(match: $match, after: $after) { ... on Event { version json } } }`;
  for (;;) {
    const own = client(token);
    const after = seen.length ? seen[seen.length - 1].version : 0;
    let left = 5;
    for await (const { data } of own.iterate({ query, variables: { match, after } })) {
      if (data.matchEvents.version) seen.push(data.matchEvents);
      left -= 1;
      if (left === 0) break;
    }
    await own.dispose();
    if (left > 0) return seen;
  }
}

const [seen] = await Promise.all([follow(tokens[1]), ...tokens.map(play)]);
console.log(JSON.stringify(seen.map((each) => each.json)));
