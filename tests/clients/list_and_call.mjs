// Lists a server's tools and calls some of them in turn, with the official TypeScript client.
//
// Standard input has one JSON object: sdk ("v1" or "v2"), era ("legacy" or "auto", for v2), where
// (url and token, or command, args and env) and calls ([[name, arguments], …]). "$pane" among the
// arguments is the id of the last pane that was answered. Standard output gets what came back.

const asked = JSON.parse(await new Response(process.stdin).text());
const client = await connected(asked);
const { tools } = await client.listTools();
const answers = [];
let pane = null;
for (const [name, given] of asked.calls) {
  const values = Object.entries(given).map(([key, value]) => [key, value === "$pane" ? pane : value]);
  try {
    // The client checks what is structured against the schema that was listed.
    const answer = await client.callTool({ name, arguments: Object.fromEntries(values) });
    pane = answer.structuredContent?.pane?.id ?? pane;
    answers.push(answer);
  } catch (error) {
    answers.push({ thrown: { code: error.code, message: error.message, data: error.data } });
  }
}
await client.close();
console.log(JSON.stringify({ tools, answers }));

async function connected({ sdk, era, where }) {
  const info = { name: `typescript-${sdk}`, version: "0" };
  const { Client, Http, Stdio } = await library(sdk);
  const client = sdk === "v1" ? new Client(info) : new Client(info, { versionNegotiation: { mode: era } });
  const headers = { Authorization: `Bearer ${where.token}` };
  await client.connect(
    where.url ? new Http(new URL(where.url), { requestInit: { headers } }) : new Stdio(where),
    { timeout: 200_000 }, // of a machine that has other things to do
  );
  return client;
}

async function library(sdk) {
  if (sdk === "v1") {
    const from = "@modelcontextprotocol/sdk/client";
    const { Client } = await import(`${from}/index.js`);
    const { StreamableHTTPClientTransport: Http } = await import(`${from}/streamableHttp.js`);
    const { StdioClientTransport: Stdio } = await import(`${from}/stdio.js`);
    return { Client, Http, Stdio };
  }
  const { Client, StreamableHTTPClientTransport: Http } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport: Stdio } = await import("@modelcontextprotocol/client/stdio");
  return { Client, Http, Stdio };
}
