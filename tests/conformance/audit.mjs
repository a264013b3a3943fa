// Runs the audits of graphql-http against a server; anything that is not "ok" is a failure, also what is only a "should".
import { serverAudits } from "graphql-http";

const url = process.argv[2];
const failed = [];
const audits = serverAudits({ url, fetchFn: fetch });
for (const audit of audits) {
  const result = await audit.fn();
  if (result.status !== "ok") failed.push(`${result.status} ${audit.id} ${audit.name}: ${result.reason}`);
}
for (const line of failed) console.error(line);
console.log(JSON.stringify({ tool: "graphql-http", audits: audits.length, passed: audits.length - failed.length }));
process.exit(failed.length ? 1 : 0);
