// The official TypeScript client against the real program, over every
// transport: what it lists, what it gets, and how mistakes look to it.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";

const { MCP, TOKEN, PROGRAM, ERP_URL, MODULES } = process.env;
const require = createRequire(path.join(MODULES, "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)));
const { Client } = await load("client/index.js");
const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js");
const { SSEClientTransport } = await load("client/sse.js");
const { StdioClientTransport } = await load("client/stdio.js");

const requestInit = { headers: { Authorization: `Bearer ${TOKEN}` } };
const transports = {
  "streamable HTTP": () => new StreamableHTTPClientTransport(new URL(`${MCP}/mcp`), { requestInit }),
  "server-sent events": () => new SSEClientTransport(new URL(`${MCP}/mcp/sse`), { requestInit }),
  "standard input and output": () =>
    new StdioClientTransport({ command: PROGRAM, args: ["--stdio", "--toolsets", "all"], env: { PATH: process.env.PATH, HOME: process.env.HOME, ERP_URL, ERP_TOKEN: TOKEN }, stderr: "pipe" }),
};

for (const [name, transport] of Object.entries(transports)) {
  const client = new Client({ name: "conformance", version: "1.0.0" });
  await client.connect(transport());
  assert.equal(client.getServerVersion().name, "erphub", name);
  assert.ok(client.getInstructions().includes("describeTable"), name);
  const { tools } = await client.listTools();
  assert.ok(tools.some((t) => t.name === "listTables" && t.annotations.readOnlyHint === true && t.outputSchema), name);
  // The client holds the structured content against the output schema itself.
  const found = await client.callTool({ name: "listTables", arguments: { pattern: "C_Order", limit: "5" } });
  assert.equal(found.structuredContent.tables[0].name, "C_Order", name);
  assert.deepEqual(JSON.parse(found.content[0].text), found.structuredContent, name);
  const failed = await client.callTool({ name: "describeTable", arguments: { table: "C_Ordr" } });
  assert.equal(failed.isError, true, name);
  assert.equal(JSON.parse(failed.content[0].text).code, "not_found", name);
  const misspelt = await client.callTool({ name: "listTables", arguments: { patern: "C_%" } });
  assert.equal(JSON.parse(misspelt.content[0].text).code, "invalid_arguments", name);
  await assert.rejects(client.callTool({ name: "nothing", arguments: {} }), { code: -32602 }, name);
  if (client.getServerCapabilities().prompts) {
    const { prompts } = await client.listPrompts();
    assert.ok(prompts.length > 0 && prompts.every((p) => p.description), name);
  }
  await client.close();
  console.log(`client, ${name}: lists, calls and mistakes`);
}
await assert.rejects(
  new Client({ name: "conformance", version: "1.0.0" }).connect(new StreamableHTTPClientTransport(new URL(`${MCP}/mcp`))),
);
console.log("client, without a token: not let in");
