// Logs in at the tool server with nothing but its address: the official TypeScript
// client, then the suite's scenarios for authorization servers. A person without
// scripts fills in the pages.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const { MCP, MODULES, RESULTS } = process.env;
const require = createRequire(path.join(MODULES, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)));
const { Client } = await load("client/index.js");
const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js");
const { UnauthorizedError } = await load("client/auth.js");

const plain = (text) => text.replaceAll("&#43;", "+").replaceAll("&amp;", "&").replaceAll("&#34;", '"').replaceAll("&#39;", "'");

// person logs in as GardenUser and returns where the browser is sent.
async function person(address) {
  let cookie = "";
  let res = await fetch(address, { redirect: "manual" });
  for (let page = 0; page < 6; page++) {
    for (const line of res.headers.getSetCookie()) cookie = line.split(";")[0];
    if (res.status === 303) return res.headers.get("location");
    const text = await res.text();
    const action = text.match(/<form method="post" action="([^"]*)">/);
    assert.ok(action, text);
    const form = new URLSearchParams({ user: "GardenUser", password: "GardenUser", answer: "allow" });
    for (const [, name, value] of text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)) form.set(name, plain(value));
    const choice = text.match(/<option value="(\d+)">/);
    if (choice) form.set("id", choice[1]);
    res = await fetch(new URL(action[1], address), { method: "POST", body: form, redirect: "manual", headers: { Cookie: cookie, "Sec-Fetch-Site": "same-origin" } });
  }
  throw new Error("the login does not end");
}

const redirectUrl = "http://127.0.0.1:3017/callback";
const kept = {};
const provider = {
  redirectUrl,
  clientMetadata: { client_name: "TypeScript SDK", redirect_uris: [redirectUrl], grant_types: ["authorization_code", "refresh_token"], token_endpoint_auth_method: "none" },
  clientInformation: () => kept.client,
  saveClientInformation: (client) => { kept.client = client; },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => { kept.tokens = tokens; },
  saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
  codeVerifier: () => kept.verifier,
  redirectToAuthorization: async (url) => { kept.location = await person(url); },
};
const address = new URL(`${MCP}/mcp`);
const first = new StreamableHTTPClientTransport(address, { authProvider: provider });
await assert.rejects(new Client({ name: "conformance", version: "1.0.0" }).connect(first), UnauthorizedError);
await first.finishAuth(new URL(kept.location).searchParams.get("code"));
const client = new Client({ name: "conformance", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(address, { authProvider: provider }));
assert.ok((await client.listTools()).tools.length > 0);
const before = kept.tokens.access_token;
kept.tokens = { ...kept.tokens, access_token: "none" }; // as if it had ended
assert.ok((await client.listTools()).tools.length > 0);
assert.notEqual(kept.tokens.access_token, before);
await client.close();
console.log("client, with the address alone: registered, logged in, renewed its token");

const suite = spawn(process.execPath, [
  path.join(MODULES, "@modelcontextprotocol/conformance/dist/index.js"), "authorization", "--url", MCP,
  "--client-id", kept.client.client_id, "--resource", `${MCP}/mcp`, "--port", "3017", "-o", RESULTS,
], { stdio: ["ignore", "pipe", "inherit"] });
let said = "", sent = false;
suite.stdout.on("data", async (text) => {
  said += text;
  const asked = said.match(new RegExp(`${MCP}/oauth/authorize\\?\\S+`));
  if (asked && said.includes("Waiting") && !sent) {
    sent = true;
    await fetch(await person(asked[0]));
  }
});
const code = await new Promise((resolve) => suite.on("close", resolve));
process.stderr.write(said);
assert.equal(code, 0, said);
console.log(`suite, authorization server: ${said.match(/^Total:.*$/m)?.[0] ?? "passed"}`);
