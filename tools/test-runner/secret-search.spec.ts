import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Runs in its own process, because a test cannot load an ES module. */
const SEARCH = `
  import { describeSearch, searchLogs } from ${JSON.stringify(join(__dirname, 'secret-search.mjs'))};
  const search = searchLogs(process.argv[1]);
  console.log(JSON.stringify({ ...search, text: describeSearch(search) }));
`;
const SECRET = 'bfvk-0123456789abcdef';
const TOKENS = [1, 2, 3].map(() => `eyJhbGciOiJFUzI1NiJ9.${randomBytes(60).toString('base64url')}`);

interface Search {
  secrets: number;
  bytes: number;
  findings: { file: string; line: number; masked: string }[];
  text: string;
}

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'secret-search-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
const remember = (...secrets: string[]) =>
  write('secrets', secrets.map((secret) => `${JSON.stringify(secret)}\n`).join(''));
async function search(): Promise<Search> {
  const args = ['--input-type=module', '-e', SEARCH, folder];
  return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout) as Search;
}

it('reports the extent of the search if nothing is found', async () => {
  remember(SECRET, ...TOKENS, SECRET);
  write('console.log', 'GET /api/auth/me\n'.repeat(100_000));
  write('gateway.log', '');
  expect(await search()).toEqual({
    secrets: 4,
    bytes: 1_700_000,
    findings: [],
    text: 'No secret in the logs: 4 secrets, 1.7 MB of logs searched',
  });
});

it('reports an empty search', async () => {
  expect((await search()).text).toBe('No secret in the logs: 0 secrets, 0 MB of logs searched');
});

it.each([
  ['at the beginning', (secret: string) => `${secret} and more`],
  ['at the end', (secret: string) => `{"msg":"who has ${secret}`],
  ['alone', (secret: string) => secret],
  ['after other text', (secret: string) => `${'é'.repeat(70_000)}${secret}"}\n`],
])('finds a secret %s, and does not repeat it', async (_where, text) => {
  remember(...TOKENS, SECRET);
  write('console.log', text(SECRET));
  const { findings, text: described } = await search();
  expect(findings).toEqual([{ file: 'console.log', line: 1, masked: 'bfvk… (21 characters)' }]);
  expect(described).toContain('console.log, line 1: bfvk…');
  expect(described).not.toContain(SECRET);
});

it.each([
  ['inside JSON', 'correct "horse" bättery', '{"msg":"correct \\"horse\\" bättery"}'],
  ['inside a URL', 'correct horse+battery/', '/reset?token=correct%20horse%2Bbattery%2F'],
])('finds a secret as it is written %s', async (_where, secret, line) => {
  remember(secret);
  write('console.log', line);
  expect((await search()).findings).toHaveLength(1);
});

it('distinguishes secrets with a common prefix, and reports the first occurrence of each in each log', async () => {
  remember(...TOKENS);
  write('a.log', `fine\n${TOKENS[1]}\n${TOKENS[1]}\n`);
  write('b.log', `${TOKENS[1]}\n${TOKENS[2]}\n${TOKENS[0]!.slice(0, -1)}`);
  expect((await search()).findings.map(({ file, line }) => [file, line])).toEqual([
    ['a.log', 2],
    ['b.log', 1],
    ['b.log', 2],
  ]);
});

it('accepts secrets with arbitrary characters', async () => {
  remember('half of a pair: \ud800', 'a NUL: \0 0123456789', 'x'.repeat(100_000), SECRET);
  write('console.log', SECRET);
  expect(await search()).toMatchObject({ secrets: 4, findings: [{ file: 'console.log' }] });
});

it('limits the number of printed findings', async () => {
  remember(SECRET);
  for (let log = 10; log < 40; log++) write(`${log}.log`, SECRET);
  const { findings, text } = await search();
  expect(findings).toHaveLength(30);
  expect(text.split('\n')).toHaveLength(22);
  expect(text).toMatch(/29\.log, line 1: .*\n {2}… and 10 more$/);
});

it('ignores short secrets', async () => {
  remember('short', 'eleven-char');
  write('console.log', 'short eleven-char');
  expect(await search()).toMatchObject({ secrets: 0, findings: [] });
});
