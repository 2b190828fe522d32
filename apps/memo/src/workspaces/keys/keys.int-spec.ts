import { randomBytes } from 'node:crypto';
import { TEST_API_KEY_HASH_SECRET, waitFor, waitForLock } from '@inference/testing';
import { MemoSite, type Person } from '../../memo.fixture';
import { type KeyResponse } from './key.dto';

let site: MemoSite;
let owner: Person;
let member: Person;
let workspace: string;

beforeAll(async () => {
  site = await MemoSite.start();
  [owner, member] = await Promise.all([site.person(), site.person()]);
});
beforeEach(async () => {
  workspace = `/${await owner.newWorkspace()}`;
  await owner.addMember(workspace.slice(1), member, 'editor');
});
afterAll(() => site?.stop());

type MadeKey = KeyResponse & { key: string };
const make = (person: Person, body: object = { name: 'site' }) =>
  person.json<MadeKey>('POST', `${workspace}/keys`, body, 201);
const roleOf = async (person: Person) => (await person.json<{ role: string }>('GET', workspace)).role;
const keysOf = async (person: Person) =>
  (await person.json<{ keys: KeyResponse[] }>('GET', `${workspace}/keys`)).keys;

it('shows a key once and stores its hash', async () => {
  const made = await make(member, { name: ' site ', role: 'editor' });
  expect(made).toEqual({
    id: expect.stringMatching(/^wk_\w{22}$/) as string,
    name: 'site',
    key: expect.stringMatching(/^sk_[0-9A-Za-z]{36}$/) as string,
    prefix: made.key.slice(0, 10),
    role: 'editor',
    effective_role: 'editor',
    created_by: member.accountId,
    created_at: expect.any(String) as string,
    last_used_at: null,
  });
  const { key, ...shown } = made;
  expect(await keysOf(member)).toEqual([shown]);
  const { rows } = await site.pool.query<{ row: string }>('SELECT k::text AS row FROM memo.keys k');
  expect(rows.map(({ row }) => row).join()).not.toContain(key.slice(12));
});

it('is not made with a session that ends while the request waits', async () => {
  const late = await site.person();
  await owner.addMember(workspace.slice(1), late, 'viewer');
  const holding = await site.pool.connect();
  await holding.query('BEGIN');
  await holding.query('SELECT FROM memo.workspaces WHERE id = $1 FOR NO KEY UPDATE', [workspace.slice(1)]);
  const refused = late.refusal('POST', `${workspace}/keys`, { name: 'late' });
  await waitForLock(site.pool);
  await holding.query('UPDATE accounts.sessions SET ended_at = now() WHERE account_id = $1', [
    late.accountId,
  ]);
  await holding.query('COMMIT');
  holding.release();
  expect(await refused).toEqual([401, 'the session has just ended']);
  const { rowCount } = await site.pool.query('SELECT FROM memo.keys WHERE account_id = $1', [late.accountId]);
  expect(rowCount).toBe(0);
});

it('lists keys in pages', async () => {
  const [first, second] = [await make(member), await make(member)];
  const page = (query: string) =>
    member.json<{ keys: KeyResponse[]; next_cursor: string | null }>('GET', `${workspace}/keys${query}`);
  const { keys, next_cursor: cursor } = await page('?limit=1');
  expect(keys.map(({ id }) => id)).toEqual([second.id]);
  expect(await page(`?limit=1&cursor=${cursor}`)).toMatchObject({
    keys: [{ id: first.id }],
    next_cursor: null,
  });
  expect(await member.refusal('GET', `${workspace}/keys?limit=0`)).toEqual([400, expect.any(String)]);
});

it('opens only the workspace of the key, with the key’s role', async () => {
  const elsewhere = await owner.newWorkspace();
  const { key } = await make(owner);
  const caller = owner.withKey(key);
  expect(await roleOf(caller)).toBe('viewer');
  expect(await caller.refusal('GET', `/${elsewhere}`)).toEqual([404, 'no such workspace']);
  // The use is stored beside the answer.
  await waitFor(async () => (await keysOf(owner))[0]!.last_used_at !== null);
});

it('accepts a key while one hash secret replaces the other, and then under the new one', async () => {
  const secret = randomBytes(24).toString('hex');
  const replica = async (environment: Record<string, string>) => {
    const { url } = await site.startReplica(environment);
    return async ({ key }: MadeKey) => {
      const response = await fetch(`${url}/v1/workspaces${workspace}`, { headers: { 'X-API-Key': key } });
      return response.status;
    };
  };
  const both = await replica({
    API_KEY_HASH_SECRET: secret,
    API_KEY_HASH_OTHER_SECRET: TEST_API_KEY_HASH_SECRET,
  });
  const onlyNew = await replica({ API_KEY_HASH_SECRET: secret });
  const made = await make(owner);
  expect(await onlyNew(made)).toBe(401);
  expect(await both(made)).toBe(200);
  await waitFor(async () => (await onlyNew(made)) === 200);
  expect((await owner.withKey(made.key).refusal('GET', workspace))[0]).toBe(401);
  expect(await keysOf(owner)).toMatchObject([{ last_used_at: expect.any(String) as string }]);
});

it('limits a key to the current role of its creator', async () => {
  expect(await member.refusal('POST', `${workspace}/keys`, { name: 'k', role: 'admin' })).toEqual([
    403,
    'role: must not be above your own, editor',
  ]);
  const { key } = await make(member, { name: 'k', role: 'editor' });
  const path = `${workspace}/members/${member.accountId}`;
  const caller = member.withKey(key);
  await owner.json('PATCH', path, { role: 'viewer' });
  expect(await roleOf(caller)).toBe('viewer');
  expect(await keysOf(member)).toMatchObject([{ role: 'editor', effective_role: 'viewer' }]);
  await owner.json('PATCH', path, { role: 'admin' });
  expect(await roleOf(caller)).toBe('editor');
  expect(await keysOf(member)).toMatchObject([{ role: 'editor', effective_role: 'editor' }]);
});

it('deletes a key with the membership of its creator', async () => {
  const { key } = await make(member);
  await owner.json('DELETE', `${workspace}/members/${member.accountId}`, undefined, 204);
  await owner.addMember(workspace.slice(1), member, 'admin');
  expect((await member.withKey(key).refusal('GET', workspace))[0]).toBe(401);
  expect(await keysOf(owner)).toEqual([]);
});

it('lets the creator or an admin delete a key, effective at once', async () => {
  const [own, others] = [await make(member), await make(owner)];
  expect(await keysOf(member)).toHaveLength(1);
  expect(await keysOf(owner)).toHaveLength(2);
  const gone = [404, 'no such key'];
  expect(await member.refusal('DELETE', `${workspace}/keys/${others.id}`)).toEqual(gone);
  await owner.json('DELETE', `${workspace}/keys/${own.id}`, undefined, 204);
  expect(await owner.refusal('DELETE', `${workspace}/keys/${own.id}`)).toEqual(gone);
  expect((await member.withKey(own.key).refusal('GET', workspace))[0]).toBe(401);
  const elsewhere = await owner.newWorkspace();
  expect(await owner.refusal('DELETE', `/${elsewhere}/keys/${others.id}`)).toEqual(gone);
});

it.each([
  ['no name', {}],
  ['an empty name', { name: ' ' }],
  ['a long name', { name: 'x'.repeat(101) }],
  ['no role', { name: 'k', role: 'owner' }],
  ['more', { name: 'k', expires: 1 }],
])('refuses %s', async (_what, body) => {
  expect((await owner.refusal('POST', `${workspace}/keys`, body))[0]).toBe(400);
});

it('limits the number of keys of a member', async () => {
  await site.pool.query(
    `INSERT INTO memo.keys (id, workspace_id, account_id, name, prefix, key_hash, role)
     SELECT 'wk_' || n, $1, $2, 'k', 'sk_', n::text::bytea, 'viewer' FROM generate_series(1, 99) n`,
    [workspace.slice(1), owner.accountId],
  );
  const answers = await Promise.all(
    Array.from({ length: 3 }, () => owner.call('POST', `${workspace}/keys`, { name: 'one more' })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  expect(await owner.refusal('POST', `${workspace}/keys`, { name: 'one more' })).toEqual([
    409,
    'a member has 100 keys at most; delete one first',
  ]);
  await make(member);
});

it('lets no key manage members, keys or the workspace', async () => {
  const { key, id } = await make(owner, { name: 'k', role: 'admin' });
  const caller = owner.withKey(key);
  for (const [method, path, body] of [
    ['GET', '/members', undefined],
    ['GET', '/invitations', undefined],
    ['POST', '/invitations', { email: member.email, role: 'admin' }],
    ['DELETE', '/invitations/inv_unknown', undefined],
    ['PATCH', `/members/${member.accountId}`, { role: 'admin' }],
    ['DELETE', `/members/${member.accountId}`, undefined],
    ['GET', '/keys', undefined],
    ['POST', '/keys', { name: 'k' }],
    ['DELETE', `/keys/${id}`, undefined],
    ['PATCH', '', { name: 'Mine' }],
    ['DELETE', '', undefined],
  ] as const)
    expect([path, (await caller.refusal(method, workspace + path, body))[0]]).toEqual([path, 401]);
  expect((await caller.refusal('GET', ''))[0]).toBe(401);
  expect(await roleOf(caller)).toBe('admin');
});

it.each([
  ['a malformed value', 'sk_short'],
  ['a wrong checksum', `sk_${'0'.repeat(36)}`],
  ['an API key', 'bfvk-000000000000000000000000000000000000'],
  ['an empty value', ''],
])('does not accept %s as a key', async (_what, key) => {
  expect((await owner.withKey(key).refusal('GET', workspace))[0]).toBe(401);
});

it('tells the accepted kinds to another credential', async () => {
  const apiKey = owner.withKey('bfvk-000000000000000000000000000000000000');
  const session = 'a session token (Authorization: Bearer)';
  expect(await apiKey.refusal('GET', workspace)).toEqual([
    401,
    `this route accepts ${session} or a workspace key (X-API-Key), not an API key`,
  ]);
  const { key } = await make(owner);
  expect(await owner.withKey(key).refusal('GET', `${workspace}/keys`)).toEqual([
    401,
    `this route accepts ${session}, not a workspace key`,
  ]);
});

it('prefers a session to a key', async () => {
  const { key } = await make(owner);
  const response = await member.call('GET', workspace, undefined, { 'X-API-Key': key });
  expect(await response.json()).toMatchObject({ role: 'editor' });
});
