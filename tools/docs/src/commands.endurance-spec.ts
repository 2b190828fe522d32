import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rememberSecret, testLog } from '@inference/testing';
import {
  matchesOutput,
  outputsByLine,
  readCodeBlocks,
  readSteps,
  shellScript,
  type Step,
} from './shell-session';
import { type Document, readDocuments, ROOT } from './documents';
import { RunningSite } from './running-site';

jest.setTimeout(900_000);

const DOCUMENT_MILLIS = 300_000;

interface ShellResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** The documents whose commands run without preparation beyond `npm start`. */
const documents = readDocuments().map((document) => ({
  ...document,
  steps: readSteps(readCodeBlocks(document.text)),
}));
const withCommands = documents.filter(({ steps }) => steps.length > 0);

let folder: string;
const sites = new Map<Document['site'], RunningSite>();

beforeAll(() => (folder = mkdtempSync(join(process.env.TEST_DATA_FOLDER ?? tmpdir(), 'docs-'))));
afterAll(async () => {
  await Promise.all([...sites.values()].map((site) => site.stop()));
  for (const { dataDir } of sites.values()) offerToSecretSearch(dataDir);
  rmSync(folder, { recursive: true, force: true });
});

interface Platform {
  accounts: Record<string, { password: string; apiKey: string }>;
  memo: { apiKey: string };
}

/** The logs of a site, and the secrets that must not be in them. */
function offerToSecretSearch(dataDir: string): void {
  const { accounts, memo } = JSON.parse(readFileSync(join(dataDir, 'platform.json'), 'utf8')) as Platform;
  for (const { password, apiKey } of Object.values(accounts)) [password, apiKey].forEach(rememberSecret);
  rememberSecret(memo.apiKey);
  const logs = join(dataDir, 'logs');
  for (const name of readdirSync(logs)) testLog('docs').write(readFileSync(join(logs, name)));
}

/** A folder that looks like the root of the repository, where the commands may leave files. */
function makeWorkingFolder(): string {
  const working = mkdtempSync(join(folder, 'working-'));
  for (const name of readdirSync(ROOT))
    if (!name.startsWith('.')) symlinkSync(join(ROOT, name), join(working, name));
  return working;
}

function runScript(script: string, dataDir: string): Promise<ShellResult> {
  const cwd = makeWorkingFolder();
  const file = join(cwd, 'commands.sh');
  writeFileSync(file, script);
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir };
  return new Promise((resolve) => {
    execFile('bash', [file], { cwd, env, timeout: DOCUMENT_MILLIS }, (error, stdout, stderr) => {
      const exitCode = error ? (typeof error.code === 'number' ? error.code : 1) : 0;
      resolve({ exitCode, stdout, stderr });
    });
  });
}

function unexpectedOutputs(steps: Step[], stdout: string): string[] {
  const outputs = outputsByLine(stdout);
  return steps.flatMap(({ commands: { line }, expectedOutput }) => {
    const output = outputs.get(line) ?? '';
    if (expectedOutput === null || matchesOutput(expectedOutput, output)) return [];
    return [`The commands of line ${line} print:\n${output}\ninstead of:\n${expectedOutput}`];
  });
}

describe.each(['intl', 'cn'] as const)('on the site %s', (site) => {
  const pages = withCommands.filter((document) => document.site === site);

  beforeAll(async () => void sites.set(site, await RunningSite.start(site, join(folder, site))));

  it.each(pages)('the commands of $path succeed', async ({ steps }) => {
    const { exitCode, stdout, stderr } = await runScript(shellScript(steps), sites.get(site)!.dataDir);
    if (exitCode !== 0) throw new Error(`Exit code ${exitCode}.\n${stdout}\n${stderr}`);
    expect(unexpectedOutputs(steps, stdout)).toEqual([]);
  });
});
