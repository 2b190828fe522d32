import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ChatRequest, type Reply } from './chat-model';
import { ClientSite, type Customer, MODEL } from './client-site';
import { areAvailable, install, type InstalledPackages, runProgram } from './packages';

/**
 * Command-line agents as they come from npm, in the versions of agents/package.json. Each has to write a long file, run a command on
 * it and tell of it at length: several turns through the gateway. The model’s server speaks chat completions only.
 */

const AGENT_MILLIS = 400_000;
const FILE = 'poem.txt';
const LINE = 'A line of the poem, with "quotes", a \\ and 9007199254740993.';
/** About 27 kB: longer than the 4,096 tokens at which servers cut by default. */
const LINES = 450;
const COMMAND = `wc -c < ${FILE} > size.txt`;
const REPORT = `${'The poem is written and counted. '.repeat(200)}Done.`;
const TASK = `Write a poem to ${FILE}, count its bytes into size.txt, and report.`;

interface Work {
  customer: Customer;
  /** The folder that the agent works in. */
  folder: string;
}

interface Agent {
  command: string;
  args: string[];
  env(work: Work): NodeJS.ProcessEnv;
  /** Settings by their path in the home folder. */
  settings?(work: Work): Record<string, string>;
  /** Programs that are run before, such as a sign-in. */
  before?(work: Work): string[];
  /** Of the poem, if the agent’s tool takes less than LINES. */
  lines?: number;
  write(path: string, poem: string): { name: string; arguments: object };
  run(): { name: string; arguments: object };
}

let packages: InstalledPackages;
let site: ClientSite;
const gatewayV1 = () => `${site.gateway.url}/v1`;

const shell = (name: string) => () => ({
  name,
  arguments: { command: COMMAND, description: 'Counts the bytes' },
});

const copilot = (provider: Record<string, string>, suffix = '/v1'): Agent => ({
  command: 'copilot',
  args: ['-p', TASK, '--allow-all'],
  env: ({ customer }) => ({
    COPILOT_PROVIDER_BASE_URL: site.gateway.url + suffix,
    COPILOT_PROVIDER_API_KEY: customer.apiKey,
    COPILOT_MODEL: MODEL,
    COPILOT_AUTO_UPDATE: 'false',
    ...provider,
  }),
  write: (path, poem) => ({ name: 'create', arguments: { path, file_text: poem } }),
  run: shell('bash'),
});

const AGENTS: Record<string, Agent> = {
  '@anthropic-ai/claude-code': {
    command: 'claude',
    args: ['-p', TASK, '--model', MODEL, '--allowedTools', 'Write,Bash'],
    env: ({ customer }) => ({
      ANTHROPIC_BASE_URL: site.gateway.url,
      ANTHROPIC_API_KEY: customer.apiKey,
      ANTHROPIC_SMALL_FAST_MODEL: MODEL,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    write: (path, poem) => ({ name: 'Write', arguments: { file_path: path, content: poem } }),
    run: shell('Bash'),
  },
  '@openai/codex': {
    command: 'codex',
    args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', TASK],
    env: ({ customer }) => ({ GATEWAY_KEY: customer.apiKey }),
    settings: () => ({
      '.codex/config.toml': `model = "${MODEL}"
model_provider = "gateway"

[model_providers.gateway]
name = "Gateway"
base_url = "${gatewayV1()}"
env_key = "GATEWAY_KEY"
wire_api = "responses"
`,
    }),
    write: (_path, poem) => ({
      name: 'exec_command',
      arguments: { cmd: `cat > ${FILE} <<'END'\n${poem}END` },
    }),
    run: () => ({ name: 'exec_command', arguments: { cmd: COMMAND } }),
  },
  'opencode-ai': {
    command: 'opencode',
    args: ['run', '-m', `gateway/${MODEL}`, TASK],
    env: ({ customer }) => ({ GATEWAY_KEY: customer.apiKey, OPENCODE_DISABLE_AUTOUPDATE: '1' }),
    settings: () => ({
      '.config/opencode/opencode.json': JSON.stringify({
        provider: {
          gateway: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: gatewayV1(), apiKey: '{env:GATEWAY_KEY}' },
            models: { [MODEL]: {} },
          },
        },
      }),
    }),
    write: (path, poem) => ({ name: 'write', arguments: { filePath: path, content: poem } }),
    run: shell('bash'),
  },
  '@qwen-code/qwen-code': {
    command: 'qwen',
    args: ['--yolo', '--auth-type', 'openai', TASK],
    env: ({ customer }) => ({
      OPENAI_BASE_URL: gatewayV1(),
      OPENAI_API_KEY: customer.apiKey,
      OPENAI_MODEL: MODEL,
    }),
    write: (path, poem) => ({ name: 'write_file', arguments: { file_path: path, content: poem } }),
    run: () => ({
      name: 'run_shell_command',
      arguments: { command: COMMAND, description: 'Counts the bytes', is_background: false },
    }),
  },
  cline: {
    command: 'cline',
    args: ['-P', 'openai', '-m', MODEL, TASK],
    env: () => ({}),
    before: ({ customer }) => ['auth', 'openai', '-k', customer.apiKey, '-m', MODEL, '-b', gatewayV1()],
    lines: 95,
    write: (path, poem) => ({ name: 'editor', arguments: { path, new_text: poem } }),
    run: () => ({ name: 'run_commands', arguments: { commands: [COMMAND] } }),
  },
  '@github/copilot': copilot({}),
  '@github/copilot, responses': copilot({ COPILOT_PROVIDER_WIRE_API: 'responses' }),
  '@github/copilot, anthropic': copilot({ COPILOT_PROVIDER_TYPE: 'anthropic' }, ''),
};

const ifAvailable = areAvailable('agents') ? describe : describe.skip;

ifAvailable('an unchanged agent completes its task and is charged for what was served:', () => {
  let reply: (request: ChatRequest) => Reply;
  beforeAll(async () => {
    packages = await install('agents', [
      '@anthropic-ai/claude-code/install.cjs',
      'opencode-ai/postinstall.mjs',
    ]);
    site = await ClientSite.start((request) => reply(request));
  });
  afterAll(() => site?.stop());

  test.each(Object.entries(AGENTS))('%s', async (_name, agent) => {
    const customer = await site.customer();
    const folder = join(customer.home, 'work');
    mkdirSync(folder);
    const work = { customer, folder };
    const poem = `${LINE}\n`.repeat(agent.lines ?? LINES);
    reply = ({ messages, tools = [] }) => {
      // Such as a title for the conversation.
      if (tools.length === 0) return 'A poem';
      const results = messages.filter(({ role }) => role === 'tool').length;
      if (results === 0) return [agent.write(join(folder, FILE), poem)];
      return results === 1 ? [agent.run()] : REPORT;
    };
    for (const [path, text] of Object.entries(agent.settings?.(work) ?? {})) {
      mkdirSync(dirname(join(customer.home, path)), { recursive: true });
      writeFileSync(join(customer.home, path), text);
    }
    const options = {
      cwd: folder,
      env: {
        ...customer.env,
        PATH: `${dirname(packages.node)}:${process.env.PATH}`,
        ...agent.env(work),
      },
      timeoutMillis: AGENT_MILLIS,
    };
    const program = join(packages.folder, 'node_modules/.bin', agent.command);
    const before = agent.before?.(work);
    if (before) expect(await runProgram(program, before, options)).toMatchObject({ code: 0 });
    const { code, output } = await runProgram(program, agent.args, options);
    const read = (name: string) => {
      try {
        return readFileSync(join(folder, name), 'utf8');
      } catch {
        return null;
      }
    };
    expect({ code, output, poem: read(FILE), size: read('size.txt')?.trim() }).toEqual({
      code: 0,
      output: expect.stringContaining('Done.'),
      poem,
      size: String(poem.length),
    });
    expect(await site.expectChargedAsServed(customer)).toBeGreaterThanOrEqual(3);
  });
});
