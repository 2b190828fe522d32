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
import { tryLock } from './lock.mjs';
import { ensureWritableFolder, readJson, writeJson } from './state-file.mjs';

const EXPECTED = {
  required: { site: 'text', 'accounts.demo': 'object', keys: 'filled list' },
  optional: { seeded: 'list' },
  remedy: 'Restore the file.',
} as const;
const RIGHT = { site: 'intl', accounts: { demo: {} }, keys: ['a-secret-key'] };

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'state-file-'));
  file = join(folder, 'state.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = () => readJson(file, EXPECTED) as unknown;

it('writes a file that only its owner can read, and reads it', () => {
  writeJson(file, RIGHT);
  expect(read()).toEqual(RIGHT);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['state.json']);
});

it('returns null for a file that does not exist', () => {
  expect(read()).toBeNull();
});

it.each([
  ['', 'it is empty'],
  ['\n', 'it is empty'],
  ['\0\0\0\0', 'it is not valid JSON (4 bytes)'],
  ['{"site":"intl","keys":["a-secret-', 'it is not valid JSON at position 33 (33 bytes)'],
  ['{"site":"intl"', 'it is not valid JSON at position 14 (14 bytes)'],
  ['[]', 'it does not hold an object'],
  ['null', 'it does not hold an object'],
  ['"a-secret-key"', 'it does not hold an object'],
  ['{}', 'site is missing'],
  [JSON.stringify({ ...RIGHT, site: '' }), 'site: must be a text'],
  [JSON.stringify({ ...RIGHT, accounts: null }), 'accounts.demo is missing'],
  [JSON.stringify({ ...RIGHT, accounts: { demo: [] } }), 'accounts.demo: must be an object'],
  [JSON.stringify({ ...RIGHT, keys: [] }), 'keys: must be a filled list'],
  [JSON.stringify({ ...RIGHT, seeded: 'a-secret-key' }), 'seeded: must be a list'],
])('says that %j is damaged, and why, without its content', (text, reason) => {
  writeFileSync(file, text);
  expect(read).toThrow(`${file} is damaged: ${reason}. Restore the file.`);
  expect(read).not.toThrow('a-secret');
});

it('says what is in the way of a file or a folder', () => {
  mkdirSync(file);
  expect(read).toThrow(`${file} cannot be read: it is a folder`);
  writeFileSync(join(folder, 'file'), '');
  const below = join(folder, 'file', 'below');
  expect(() => ensureWritableFolder(below)).toThrow(
    `${below} cannot be written: a part of its path is not a folder`,
  );
  expect(() => ensureWritableFolder(join(folder, 'file'))).toThrow('cannot be written: a file has its name');
});

it('leaves the old content and no draft if the new one cannot be written', () => {
  writeJson(file, RIGHT);
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  expect(() => writeJson(file, circular)).toThrow(`${file} cannot be written`);
  expect(read()).toEqual(RIGHT);
  expect(readdirSync(folder)).toEqual(['state.json']);
});

it('takes over a lock whose list of processes is damaged, and does not wait for ever for one that it cannot have', () => {
  const place = join(folder, 'lock');
  mkdirSync(place);
  writeFileSync(join(place, 'members.json'), '');
  const { lock } = tryLock(place);
  expect(lock).toBeDefined();
  lock!.release();
  expect(existsSync(place)).toBe(false);
  writeFileSync(place, '');
  expect(() => tryLock(place)).toThrow('ENOTDIR');
  expect(readFileSync(place, 'utf8')).toBe('');
});
