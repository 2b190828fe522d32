import { ConflictException, ForbiddenException, Injectable, NotFoundException } from '@nestjs/common';
import { Database, type Executor, type Transaction } from '@inference/database';
import { type Caller } from '@inference/guards';
import { type PageQuery, readPage, TooManyRequestsException } from '@inference/http';
import { type Member } from '../../access/member';
import { lockAsAdmin } from '../members/members.service';
import { countMembers, insertMember } from '../members/members.repository';
import { type Invitation, INVITATION_DAYS, MAX_MEMBERS } from '../../tables/workspace.entity';
import { type WorkspaceResponse } from '../workspace.dto';
import { lockWorkspace } from '../../access/membership.repository';
import { WorkspacesService } from '../workspaces.service';
import {
  type InvitationListResponse,
  type InvitationResponse,
  type InviteDto,
  type ReceivedInvitationListResponse,
} from './invitation.dto';
import {
  countByInviter,
  countMailed,
  countOpen,
  endInvitations,
  findConfirmedEmail,
  findOpen,
  insertInvitation,
  listOpenOfAddress,
  listOpenOfWorkspace,
  lockInvitations,
  queueInvitationMail,
  showsMember,
} from './invitations.repository';

/** Chosen: a department is invited in one sitting; half would interrupt it, twice as many let one account send twice the mail. */
const MAX_INVITATIONS_PER_HOUR = 100;
/**
 * Strangers can cause these mails. Further invitations of the address are not mailed; they are listed all the same. One account
 * causes only some of them, so that it cannot keep the invitations of others from being mailed.
 */
const MAX_MAILS_PER_ADDRESS_AND_DAY = 6;
const MAX_MAILS_PER_INVITER_ADDRESS_AND_DAY = 2;

const DAY_MILLIS = 86_400_000;

const invitationNotFound = () => new NotFoundException('no such invitation');

/**
 * Invitations are for an address. Whether an account has it is never looked up: who signs in with an account whose confirmed
 * address it is finds the invitation and decides.
 */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly database: Database,
    private readonly workspaces: WorkspacesService,
  ) {}

  /**
   * Replaces an open invitation of the address. Throws 403 if the caller's own address is not confirmed, 409 if the list of
   * members shows the address or the workspace is full, and 429 if the caller has invited too many.
   */
  async invite(member: Member, { email, role }: InviteDto): Promise<InvitationResponse> {
    const { workspaceId, accountId } = member;
    return this.database.transaction(async (transaction) => {
      await lockInvitations(transaction, accountId);
      await lockAsAdmin(transaction, member);
      const inviterEmail = await findConfirmedEmail(transaction, accountId);
      if (inviterEmail === null) throw new ForbiddenException('confirm your own e-mail address first');
      if (await showsMember(transaction, workspaceId, email))
        throw new ConflictException('is a member already');
      await requireFewInvitations(transaction, accountId);
      await endInvitations(transaction, { workspaceId, email });
      await requireRoom(transaction, workspaceId);
      await lockInvitations(transaction, email);
      const mailed = await countMailed(transaction, { email, invitedBy: accountId });
      const isMailed =
        mailed.fromAll < MAX_MAILS_PER_ADDRESS_AND_DAY &&
        mailed.fromOne < MAX_MAILS_PER_INVITER_ADDRESS_AND_DAY;
      const invitation = { workspaceId, email, role, invitedBy: accountId, inviterEmail, isMailed };
      const created = await insertInvitation(transaction, invitation);
      if (isMailed) await queueInvitationMail(transaction, created);
      return responseOf(created);
    });
  }

  async list({ workspaceId }: Member, query: PageQuery): Promise<InvitationListResponse> {
    const { rows, nextCursor } = await readPage(`invitations:${workspaceId}`, query, (after, count) =>
      listOpenOfWorkspace(this.database, workspaceId, after, count),
    );
    return { invitations: rows.map(responseOf), next_cursor: nextCursor };
  }

  /** Throws 404 if the workspace has no such open invitation. */
  async revoke(member: Member, id: string): Promise<void> {
    const { workspaceId } = member;
    await this.database.transaction(async (transaction) => {
      await lockAsAdmin(transaction, member);
      if (!(await findOpen(transaction, { id, workspaceId }))) throw invitationNotFound();
      await endInvitations(transaction, { id, workspaceId });
    });
  }

  /** Empty while the caller's address is not confirmed. */
  async listReceived({ accountId }: Caller, query: PageQuery): Promise<ReceivedInvitationListResponse> {
    const email = await findConfirmedEmail(this.database, accountId);
    const { rows, nextCursor } = await readPage(
      `received-invitations:${accountId}`,
      query,
      async (after, count) => (email === null ? [] : listOpenOfAddress(this.database, email, after, count)),
    );
    const invitations = rows.map((row) => {
      const { email: _own, ...facts } = responseOf(row);
      return { ...facts, workspace_name: row.workspace.name };
    });
    return { invitations, next_cursor: nextCursor };
  }

  /**
   * Makes the caller a member. A member keeps the role that it has. Throws 404 unless the invitation is open and for the caller's
   * confirmed address, and 409 if the workspace is full.
   */
  async accept({ accountId }: Caller, id: string): Promise<WorkspaceResponse> {
    const workspaceId = await this.database.transaction(async (transaction) => {
      const found = await findReceived(transaction, accountId, id);
      // The workspace first, as all changes of members do. Meanwhile the invitation may have ended.
      if (!(await lockWorkspace(transaction, found.workspaceId!))) throw invitationNotFound();
      const { role } = await findReceived(transaction, accountId, id);
      if ((await endInvitations(transaction, { id })) === 0) throw invitationNotFound();
      await insertMember(transaction, { workspaceId: found.workspaceId!, accountId, role, showsEmail: true });
      if ((await countMembers(transaction, found.workspaceId!)) > MAX_MEMBERS)
        throw new ConflictException('the workspace has no room for another member');
      return found.workspaceId!;
    });
    return this.workspaces.findAsMember(workspaceId, accountId);
  }

  async decline({ accountId }: Caller, id: string): Promise<void> {
    const { email } = await findReceived(this.database, accountId, id);
    if ((await endInvitations(this.database, { id, email })) === 0) throw invitationNotFound();
  }
}

async function requireFewInvitations(transaction: Transaction, accountId: string): Promise<void> {
  const { count, seconds } = await countByInviter(transaction, accountId);
  if (count < MAX_INVITATIONS_PER_HOUR) return;
  const message = `an account invites ${MAX_INVITATIONS_PER_HOUR} people an hour at most`;
  throw new TooManyRequestsException(message, Math.max(1, seconds ?? 0));
}

async function requireRoom(transaction: Transaction, workspaceId: string): Promise<void> {
  const members = await countMembers(transaction, workspaceId);
  if (members + (await countOpen(transaction, workspaceId)) >= MAX_MEMBERS)
    throw new ConflictException(
      `a workspace has ${MAX_MEMBERS} members and open invitations at most; remove one first`,
    );
}

async function findReceived(executor: Executor, accountId: string, id: string): Promise<Invitation> {
  const email = await findConfirmedEmail(executor, accountId);
  const found = email === null ? null : await findOpen(executor, { id, email });
  if (!found) throw invitationNotFound();
  return found;
}

const responseOf = (invitation: Invitation): InvitationResponse => ({
  id: invitation.id,
  email: invitation.email,
  role: invitation.role,
  invited_by: invitation.inviterEmail,
  created_at: invitation.createdAt.toISOString(),
  expires_at: new Date(invitation.createdAt.getTime() + INVITATION_DAYS * DAY_MILLIS).toISOString(),
});
