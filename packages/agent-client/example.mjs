import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AgentClient } from '@inference/agent-client';

/**
 * Streams a response, runs a tool loop, and resumes a stream that was left.
 *
 *   node example.mjs                         against `npm start`: uses .data/platform.json of this or a parent folder
 *   AGENT_URL=… API_KEY=… node example.mjs   against another platform
 */

/** @returns {{ urls: { agent: string }, accounts: { demo: { apiKey: string } } }} */
function findPlatform(folder = import.meta.dirname) {
  const file = join(folder, '.data/platform.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  if (folder === dirname(folder))
    throw new Error('Start the platform first (npm start), or set AGENT_URL and API_KEY.');
  return findPlatform(dirname(folder));
}

function makeClient() {
  const { AGENT_URL, API_KEY } = process.env;
  if (AGENT_URL && API_KEY) return new AgentClient({ baseUrl: AGENT_URL, apiKey: API_KEY });
  const { urls, accounts } = findPlatform();
  return new AgentClient({ baseUrl: urls.agent, apiKey: accounts.demo.apiKey });
}

/** @param {AgentClient} client @param {string} sessionId */
async function showAnswer(client, sessionId) {
  const stream = client.stream(sessionId, { role: 'user', content: 'Tell me something.' });
  for await (const event of stream) {
    if (event.kind === 'delta') process.stdout.write(event.data.content);
  }
  console.log(`\n— ${stream.outcome} at ${stream.position}\n`);
}

/** @param {AgentClient} client @param {string} sessionId */
async function answerToolCalls(client, sessionId) {
  /** @type {import('@inference/agent-client').ToolHandlers} */
  const tools = {
    weather: ({ city }) => {
      console.log(`The model asks for the weather in ${city}.`);
      return { city, sky: 'clear', celsius: 21 };
    },
  };
  const stream = client.run(sessionId, 'Use your tool: how is the weather?', { tools });
  console.log(`${await stream.finalText()}\n`);
}

/** @param {AgentClient} client @param {string} sessionId */
async function leaveAndResume(client, sessionId) {
  const left = client.stream(sessionId, { role: 'user', content: 'And once more.' });
  for await (const event of left) {
    if (event.kind === 'delta') break;
  }
  console.log(`Left at ${left.position} with ${JSON.stringify(left.text)}; the turn continues.`);
  const rest = client.resume(sessionId, left.position);
  console.log(`The rest: ${JSON.stringify(await rest.finalText())}\n`);
}

const client = makeClient();
/** @type {import('@inference/agent-client').ToolDefinition} */
const weather = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather in a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const { id } = await client.sessions.create({ tools: [weather] });
await showAnswer(client, id);
await answerToolCalls(client, id);
await leaveAndResume(client, id);
for await (const event of client.events.list(id)) {
  console.log(`${event.seq}. ${event.role}, ${event.type}: ${event.content.slice(0, 60)}`);
}
await client.sessions.delete(id);
