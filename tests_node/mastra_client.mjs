// Connect Mastra's MCP client, list the tools and call them; print what they give as JSON.
// Usage: node mastra_client.mjs '{"url": ...}' or '{"command": ..., "args": [...]}', and a question
import { MCPClient } from "@mastra/mcp";

const [, , given, question] = process.argv;
const server = JSON.parse(given);
if (server.url) server.url = new URL(server.url);
else server.env = { ...process.env };
const client = new MCPClient({ servers: { kataribe: server } });
try {
  const tools = await client.getTools();
  const found = await tools.kataribe_recall_memories.execute({ context: { query: question, top_k: 5 } });
  console.log(JSON.stringify({ tools: Object.keys(tools).sort(), found }));
} finally {
  await client.disconnect();
}
