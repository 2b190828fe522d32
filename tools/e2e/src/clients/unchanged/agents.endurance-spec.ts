import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ChatRequest, type Reply } from './chat-model';
import { ClientSite, MODEL } from './client-site';
import { guideBlock, readShellLines } from './guide-lines';
import { areAvailable, install, type InstalledPackages, runProgram } from './packages';

/**
 * Command-line agents as they come from npm, in the versions of agents/package.json, set up with the lines of the guides. Each has to
 * write a long file, run a command on it and tell of it at length: several turns through the gateway. The model’s server speaks chat
 * completions only.
 */

const AGENT_MILLIS = 400_000;
const FILE = 'poem.txt';
const LINE = 'A line of the poem, with "quotes", a \\ and 9007199254740993.';
/** About 27 kB: longer than the 4,096 tokens at which servers cut by default. */
const LINES = 450;
const COMMAND = `wc -c < ${FILE} > size.txt`;
const REPORT = `${'The poem is written and counted. '.repeat(200)}Done.`;
const TASK = `Write a poem to ${FILE}, count its bytes into size.txt, and report.`;

interface Agent {
  /** Where the lines of shell or the settings stand that a person is told to write. */
  guide: { name: string; behind: string; settings?: string };
  /** Of an agent that is set up with settings only. */
  command?: string;
  /** Runs it without questions. */
  args: string[];
  /** Beside what the guide sets. */
  env?: NodeJS.ProcessEnv;
  /** Of the poem, if the agent’s tool takes less than LINES. */
  lines?: number;
  write(path: string, poem: string): { name: string; arguments: object };
  run(): { name: string; arguments: object };
}

let packages: InstalledPackages;
let site: ClientSite;

const CLIENTS = 'clients.md';

const shell = (name: string) => () => ({
  name,
  arguments: { command: COMMAND, description: 'Counts the bytes' },
});

const copilot = (env: Record<string, string> = {}): Agent => ({
  guide: { name: CLIENTS, behind: '**GitHub Copilot CLI**' },
  args: ['-p', TASK, '--allow-all'],
  env: { COPILOT_AUTO_UPDATE: 'false', ...env },
  write: (path, poem) => ({ name: 'create', arguments: { path, file_text: poem } }),
  run: shell('bash'),
});

const AGENTS: Record<string, Agent> = {
  '@anthropic-ai/claude-code': {
    guide: { name: 'claude-code.md', behind: '## Claude Code' },
    args: ['-p', TASK, '--allowedTools', 'Write,Bash'],
    env: { ANTHROPIC_SMALL_FAST_MODEL: MODEL, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
    write: (path, poem) => ({ name: 'Write', arguments: { file_path: path, content: poem } }),
    run: shell('Bash'),
  },
  '@openai/codex': {
    guide: { name: 'codex.md', behind: '`~/.codex/config.toml`', settings: '.codex/config.toml' },
    command: 'codex',
    args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', TASK],
    write: (_path, poem) => ({
      name: 'exec_command',
      arguments: { cmd: `cat > ${FILE} <<'END'\n${poem}END` },
    }),
    run: () => ({ name: 'exec_command', arguments: { cmd: COMMAND } }),
  },
  'opencode-ai': {
    guide: { name: CLIENTS, behind: '**opencode**', settings: '.config/opencode/opencode.json' },
    command: 'opencode',
    args: ['run', '-m', `gateway/${MODEL}`, TASK],
    env: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
    write: (path, poem) => ({ name: 'write', arguments: { filePath: path, content: poem } }),
    run: shell('bash'),
  },
  '@qwen-code/qwen-code': {
    guide: { name: CLIENTS, behind: '**Qwen Code**' },
    args: ['--yolo', TASK],
    write: (path, poem) => ({ name: 'write_file', arguments: { file_path: path, content: poem } }),
    run: () => ({
      name: 'run_shell_command',
      arguments: { command: COMMAND, description: 'Counts the bytes', is_background: false },
    }),
  },
  cline: {
    guide: { name: CLIENTS, behind: '**Cline**' },
    args: [TASK],
    lines: 95,
    write: (path, poem) => ({ name: 'editor', arguments: { path, new_text: poem } }),
    run: () => ({ name: 'run_commands', arguments: { commands: [COMMAND] } }),
  },
  '@github/copilot': copilot(),
  '@github/copilot, responses': copilot({ COPILOT_PROVIDER_WIRE_API: 'responses' }),
  '@github/copilot, anthropic': copilot({ COPILOT_PROVIDER_TYPE: 'anthropic' }),
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
    const poem = `${LINE}\n`.repeat(agent.lines ?? LINES);
    reply = ({ messages, tools = [] }) => {
      // Such as a title for the conversation.
      if (tools.length === 0) return 'A poem';
      const results = messages.filter(({ role }) => role === 'tool').length;
      if (results === 0) return [agent.write(join(folder, FILE), poem)];
      return results === 1 ? [agent.run()] : REPORT;
    };
    const { name, behind, settings } = agent.guide;
    const block = guideBlock(name, behind, {
      gateway: site.gateway.url,
      apiKey: customer.apiKey,
      model: MODEL,
    });
    const lines = settings ? { env: { GATEWAY_KEY: customer.apiKey }, commands: [] } : readShellLines(block);
    if (settings) {
      mkdirSync(dirname(join(customer.home, settings)), { recursive: true });
      writeFileSync(join(customer.home, settings), block);
    }
    const env: NodeJS.ProcessEnv = { ...customer.env, ...lines.env, ...agent.env };
    env.PATH = `${dirname(packages.node)}:${process.env.PATH}`;
    // As the guide says of it.
    if (env.COPILOT_PROVIDER_TYPE === 'anthropic')
      env.COPILOT_PROVIDER_BASE_URL = env.COPILOT_PROVIDER_BASE_URL!.replace(/\/v1$/, '');
    const options = { cwd: folder, env, timeoutMillis: AGENT_MILLIS };
    const runLine = ([command, ...args]: string[]) =>
      runProgram(join(packages.folder, 'node_modules/.bin', command!), args, options);
    const [command, ...before] = [...lines.commands].reverse();
    for (const line of before.reverse()) expect(await runLine(line)).toMatchObject({ code: 0 });
    const { code, output } = await runLine([...(command ?? [agent.command!]), ...agent.args]);
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
