import { MemoSite, type Person } from '../../memo.fixture';
import { type InvitationListResponse, type InvitationResponse } from './invitation.dto';
import { deleteOldInvitations } from './invitations.repository';

/** How many invitations there may be, and for how long they are kept. */

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

const invite = (email: string, by = owner) =>
  by.json<InvitationResponse>('POST', `${workspace}/invitations`, { email, role: 'viewer' }, 201);
const mailsTo = async (email: string) =>
  (
    await site.pool.query<{ params: unknown }>(
      "SELECT params FROM accounts.mail_outbox WHERE kind = 'workspace_invitation' AND identifier = $1",
      [email],
    )
  ).rows;

/** Ended invitations of another workspace. */
const insertInvitations = (
  count: number,
  { accountId, email }: Person,
  address = "n || '@many.example.com'",
) =>
  site.pool.query(
    `INSERT INTO memo.invitations (id, email, role, invited_by, inviter_email, is_mailed, ended_at)
     SELECT 'inv_' || md5(random()::text), ${address}, 'viewer', $2, $3, true, now() FROM generate_series(1, $1::integer) n`,
    [count, accountId, email],
  );

it('is refused above 100 in an hour, whatever became of them', async () => {
  await insertInvitations(99, owner);
  await invite('last@example.com');
  const answer = await owner.call('POST', `${workspace}/invitations`, {
    email: 'x@example.com',
    role: 'viewer',
  });
  expect(answer.status).toBe(429);
  const seconds = Number(answer.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(3_600);
});

it('is listed but not mailed when the address has got six of these mails in a day', async () => {
  await insertInvitations(5, other, "'often@example.com'");
  await invite('often@example.com');
  await invite('often@example.com');
  expect(await mailsTo('often@example.com')).toHaveLength(1);
  const { invitations } = await owner.json<InvitationListResponse>('GET', `${workspace}/invitations`);
  expect(invitations).toHaveLength(1);
});

it('of one account is mailed twice a day to an address, and does not silence that of another', async () => {
  for (let times = 0; times < 8; times++) await invite('quiet@example.com');
  expect(await mailsTo('quiet@example.com')).toHaveLength(2);
  await owner.addMember(id, other, 'admin');
  await invite('quiet@example.com', other);
  expect((await mailsTo('quiet@example.com')).at(-1)).toEqual({ params: { invitedBy: other.email } });
});

it('leaves room for 1,000 members', async () => {
  await site.pool.query(
    `WITH made AS (
       INSERT INTO accounts.accounts (id, email)
       SELECT 'acct_many' || n, n || '@many.example.com' FROM generate_series(1, 998) n RETURNING id)
     INSERT INTO memo.members (workspace_id, account_id, role, shows_email) SELECT $1, id, 'viewer', false FROM made`,
    [id],
  );
  const invitation = await invite(other.email);
  expect(
    await owner.refusal('POST', `${workspace}/invitations`, { email: 'x@example.com', role: 'viewer' }),
  ).toEqual([409, 'a workspace has 1000 members and open invitations at most; remove one first']);
  const third = await site.person();
  await site.pool.query(
    "INSERT INTO memo.members (workspace_id, account_id, role, shows_email) VALUES ($1, $2, 'viewer', false)",
    [id, third.accountId],
  );
  expect(await other.received.refusal('POST', `/${invitation.id}/accept`)).toEqual([
    409,
    'the workspace has no room for another member',
  ]);
  await owner.json('DELETE', `${workspace}/members/${third.accountId}`, undefined, 204);
  await other.received.json('POST', `/${invitation.id}/accept`);
});

it('is forgotten after 30 days', async () => {
  await invite('old@example.com');
  const { id: recent } = await invite('recent@example.com');
  await site.pool.query(
    "UPDATE memo.invitations SET created_at = now() - interval '31 days' WHERE email = 'old@example.com'",
  );
  await deleteOldInvitations(site.pool);
  const { rows } = await site.pool.query(
    "SELECT id FROM memo.invitations WHERE email IN ('old@example.com', $1)",
    ['recent@example.com'],
  );
  expect(rows).toEqual([{ id: recent }]);
});
