import { MemoSite, type Person } from '../../memo.fixture';
import { type MemberResponse } from './member.dto';

let site: MemoSite;
let owner: Person;
let other: Person;
let workspace: string;

beforeAll(async () => {
  site = await MemoSite.start();
  [owner, other] = await Promise.all([site.person(), site.person()]);
});
beforeEach(async () => (workspace = `/${await owner.newWorkspace()}`));
afterAll(() => site?.stop());

const LAST = [409, 'a workspace keeps at least one admin'];
const NEEDS_ADMIN = [403, 'this needs the role admin'];
const emailOf = ({ accountId }: Person) => `${accountId.toLowerCase()}@example.com`;
const add = (person: Person, role: string) =>
  owner.json<MemberResponse>('POST', `${workspace}/members`, { user_id: person.accountId, role }, 201);
const membersOf = async (person: Person) =>
  (await person.json<{ members: MemberResponse[] }>('GET', `${workspace}/members`)).members;

it('lists the members in the order in which they were added', async () => {
  const added = await add(other, 'viewer');
  expect(added).toEqual({
    user_id: other.accountId,
    email: null,
    role: 'viewer',
    created_at: expect.any(String) as string,
  });
  expect((await membersOf(other)).map(({ user_id: id, role }) => [id, role])).toEqual([
    [owner.accountId, 'admin'],
    [other.accountId, 'viewer'],
  ]);
});

it('lists the members in pages', async () => {
  await add(other, 'viewer');
  const page = (query: string) =>
    other.json<{ members: MemberResponse[]; next_cursor: string | null }>(
      'GET',
      `${workspace}/members${query}`,
    );
  const { members, next_cursor: cursor } = await page('?limit=1');
  expect(members.map(({ user_id: id }) => id)).toEqual([owner.accountId]);
  expect(await page(`?limit=1&cursor=${cursor}`)).toMatchObject({
    ...{ members: [{ user_id: other.accountId }], next_cursor: null },
  });
  expect(await other.refusal('GET', `${workspace}/members?cursor=x`)).toEqual([400, 'cursor: is not valid']);
});

it('adds an account by its confirmed address, however it is written', async () => {
  const body = { email: emailOf(other).toUpperCase(), role: 'editor' };
  const unknown = [404, 'no account has this address and has confirmed it'];
  expect(await owner.refusal('POST', `${workspace}/members`, body)).toEqual(unknown);
  await site.pool.query('UPDATE accounts.accounts SET email_verified_at = now() WHERE id = $1', [
    other.accountId,
  ]);
  expect(await owner.json('POST', `${workspace}/members`, body, 201)).toMatchObject({
    user_id: other.accountId,
  });
});

it('shows the address only of the creator and of members added by address', async () => {
  const third = await site.person();
  await site.pool.query('UPDATE accounts.accounts SET email_verified_at = now() WHERE id = $1', [
    third.accountId,
  ]);
  const body = { email: emailOf(third), role: 'viewer' };
  expect(await owner.json('POST', `${workspace}/members`, body, 201)).toMatchObject({
    email: emailOf(third),
  });
  await add(other, 'viewer');
  const promoted = await owner.json('PATCH', `${workspace}/members/${other.accountId}`, { role: 'admin' });
  expect(promoted).toMatchObject({ role: 'admin', email: null });
  for (const reader of [owner, other, third])
    expect((await membersOf(reader)).map(({ email }) => email)).toEqual([
      emailOf(owner),
      emailOf(third),
      null,
    ]);
});

it('refuses unknown accounts, existing members and invalid roles', async () => {
  const post = (body: unknown) => owner.refusal('POST', `${workspace}/members`, body);
  expect(await post({ user_id: 'acct_unknown', role: 'viewer' })).toEqual([404, 'no such account']);
  await add(other, 'viewer');
  expect(await post({ user_id: other.accountId, role: 'admin' })).toEqual([409, 'is a member already']);
  for (const body of [
    { role: 'viewer' },
    { user_id: other.accountId, email: emailOf(other), role: 'viewer' },
    { user_id: other.accountId, role: 'owner' },
    { user_id: other.accountId },
  ])
    expect((await post(body))[0]).toBe(400);
  for (const userId of [7, '', 'someone', 'acct_', 'pay_1', 'acct_a\0', 'x'.repeat(65)])
    expect(await post({ user_id: userId, role: 'viewer' })).toEqual([
      400,
      expect.stringContaining('user_id: '),
    ]);
});

it('limits the number of members', async () => {
  await site.pool.query(
    `WITH made AS (
       INSERT INTO accounts.accounts (id, email)
       SELECT 'acct_many' || n, n || '@many.example.com' FROM generate_series(1, 998) n RETURNING id)
     INSERT INTO memo.members (workspace_id, account_id, role, shows_email) SELECT $1, id, 'viewer', false FROM made`,
    [workspace.slice(1)],
  );
  const post = ({ accountId }: Person) =>
    owner.call('POST', `${workspace}/members`, { user_id: accountId, role: 'viewer' });
  const third = await site.person();
  const statuses = (await Promise.all([post(other), post(third)])).map(({ status }) => status);
  expect(statuses.sort()).toEqual([201, 409]);
  const body = { user_id: (await site.person()).accountId, role: 'viewer' };
  expect(await owner.refusal('POST', `${workspace}/members`, body)).toEqual([
    409,
    'a workspace has 1000 members at most; remove one first',
  ]);
});

it('lets only admins add, change and remove others', async () => {
  const third = await site.person();
  await add(third, 'viewer');
  await add(other, 'editor');
  const path = `${workspace}/members/${third.accountId}`;
  expect(await other.refusal('PATCH', path, { role: 'admin' })).toEqual(NEEDS_ADMIN);
  expect(await other.refusal('DELETE', path)).toEqual(NEEDS_ADMIN);
  expect(await other.refusal('POST', `${workspace}/members`, { user_id: 'acct_x', role: 'viewer' })).toEqual(
    NEEDS_ADMIN,
  );
  expect(await owner.json('PATCH', path, { role: 'editor' })).toMatchObject({ role: 'editor' });
  await owner.json('DELETE', path, undefined, 204);
  for (const method of ['PATCH', 'DELETE'])
    expect(await owner.refusal(method, path, { role: 'editor' })).toEqual([404, 'no such member']);
});

it('lets every member leave', async () => {
  await add(other, 'viewer');
  await other.json('DELETE', `${workspace}/members/${other.accountId}`, undefined, 204);
  expect(await other.refusal('GET', workspace)).toEqual([404, 'no such workspace']);
});

it('keeps the last admin', async () => {
  const path = `${workspace}/members/${owner.accountId}`;
  await add(other, 'editor');
  expect(await owner.refusal('DELETE', path)).toEqual(LAST);
  expect(await owner.refusal('PATCH', path, { role: 'editor' })).toEqual(LAST);
  expect(await owner.json('PATCH', path, { role: 'admin' })).toMatchObject({ role: 'admin' });
  await owner.json('PATCH', `${workspace}/members/${other.accountId}`, { role: 'admin' });
  await owner.json('DELETE', path, undefined, 204);
  expect((await membersOf(other)).map(({ user_id: id }) => id)).toEqual([other.accountId]);
});

it('keeps one of two admins who remove each other at the same time', async () => {
  for (let round = 0; round < 5; round++) {
    workspace = `/${await owner.newWorkspace()}`;
    await add(other, 'admin');
    const answers = await Promise.all([
      owner.call('DELETE', `${workspace}/members/${other.accountId}`),
      other.call('PATCH', `${workspace}/members/${owner.accountId}`, { role: 'viewer' }),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status < 300)).toHaveLength(1);
    const { rows } = await site.pool.query<{ count: bigint }>(
      "SELECT count(*) FROM memo.members WHERE workspace_id = $1 AND role = 'admin'",
      [workspace.slice(1)],
    );
    expect(rows[0]!.count).toBe(1n);
  }
});

it('keeps one of two admins who both leave at the same time', async () => {
  await add(other, 'admin');
  const answers = await Promise.all(
    [owner, other].map((person) => person.call('DELETE', `${workspace}/members/${person.accountId}`)),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
});
