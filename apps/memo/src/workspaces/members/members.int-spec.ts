import { type WorkspaceRole } from '../../tables/workspace.entity';
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
const add = (person: Person, role: WorkspaceRole) => owner.addMember(workspace.slice(1), person, role);
const membersOf = async (person: Person) =>
  (await person.json<{ members: MemberResponse[] }>('GET', `${workspace}/members`)).members;

it('lists the members in the order in which they joined', async () => {
  await add(other, 'viewer');
  expect((await membersOf(owner))[1]).toEqual({
    user_id: other.accountId,
    email: other.email,
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

it('shows the address of the creator and of those who were invited, and of no earlier member', async () => {
  const third = await site.person();
  await add(third, 'viewer');
  await site.pool.query(
    "INSERT INTO memo.members (workspace_id, account_id, role, shows_email) VALUES ($1, $2, 'viewer', false)",
    [workspace.slice(1), other.accountId],
  );
  const promoted = await owner.json('PATCH', `${workspace}/members/${other.accountId}`, { role: 'admin' });
  expect(promoted).toMatchObject({ role: 'admin', email: null });
  for (const reader of [owner, other, third])
    expect((await membersOf(reader)).map(({ email }) => email)).toEqual([owner.email, third.email, null]);
});

it('lets only admins change and remove others', async () => {
  const third = await site.person();
  await add(third, 'viewer');
  await add(other, 'editor');
  const path = `${workspace}/members/${third.accountId}`;
  expect(await other.refusal('PATCH', path, { role: 'admin' })).toEqual(NEEDS_ADMIN);
  expect(await other.refusal('DELETE', path)).toEqual(NEEDS_ADMIN);
  expect((await owner.refusal('PATCH', path, { role: 'owner' }))[0]).toBe(400);
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
