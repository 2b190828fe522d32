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
import { adviceOnPassword, generateSecrets, openSecrets } from '../launcher/secrets.mjs';
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

it.each(['', '{}', '[null]', '[1,"x",{"pid":"1"}]'])(
  'takes over a lock whose list of processes is damaged: %j',
  (members) => {
    const place = join(folder, 'lock');
    mkdirSync(place);
    writeFileSync(join(place, 'members.json'), members);
    const { lock } = tryLock(place);
    expect(lock).toBeDefined();
    lock!.release();
    expect(existsSync(place)).toBe(false);
  },
);

it('does not wait for ever for a lock that it cannot have', () => {
  const place = join(folder, 'lock');
  writeFileSync(place, '');
  expect(() => tryLock(place)).toThrow('ENOTDIR');
  expect(readFileSync(place, 'utf8')).toBe('');
});

describe('the secrets of a site', () => {
  const open = () => openSecrets({ dataDir: folder, site: 'intl' } as Parameters<typeof openSecrets>[0]);
  const secrets = generateSecrets('intl');
  const without = (...names: string[]) =>
    Object.fromEntries(Object.entries(secrets).filter(([name]) => !names.includes(name)));
  const store = (content: object) => writeFileSync(join(folder, 'secrets.json'), JSON.stringify(content));

  beforeEach(() => mkdirSync(join(folder, 'postgres')));

  it.each(['encryptionKeys', 'upstreamEncryptionKeys'])('are not replaced if %s are missing', (name) => {
    store(without(name));
    expect(open).toThrow(`secrets.json is damaged: ${name} is missing. The database in the same folder`);
    expect(open).toThrow(`Restore the file, or remove ${folder} to start with an empty database.`);
    expect(readFileSync(join(folder, 'secrets.json'), 'utf8')).toBe(JSON.stringify(without(name)));
  });

  it('of version 0.2.0 and earlier get what these have not written', () => {
    store(without('format', 'upstreamEncryptionKeys'));
    expect(open().secrets).toMatchObject(without('upstreamEncryptionKeys'));
    const stored = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')) as object;
    expect(open().secrets).toEqual(stored);
    expect(stored).toHaveProperty('upstreamEncryptionKeys', [expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });

  it('are named to whoever has another password than the database', () => {
    expect(adviceOnPassword(folder)).toBe(
      `${join(folder, 'secrets.json')} holds a databasePassword that is wrong.\nRestore the file, or remove ${folder} to start with an empty database.`,
    );
  });
});
