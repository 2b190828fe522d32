import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../site/service-process';

/** "nobody" on Linux. */
const UNPRIVILEGED_ID = 65534;

let folder: string;
let dataDir: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'launcher-state-'));
  chmodSync(folder, 0o755);
  dataDir = join(folder, 'data');
  mkdirSync(dataDir);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a script of the product to its end, on the data folder. */
function run(script: string, args: string[] = [], options: { uid?: number; gid?: number } = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(ROOT, script), ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, PORT_BASE: '19000' },
    encoding: 'utf8',
    timeout: 60_000,
    ...options,
  });
  return { status, stdout, stderr };
}

const START = 'tools/launcher/start.mjs';

describe('npm start', () => {
  it.each([
    ['{"site":"intl","databasePasswo', 'it is not valid JSON'],
    ['', 'it is empty'],
    ['[]', 'it does not hold an object'],
    ['{}', 'site is missing'],
    ['{"site":"intl","databasePassword":"x","rolePasswords":{}}', 'apiKeyHashSecret is missing'],
  ])('names a secrets.json of %j, says what to do, and leaves it as it is', (text, reason) => {
    mkdirSync(join(dataDir, 'postgres'));
    const file = join(dataDir, 'secrets.json');
    writeFileSync(file, text);
    const { status, stderr } = run(START);
    expect(status).toBe(1);
    expect(stderr).toContain(`${file} is damaged: ${reason}`);
    expect(stderr).toContain(`Restore the file, or remove ${dataDir} to start with an empty database.`);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('says that a folder cannot be written, and why', () => {
    chmodSync(dataDir, 0o555);
    const isRoot = process.getuid?.() === 0;
    const { status, stderr } = run(START, [], isRoot ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID } : {});
    expect(status).toBe(1);
    expect(stderr).toContain(`${dataDir} cannot be written: permission is denied`);
    if (isRoot)
      expect(stderr).toContain(`it belongs to the account 0, and this process runs as ${UNPRIVILEGED_ID}`);
  });

  it('says that a part of the path is a file', () => {
    rmSync(dataDir, { recursive: true });
    writeFileSync(dataDir, '');
    const { status, stderr } = run(START);
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining(`${dataDir} cannot be written: a file has its name`),
    ]);
  });
});

describe('a platform.json that is damaged', () => {
  const COMMANDS: [script: string, args: string[], status: number][] = [
    ['tools/launcher/reconcile.mjs', [], 2],
    ['tools/launcher/usage.mjs', ['verify'], 2],
    ['tools/backup/backup.mjs', [], 2],
    ['tools/backup/restore.mjs', [], 2],
    ['tools/docs/shell-variables.mjs', [], 1],
  ];

  it.each(COMMANDS)('is named by %s', (script, args, status) => {
    const file = join(dataDir, 'platform.json');
    for (const [text, reason] of [
      ['{"site":"intl","database":{"url":"postgres://x:a-pass', 'it is not valid JSON'],
      ['[]', 'it does not hold an object'],
      ['{"database":{}}', 'database.url is missing'],
    ]) {
      writeFileSync(file, text!);
      const result = run(script, args);
      expect(result).toMatchObject({
        status,
        stderr: expect.stringContaining(`${file} is damaged: ${reason}`),
      });
      expect(result.stderr).toContain('Start the site again: every start writes the file anew.');
      expect(result.stderr).not.toContain('a-pass');
    }
  });

  it.each(COMMANDS)('is missed by %s', (script, args, status) => {
    const { stderr, ...result } = run(script, args);
    expect(result.status).toBe(status);
    expect(stderr).toMatch(/There is no site|it is needed without BACKUP_DIR/);
  });
});

test('shell-variables.mjs names a damaged secrets.json, and lets the shell fail', () => {
  const account = { identifier: 'a', password: 'b' };
  const platform = {
    database: { url: 'postgres://' },
    urls: { console: 'http://127.0.0.1' },
    accounts: { demo: account, admin: account },
    memo: {},
    sandbox: {},
  };
  writeFileSync(join(dataDir, 'platform.json'), JSON.stringify(platform));
  writeFileSync(join(dataDir, 'secrets.json'), '{"trainerCredential":');
  expect(run('tools/docs/shell-variables.mjs')).toEqual({
    status: 1,
    stdout: 'false\n',
    stderr: expect.stringContaining('secrets.json is damaged: it is not valid JSON') as string,
  });
});
