// Ask a server with OpenAI's own client, and print what it gives as JSON. Usage: node openai_client.mjs URL KEY
import OpenAI from "openai";

const [, , url, key] = process.argv;
const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
const asked = { model: "kataribe/澪", user: "nora" };
const MAIL = "わたしのメールはnora@example.comです。";
const told = {};

told.models = [];
for await (const one of client.models.list()) told.models.push(one.id);

const whole = await client.chat.completions.create({ ...asked, messages: [{ role: "user", content: MAIL }] });
told.whole = whole.choices[0].message.content;

told.streamed = "";
const messages = [
  { role: "user", content: MAIL },
  { role: "assistant", content: told.whole },
  { role: "user", content: "傘は駅にある。" },
];
for await (const chunk of await client.chat.completions.create({ ...asked, messages, stream: true })) {
  told.streamed += chunk.choices[0]?.delta?.content ?? "";
}

// The client's own helper puts the pieces together, tool calls too.
const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } }];
const helped = client.chat.completions.stream({
  ...asked,
  messages: [{ role: "user", content: "明日の天気は？" }],
  tools,
  metadata: { session_id: "tools" },
});
const made = await helped.finalChatCompletion();
told.call = made.choices[0].message.tool_calls[0].function;
told.finish = made.choices[0].finish_reason;

const response = await client.responses.create({ ...asked, input: "手紙が来た。" });
told.response = [response.status, response.output_text];
told.events = [];
for await (const event of await client.responses.create({ ...asked, input: "灯りがついた。", stream: true })) {
  told.events.push(event.type);
}

const vectors = await client.embeddings.create({ model: "hash", input: ["灯台", "a lighthouse"] });
told.vectors = vectors.data.map((one) => one.embedding.length);

told.errors = {};
for (const [name, ask] of Object.entries({
  model: () => client.chat.completions.create({ ...asked, model: "gpt-5", messages }),
  key: () => new OpenAI({ baseURL: `${url}/v1`, apiKey: "ktr_wrong", maxRetries: 0 }).models.list(),
  messages: () => client.chat.completions.create({ ...asked, messages: [] }),
})) {
  try {
    await ask();
    told.errors[name] = null;
  } catch (error) {
    told.errors[name] = [error.constructor.name, error.status];
  }
}
console.log(JSON.stringify(told));
