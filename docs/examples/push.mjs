// Pushes the body of a bulk request: node push.mjs stories|chapters body.json
// RENSAI_URL, RENSAI_KEY_ID and RENSAI_SECRET say where to and as whom. No packages; Node 18.
import { createHash, createHmac, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const [kind, file] = process.argv.slice(2);
const { RENSAI_URL, RENSAI_KEY_ID, RENSAI_SECRET } = process.env;
const path = `/wp-json/novel/v1/ingest/${kind}/bulk`;
const body = readFileSync(file);
const sha256 = (data) => createHash("sha256").update(data).digest("hex");
const digest = sha256(body);
const names = { // the same for every attempt, so that one which did arrive counts once
  "Content-Type": "application/json",
  "X-Novel-Request-Id": randomUUID(),
  "Idempotency-Key": sha256(`${path} ${digest}`),
};
for (let attempt = 0; attempt < 8; attempt++) {
  const timestamp = String(Math.floor(Date.now() / 1000)), nonce = randomUUID(); // new each time
  const base = `POST.${path}.${timestamp}.${nonce}.${digest}`;
  const signed = {
    "X-Novel-Key-Id": RENSAI_KEY_ID,
    "X-Novel-Timestamp": timestamp,
    "X-Novel-Nonce": nonce,
    "X-Novel-Signature": createHmac("sha256", RENSAI_SECRET).update(base).digest("hex"),
  };
  let wait = Math.min(60, 2 ** attempt);
  try {
    const answer = await fetch(RENSAI_URL + path, { method: "POST", body, headers: { ...names, ...signed } });
    const said = await answer.text();
    if (answer.ok) { console.log(said); process.exit(0); }
    if (![408, 429, 500, 502, 503, 504].includes(answer.status)) { console.error(answer.status, said); process.exit(1); }
    wait = Math.max(wait, Number(answer.headers.get("retry-after")) || 0);
  } catch (problem) {
    console.error(String(problem.cause ?? problem));
  }
  await sleep(wait * 1000 * (1 + Math.random() / 2));
}
console.error("given up; keep the body and push it again later");
process.exit(1);
