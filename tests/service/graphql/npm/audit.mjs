// Runs the server audit suite of graphql-http; prints one line of JSON for each audit.
import { auditServer } from "graphql-http";

const results = await auditServer({ url: process.argv[2] });
for (const { id, name, status, reason } of results) {
  console.log(JSON.stringify({ id, name, status, reason: reason ?? null }));
}
