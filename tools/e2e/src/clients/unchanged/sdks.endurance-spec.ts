import { ClientSite, type Speaks } from './client-site';
import { type ChatRequest, type Reply, textOf } from './chat-model';
import { areAvailable, install, type InstalledPackages, runProgram } from './packages';

/**
 * SDKs as they come from npm, in the versions of sdks/package.json, each in a process of its own. The model’s server speaks chat
 * completions only, so that other protocols are translated, or every protocol, so that they pass unchanged.
 */

const PROGRAM_MILLIS = 240_000;

const CLIENTS: Record<string, string[]> = {
  'official.mjs': ['openai, chat', 'openai, responses', '@anthropic-ai/sdk'],
  'ai-sdk.mjs': [
    'ai, @ai-sdk/openai',
    'ai, @ai-sdk/openai, stored',
    'ai, @ai-sdk/openai, chat',
    'ai, @ai-sdk/anthropic',
    'ai, @ai-sdk/openai-compatible',
  ],
  'frameworks.mjs': [
    '@openai/agents',
    '@openai/agents, chat',
    '@langchain/openai',
    '@langchain/openai, useResponsesApi',
    '@langchain/anthropic',
    'llamaindex',
    'llamaindex, responses',
    '@mastra/core',
    '@mastra/core, responses',
    '@openrouter/sdk',
  ],
};

const HELLO = { text: 'Hello from the house.' };
const WEATHER = { text: expect.stringContaining('The tool says: 7 degrees in Bern') };

/** What the client must have by task. */
const EXPECTED: Record<string, object> = {
  plain: HELLO,
  responses: HELLO,
  stream: { text: 'one two three four five', pieces: 5 },
  'second turn': { text: 'one two three four five' },
  tool: WEATHER,
  'streamed tool': WEATHER,
  parse: { object: { city: 'Bern', degrees: 7 } },
  error: { status: 404, message: expect.stringContaining('no-such-model') },
};

/** Clients whose own faults show with every service. */
const OWN_FAULTS: Record<string, object> = {
  // Repeats the last piece at each event that follows it.
  'llamaindex, responses': {
    stream: { text: expect.stringMatching(/^one two three four five/), pieces: expect.any(Number) },
  },
};
/** Refuse `cost_details` of another shape than their own service’s, so that their keys tell no prices. */
const STRICT = ['@openrouter/sdk'];
/** Refer to items of stored responses. */
const REFERRING = ['ai, @ai-sdk/openai, stored'];

function reply({ messages, tools = [] }: ChatRequest): Reply {
  const last = messages.at(-1)!;
  if (last.role === 'tool') return `The tool says: ${textOf(last).replaceAll('"', '')}`;
  const question = textOf(messages.findLast(({ role }) => role === 'user')!);
  const weather = tools.find(({ function: { name } }) => name === 'weather');
  if (weather && question.includes('weather')) return [{ name: 'weather', arguments: { city: 'Bern' } }];
  if (question.includes('Count')) return 'one two three four five';
  if (question.includes('JSON')) return '{"city":"Bern","degrees":7}';
  return HELLO.text;
}

const ifAvailable = areAvailable('sdks') ? describe : describe.skip;
const SPEAKS: Speaks[] = ['chat', 'all'];

ifAvailable.each(SPEAKS)(
  'where servers speak %s, an unchanged SDK works and is charged for what was served:',
  (speaks) => {
    let packages: InstalledPackages;
    let site: ClientSite;
    beforeAll(async () => {
      packages = await install('sdks');
      site = await ClientSite.start(reply, speaks);
    });
    afterAll(() => site?.stop());

    const cases = Object.entries(CLIENTS).flatMap(([program, clients]) =>
      clients.map((client) => [client, program] as const),
    );
    test.each(cases)('%s', async (client, program) => {
      const customer = await site.customer({
        tellsPrices: !STRICT.includes(client),
        storesResponses: REFERRING.includes(client),
      });
      const run = await runProgram(packages.node, ['run.mjs', program, client], {
        cwd: packages.folder,
        env: customer.env,
        timeoutMillis: PROGRAM_MILLIS,
      });
      const lines = run.stdout.split('\n').filter((line) => line.startsWith('{"task":'));
      const results = Object.fromEntries(
        lines.map((line) => {
          const { task, ...result } = JSON.parse(line) as { task: string };
          return [task, result];
        }),
      );
      const expected = Object.fromEntries(
        Object.keys(results).map((task) => [task, { ...EXPECTED, ...OWN_FAULTS[client] }[task]]),
      );
      expect({ code: run.code, results, output: run.output }).toEqual({
        code: 0,
        results: expected,
        output: expect.any(String),
      });
      expect(Object.keys(results)).toEqual(expect.arrayContaining(['plain', 'stream', 'tool', 'error']));
      expect(await site.expectChargedAsServed(customer)).toBeGreaterThanOrEqual(4);
    });
  },
);
