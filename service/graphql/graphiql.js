// Starts GraphiQL on this page. What is entered as headers is kept nowhere and goes to /graphql alone:
// with each request, and with the first message of the socket of a subscription.

const parameters = new URLSearchParams(location.search);
const socketUrl = location.origin.replace(/^http/, "ws") + "/graphql";

// A user's token is tried at the match that the address of this page names, on the seat it names.
const place = Object.fromEntries(
  ["match", "seat"].filter((name) => parameters.has(name)).map((name) => [name, parameters.get(name)]),
);
const requestUrl = "/graphql?" + new URLSearchParams(place);

// A line that is not filled in is not sent: the schema is open, and an empty token is a wrong one.
function filled(headers) {
  const lines = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value).trim()]);
  return Object.fromEntries(lines.filter(([, value]) => value !== "" && value !== "Bearer"));
}

function isSubscription(document, name) {
  const operations = (document?.definitions ?? []).filter((each) => each.kind === "OperationDefinition");
  const chosen = operations.find((each) => !name || each.name?.value === name);
  return chosen?.operation === "subscription";
}

async function request(asked, headers) {
  const answer = await fetch(requestUrl, {
    method: "POST",
    headers: {
      ...headers,
      accept: "application/graphql-response+json, application/json;q=0.9",
      "content-type": "application/json",
    },
    body: JSON.stringify(asked),
  });
  return answer.json();
}

function subscription(asked, headers) {
  return {
    subscribe(sink) {
      const client = graphqlWs.createClient({
        url: socketUrl,
        retryAttempts: 0,
        connectionParams: {
          ...place,
          ...("seat" in place ? { seat: Number(place.seat) } : {}),
          authorization: headers.authorization,
        },
      });
      const stop = client.subscribe(asked, {
        next: (item) => sink.next(item),
        error: (error) => sink.error("code" in error ? new Error(`${error.code} ${error.reason}`) : error),
        complete: () => sink.complete(),
      });
      return {
        unsubscribe() {
          stop();
          client.dispose();
        },
      };
    },
  };
}

function fetcher(asked, { headers, documentAST } = {}) {
  const run = isSubscription(documentAST, asked.operationName) ? subscription : request;
  return run(asked, filled(headers));
}

ReactDOM.render(
  React.createElement(GraphiQL, {
    fetcher,
    query: parameters.get("query") ?? undefined,
    variables: parameters.get("variables") ?? undefined,
    defaultHeaders: '{\n  "Authorization": "Bearer "\n}',
    defaultEditorToolsVisibility: "headers",
    isHeadersEditorEnabled: true,
    shouldPersistHeaders: false,
    storage: null, // Its history would keep the headers of each request.
  }),
  document.getElementById("graphiql"),
);
