import { waitForLock } from '@inference/testing';
import { MemoSite, type Person } from '../../memo.fixture';
import { type MemberResponse } from '../members/member.dto';
import {
  type InvitationListResponse,
  type InvitationResponse,
  type ReceivedInvitationListResponse,
} from './invitation.dto';

let site: MemoSite;
let owner: Person;
let other: Person;
let id: string;
let workspace: string;

beforeAll(async () => {
  site = await MemoSite.start();
});
beforeEach(async () => {
  [owner, other] = await Promise.all([site.person(), site.person()]);
  id = await owner.newWorkspace();
  workspace = `/${id}`;
});
afterAll(() => site?.stop());

const GONE = [404, 'no such invitation'];
const invite = (email: string, role = 'viewer', by = owner) =>
  by.json<InvitationResponse>('POST', `${workspace}/invitations`, { email, role }, 201);
const refused = (body: unknown, by = owner) => by.refusal('POST', `${workspace}/invitations`, body);
const openOf = async (by = owner) =>
  (await by.json<InvitationListResponse>('GET', `${workspace}/invitations`)).invitations;
const receivedBy = async (person: Person) =>
  (await person.received.json<ReceivedInvitationListResponse>('GET', '')).invitations;
const accept = (person: Person, invitation: { id: string }) =>
  person.received.call('POST', `/${invitation.id}/accept`);
const membersOf = async () =>
  (await owner.json<{ members: MemberResponse[] }>('GET', `${workspace}/members`)).members;
const forget = ({ accountId }: Person) =>
  site.pool.query('UPDATE accounts.accounts SET email_verified_at = NULL WHERE id = $1', [accountId]);
const mailsTo = async (email: string) =>
  (
    await site.pool.query<{ params: unknown }>(
      "SELECT params FROM accounts.mail_outbox WHERE kind = 'workspace_invitation' AND identifier = $1",
      [email],
    )
  ).rows;

it('becomes a membership when the owner of the address accepts', async () => {
  const invitation = await invite(other.email.toUpperCase(), 'editor');
  expect(invitation).toEqual({
    id: expect.stringMatching(/^inv_\w+$/) as string,
    email: other.email,
    role: 'editor',
    invited_by: owner.email,
    created_at: expect.any(String) as string,
    expires_at: expect.any(String) as string,
  });
  const validMillis = Date.parse(invitation.expires_at) - Date.parse(invitation.created_at);
  expect(Math.round(validMillis / 86_400_000)).toBe(7);
  expect((await other.refusal('GET', workspace))[0]).toBe(404);
  expect(await openOf()).toEqual([invitation]);
  const { email: _own, ...facts } = invitation;
  expect(await receivedBy(other)).toEqual([{ ...facts, workspace_name: 'Handbook' }]);
  expect(await other.received.json('POST', `/${invitation.id}/accept`)).toMatchObject({ id, role: 'editor' });
  expect((await membersOf()).at(-1)).toMatchObject({
    user_id: other.accountId,
    email: other.email,
    role: 'editor',
  });
  expect([await openOf(), await receivedBy(other)]).toEqual([[], []]);
  expect(await other.received.refusal('POST', `/${invitation.id}/accept`)).toEqual(GONE);
});

it('has the same answer whether or not an account has the address, and mails both', async () => {
  const answers = [];
  await forget(other);
  const third = await site.person();
  for (const email of ['nobody@example.org', other.email, third.email]) {
    const { id: _id, email: shown, created_at: _at, expires_at: _until, ...rest } = await invite(email);
    expect(shown).toBe(email);
    answers.push(rest);
    expect(await mailsTo(email)).toEqual([{ params: { invitedBy: owner.email } }]);
  }
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
});

it('is not made by an account whose address is not confirmed', async () => {
  await forget(owner);
  const refusal = [403, 'confirm your own e-mail address first'];
  for (const email of ['anybody@example.org', other.email]) {
    expect(await refused({ email, role: 'viewer' })).toEqual(refusal);
    expect(await mailsTo(email)).toEqual([]);
  }
  expect(await openOf()).toEqual([]);
});

it('is nobody’s but the owner’s of the confirmed address', async () => {
  const invitation = await invite(other.email);
  const stranger = await site.person();
  for (const [method, path] of [
    ['POST', '/accept'],
    ['DELETE', ''],
  ] as const)
    expect(await stranger.received.refusal(method, `/${invitation.id}${path}`)).toEqual(GONE);
  await forget(other);
  expect(await receivedBy(other)).toEqual([]);
  expect(await other.received.refusal('POST', `/${invitation.id}/accept`)).toEqual(GONE);
  expect(await other.received.refusal('DELETE', `/${invitation.id}`)).toEqual(GONE);
});

it('can be declined, and revoked', async () => {
  const declined = await invite(other.email);
  await other.received.json('DELETE', `/${declined.id}`, undefined, 204);
  const revoked = await invite(other.email);
  await owner.json('DELETE', `${workspace}/invitations/${revoked.id}`, undefined, 204);
  expect(await openOf()).toEqual([]);
  for (const ended of [declined, revoked]) {
    expect(await other.received.refusal('POST', `/${ended.id}/accept`)).toEqual(GONE);
    expect(await other.received.refusal('DELETE', `/${ended.id}`)).toEqual(GONE);
    expect(await owner.refusal('DELETE', `${workspace}/invitations/${ended.id}`)).toEqual(GONE);
  }
});

it('is replaced by the next one of the address', async () => {
  const first = await invite(other.email, 'admin');
  const second = await invite(other.email, 'viewer');
  expect(await openOf()).toEqual([second]);
  expect((await accept(other, first)).status).toBe(404);
  expect((await accept(other, second)).status).toBe(200);
});

it.each([
  [
    'its seven days are over',
    'UPDATE memo.invitations SET created_at = created_at - make_interval(days => 7) WHERE workspace_id = $1',
  ],
  ['the workspace is deleted', 'DELETE FROM memo.workspaces WHERE id = $1'],
  [
    'an earlier version took the role of who invited',
    "UPDATE memo.members SET role = 'editor' WHERE workspace_id = $1",
  ],
  ['an earlier version removed who invited', 'DELETE FROM memo.members WHERE workspace_id = $1'],
])('ends when %s', async (_when, change) => {
  const invitation = await invite(other.email);
  await site.pool.query(change, [id]);
  expect(await receivedBy(other)).toEqual([]);
  expect(await other.received.refusal('POST', `/${invitation.id}/accept`)).toEqual(GONE);
});

it('cannot be revoked when its seven days are over, or by an admin who has just lost the role', async () => {
  const invitation = await invite(other.email);
  const path = `${workspace}/invitations/${invitation.id}`;
  const demoting = await site.pool.connect();
  await demoting.query('BEGIN');
  await demoting.query('SELECT FROM memo.workspaces WHERE id = $1 FOR NO KEY UPDATE', [id]);
  const revoked = owner.refusal('DELETE', path);
  await waitForLock(site.pool);
  await demoting.query("UPDATE memo.members SET role = 'editor' WHERE workspace_id = $1", [id]);
  await demoting.query('COMMIT');
  expect(await revoked).toEqual([403, 'this needs the role admin']);
  await demoting.query("UPDATE memo.members SET role = 'admin' WHERE workspace_id = $1", [id]);
  await demoting.query(
    'UPDATE memo.invitations SET created_at = created_at - make_interval(days => 7) WHERE workspace_id = $1',
    [id],
  );
  demoting.release();
  expect(await owner.refusal('DELETE', path)).toEqual(GONE);
});

it.each(['PATCH', 'DELETE'])(
  'ends with the role of who invited, and does not come back with it: %s',
  async (method) => {
    await owner.addMember(id, other, 'admin');
    const third = await site.person();
    const invitation = await invite(third.email, 'admin', other);
    await owner.json(
      method,
      `${workspace}/members/${other.accountId}`,
      method === 'PATCH' ? { role: 'editor' } : undefined,
      method === 'PATCH' ? 200 : 204,
    );
    await site.pool.query(
      `INSERT INTO memo.members (workspace_id, account_id, role, shows_email) VALUES ($1, $2, 'admin', true)
     ON CONFLICT (workspace_id, account_id) DO UPDATE SET role = excluded.role`,
      [id, other.accountId],
    );
    expect(await openOf()).toEqual([]);
    expect(await third.received.refusal('POST', `/${invitation.id}/accept`)).toEqual(GONE);
  },
);

it('is accepted once by two requests at the same time', async () => {
  const invitation = await invite(other.email);
  const statuses = (await Promise.all([1, 2, 3].map(() => accept(other, invitation)))).map(
    ({ status }) => status,
  );
  expect(statuses.sort()).toEqual([200, 404, 404]);
});

it('is accepted or revoked, never both', async () => {
  for (let round = 0; round < 5; round++) {
    const person = await site.person();
    const invitation = await invite(person.email);
    const [accepted, revoked] = await Promise.all([
      accept(person, invitation),
      owner.call('DELETE', `${workspace}/invitations/${invitation.id}`),
    ]);
    expect([accepted.status, revoked.status]).toEqual(accepted.ok ? [200, 404] : [404, 204]);
    expect((await membersOf()).some(({ user_id: who }) => who === person.accountId)).toBe(accepted.ok);
  }
});

it('leaves a member the role that it has', async () => {
  const invitation = await invite(other.email, 'viewer');
  await site.pool.query(
    "INSERT INTO memo.members (workspace_id, account_id, role, shows_email) VALUES ($1, $2, 'editor', false)",
    [id, other.accountId],
  );
  expect(await other.received.json('POST', `/${invitation.id}/accept`)).toMatchObject({ role: 'editor' });
});

it('needs the role admin, and an address that the list of members does not show', async () => {
  await owner.addMember(id, other, 'editor');
  const needsAdmin = [403, 'this needs the role admin'];
  expect(await refused({ email: 'a@example.com', role: 'viewer' }, other)).toEqual(needsAdmin);
  expect(await other.refusal('GET', `${workspace}/invitations`)).toEqual(needsAdmin);
  expect(await other.refusal('DELETE', `${workspace}/invitations/inv_unknown`)).toEqual(needsAdmin);
  expect(await refused({ email: other.email, role: 'viewer' })).toEqual([409, 'is a member already']);
});

it('refuses invalid fields and ids', async () => {
  const email = 'ann@example.com';
  for (const body of [
    {},
    { email },
    { role: 'viewer' },
    { email: 'ann', role: 'viewer' },
    { email: `${'x'.repeat(250)}@example.com`, role: 'viewer' },
    { email: 7, role: 'viewer' },
    { email, role: 'owner' },
    { email, role: 'viewer', user_id: other.accountId },
  ])
    expect((await refused(body))[0]).toBe(400);
  for (const unknown of ['inv_unknown', 'inv_%00', 'x', `inv_${'x'.repeat(65)}`]) {
    expect(await owner.refusal('DELETE', `${workspace}/invitations/${unknown}`)).toEqual(GONE);
    expect(await owner.received.refusal('POST', `/${unknown}/accept`)).toEqual(GONE);
    expect(await owner.received.refusal('DELETE', `/${unknown}`)).toEqual(GONE);
  }
});

it('is listed in pages', async () => {
  const first = await invite('a@example.com');
  const second = await invite('b@example.com');
  const page = (query: string) =>
    owner.json<InvitationListResponse>('GET', `${workspace}/invitations?${query}`);
  const { invitations, next_cursor: cursor } = await page('limit=1');
  expect(invitations).toEqual([second]);
  expect(await page(`limit=1&cursor=${cursor}`)).toEqual({ invitations: [first], next_cursor: null });
  const another = await owner.newWorkspace('Other');
  await owner.json('POST', `/${another}/invitations`, { email: other.email, role: 'viewer' }, 201);
  await invite(other.email);
  const received = (query: string) => other.received.json<ReceivedInvitationListResponse>('GET', `?${query}`);
  const page1 = await received('limit=1');
  expect(page1.invitations.map(({ workspace_name: name }) => name)).toEqual(['Handbook']);
  const page2 = await received(`limit=1&cursor=${page1.next_cursor}`);
  expect(page2.invitations.map(({ workspace_name: name }) => name)).toEqual(['Other']);
  expect((await other.received.refusal('GET', '?cursor=x'))[0]).toBe(400);
});
