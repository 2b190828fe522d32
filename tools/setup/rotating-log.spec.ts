import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logOutput, RotatingLog } from './rotating-log.mjs';

const MAX_BYTES = 50_000;

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rotating-log-'));
  file = join(folder, 'a.log');
});
afterEach(() => rmSync(folder, { recursive: true }));

const names = () => readdirSync(folder).sort();
const lines = (name: string) => readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1);

/** Runs a script of Node whose output is logged. */
async function logged(script: string, maxBytes = MAX_BYTES): Promise<void> {
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  const untilLogged = logOutput(child, new RotatingLog(file, maxBytes));
  await once(child, 'exit');
  await untilLogged();
}

it('loses no line and parts none while it rotates', async () => {
  await logged(`
    const fs = require('fs');
    for (let n = 0; n < 10000; n += 1) fs.writeSync(n % 7 ? 1 : 2, \`line \${n} \${'x'.repeat(n % 13)}\\n\`);`);
  expect(names()).toEqual(['a.log', 'a.log.1', 'a.log.2', 'a.log.3']);
  for (const name of names()) expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(MAX_BYTES);
  const all = names().reverse().flatMap(lines);
  expect(all).toHaveLength(10_000);
  const numbers = all.map((line) => Number(line.split(' ')[1]));
  const ofStream = (isError: boolean) => (n: number) => (n % 7 === 0) === isError;
  for (const isError of [true, false]) {
    const written = numbers.filter(ofStream(isError));
    expect(written).toEqual([...written].sort((one, other) => one - other));
  }
  expect(new Set(numbers).size).toBe(10_000);
  expect(all).toContain(`line 9999 ${'x'.repeat(9999 % 13)}`);
});

it('goes on with the file of an earlier run, and keeps four former ones', async () => {
  for (let run = 0; run < 8; run += 1) await logged(`console.log('run ${run}'.padEnd(40))`, 60);
  expect(names()).toEqual(['a.log', 'a.log.1', 'a.log.2', 'a.log.3', 'a.log.4']);
  expect(names().map((name) => lines(name).map((line) => line.trim()))).toEqual([
    ['run 7'],
    ['run 6'],
    ['run 5'],
    ['run 4'],
    ['run 3'],
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

describe('what cannot be written', () => {
  const said = () => jest.mocked(process.stderr.write).mock.calls.map(([text]) => text);

  beforeEach(() => {
    jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  });
  afterEach(() => jest.restoreAllMocks());

  it('is dropped, and said once, until the folder is there again', () => {
    const log = new RotatingLog(file, 10);
    log.append(Buffer.from('first\n'));
    rmSync(folder, { recursive: true });
    for (const line of ['second', 'third']) log.append(Buffer.from(`${line}\n`));
    expect(said()).toEqual([expect.stringMatching(/a\.log: lines of the log are lost: ENOENT/)]);
    mkdirSync(folder);
    log.append(Buffer.from('fourth\n'));
    expect(lines('a.log')).toEqual(['fourth']);
  });

  (existsSync('/dev/full') ? it : it.skip)('is dropped when the disk is full', () => {
    const log = new RotatingLog('/dev/full');
    for (const line of ['first', 'second']) log.append(Buffer.from(`${line}\n`));
    expect(said()).toEqual([expect.stringContaining('ENOSPC')]);
  });

  it('goes into the former file if that cannot be renamed', () => {
    mkdirSync(`${file}.4/x`, { recursive: true });
    writeFileSync(`${file}.3`, '');
    const log = new RotatingLog(file, 10);
    for (const line of ['first', 'second', 'third']) log.append(Buffer.from(`${line}\n`));
    expect(lines('a.log')).toEqual(['first', 'second', 'third']);
    expect(said()).toContainEqual(expect.stringContaining('a.log: cannot be renamed'));
  });
});

it('keeps what has no line end', async () => {
  await logged("process.stdout.write('first\\nlast'); process.stderr.write('x'.repeat(3_000_000))", Infinity);
  expect(readFileSync(file, 'utf8').replace(/x+/g, '')).toBe('first\nlast');
  expect(statSync(file).size).toBe('first\nlast'.length + 3_000_000);
});
