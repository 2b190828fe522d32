import { type Executor, newId, type Position, readNewestFirst, type Transaction } from '@inference/database';
import { IsNull, type SelectQueryBuilder } from 'typeorm';
import { Invitation, INVITATION_DAYS, Workspace } from '../../tables/workspace.entity';

/** How long invitations are kept after they were made. */
const KEPT_FOR = "interval '30 days'";

type NewInvitation = Pick<
  Invitation,
  'workspaceId' | 'email' | 'role' | 'invitedBy' | 'inviterEmail' | 'isMailed'
>;
type Sight = { position: Position };

/** The last condition: a member of an earlier version ends no invitations when it stops being an admin. */
const OPEN = `invitation.endedAt IS NULL AND invitation.createdAt > now() - interval '${INVITATION_DAYS} days' AND EXISTS (
  SELECT FROM memo.members m
  WHERE m.workspace_id = invitation.workspaceId AND m.account_id = invitation.invitedBy AND m.role = 'admin')`;
const LOCK = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';
const CONFIRMED_EMAIL = 'SELECT memo.confirmed_email($1) AS email';
const HAS_MEMBER = 'SELECT EXISTS (SELECT FROM memo.member_emails($1) WHERE email = $2) AS found';
const QUEUE_MAIL = 'SELECT accounts.queue_invitation_mail($1, $2, $3)';
const DELETE_OLD = `
  DELETE FROM memo.invitations WHERE id IN (
    SELECT id FROM memo.invitations WHERE created_at < now() - ${KEPT_FOR} FOR UPDATE SKIP LOCKED)`;
const COUNT_BY_INVITER = `
  SELECT count(*)::integer AS count, ceil(extract(epoch FROM min(created_at) + interval '1 hour' - now()))::integer AS seconds
  FROM memo.invitations WHERE invited_by = $1 AND created_at > now() - interval '1 hour'`;
const COUNT_MAILED = `
  SELECT count(*)::integer AS "fromAll", count(*) FILTER (WHERE invited_by = $2)::integer AS "fromOne"
  FROM memo.invitations WHERE email = $1 AND is_mailed AND created_at > now() - interval '1 day'`;

/** Makes other transactions wait that invite as the account, or invite the address. */
export async function lockInvitations(transaction: Transaction, of: string): Promise<void> {
  await transaction.query(LOCK, [`memo.invitations:${of}`]);
}

/** The address of the account in lower case; null while it is not confirmed. */
export async function findConfirmedEmail(executor: Executor, accountId: string): Promise<string | null> {
  const { rows } = await executor.query<{ email: string | null }>(CONFIRMED_EMAIL, [accountId]);
  return rows[0]!.email;
}

/** Whether the list of members shows the address. */
export async function showsMember(executor: Executor, workspaceId: string, email: string): Promise<boolean> {
  const { rows } = await executor.query<{ found: boolean }>(HAS_MEMBER, [workspaceId, email]);
  return rows[0]!.found;
}

/** The invitations of the last hour, and the seconds until the first of them is older. */
export async function countByInviter(
  executor: Executor,
  accountId: string,
): Promise<{ count: number; seconds: number | null }> {
  const { rows } = await executor.query<{ count: number; seconds: number | null }>(COUNT_BY_INVITER, [
    accountId,
  ]);
  return rows[0]!;
}

/** The mails of the last day to an address, from all accounts and from one. */
export async function countMailed(
  executor: Executor,
  { email, invitedBy }: Pick<Invitation, 'email' | 'invitedBy'>,
): Promise<{ fromAll: number; fromOne: number }> {
  const { rows } = await executor.query<{ fromAll: number; fromOne: number }>(COUNT_MAILED, [
    email,
    invitedBy,
  ]);
  return rows[0]!;
}

const open = (executor: Executor): SelectQueryBuilder<Invitation> =>
  executor.repository(Invitation).createQueryBuilder('invitation').where(OPEN);

export function countOpen(executor: Executor, workspaceId: string): Promise<number> {
  return open(executor).andWhere({ workspaceId }).getCount();
}

export async function insertInvitation(
  transaction: Transaction,
  invitation: NewInvitation,
): Promise<Invitation> {
  const invitations = transaction.repository(Invitation);
  const stored = invitations.create({ id: newId('inv'), ...invitation });
  await invitations.insert(stored);
  return stored;
}

/** Requests the mail that tells the address of the invitation. */
export async function queueInvitationMail(
  transaction: Transaction,
  { email, inviterEmail }: Pick<Invitation, 'email' | 'inviterEmail'>,
): Promise<void> {
  await transaction.query(QUEUE_MAIL, [newId('mail'), email, inviterEmail]);
}

/** Newest first. */
export function listOpenOfWorkspace(
  executor: Executor,
  workspaceId: string,
  after: Position | null,
  count: number,
): Promise<(Invitation & Sight)[]> {
  return readNewestFirst(open(executor).andWhere({ workspaceId }), 'createdAt', after, count);
}

/** An invitation with the name of its workspace. */
export type NamedInvitation = Invitation & { workspace: Pick<Workspace, 'name'> };

/** Newest first. */
export function listOpenOfAddress(
  executor: Executor,
  email: string,
  after: Position | null,
  count: number,
): Promise<(NamedInvitation & Sight)[]> {
  const query = open(executor)
    .andWhere({ email })
    .innerJoinAndMapOne(
      'invitation.workspace',
      Workspace,
      'workspace',
      'workspace.id = invitation.workspaceId',
    );
  return readNewestFirst(query as SelectQueryBuilder<NamedInvitation>, 'createdAt', after, count);
}

/** Null if the address or workspace has no such open invitation. */
export function findOpen(
  executor: Executor,
  which: { id: string; email: string } | { id: string; workspaceId: string },
): Promise<Invitation | null> {
  return open(executor).andWhere(which).getOne();
}

/** Ends the invitations that match and have not ended yet. Returns how many. */
export async function endInvitations(
  executor: Executor,
  which: { id?: string; workspaceId?: string; email?: string; invitedBy?: string },
): Promise<number> {
  const { affected } = await executor
    .repository(Invitation)
    .update({ ...which, endedAt: IsNull() }, { endedAt: () => 'clock_timestamp()' });
  return affected ?? 0;
}

/** Deletes invitations that are no longer needed to count those of an account or address. */
export async function deleteOldInvitations(executor: Executor): Promise<void> {
  await executor.query(DELETE_OLD);
}
