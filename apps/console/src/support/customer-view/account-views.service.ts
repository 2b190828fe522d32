import { Database } from '@inference/database';
import { rolesOfRoute, type Role, VIEW_ROUTE } from '@inference/guards';
import { BackgroundJobs, EVERY_MINUTE } from '@inference/jobs';
import {
  ConflictException,
  ForbiddenException,
  Injectable,
  NotFoundException,
  UnauthorizedException,
} from '@nestjs/common';
import { readAccount } from '../../accounts/accounts.repository';
import { type Actor } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import { endSessionOf, lockLiveSession } from '../../identity/sessions/sessions.repository';
import { endDueViews, endView, insertView } from './account-views.repository';
import { type AccountViewResponse } from './customer-view.dto';

/** Chosen: as long as a call with a customer takes. */
const LIFE_SECONDS = 1_800;
/** Views of one transaction. */
const BATCH_ROWS = 100;

/** Lets staff see the console as a customer does, and ends single sessions of customers. The customer sees both as events. */
@Injectable()
export class AccountViewsService {
  constructor(
    private readonly database: Database,
    jobs: BackgroundJobs,
  ) {
    jobs.schedule('end-account-views', EVERY_MINUTE, () => this.endDue());
  }

  /** Throws 404 for an unknown account, 409 for one of staff. */
  async open(staff: Actor, accountId: string, reason: string): Promise<AccountViewResponse> {
    const { accountId: staffId, sessionId, origin } = staff;
    return this.database.transaction(async (transaction) => {
      const account = await readAccount(transaction, accountId);
      if (!account) throw new NotFoundException('no such account');
      if (account.role !== 'user') throw new ConflictException('the account is one of staff');
      if (!(await lockLiveSession(transaction, { accountId: staffId, sessionId })))
        throw new UnauthorizedException('the session has just ended');
      const view = await insertView(transaction, { accountId, staffId, sessionId, reason }, LIFE_SECONDS);
      const expiresAt = view.expiresAt.toISOString();
      await recordAuditEvent(transaction, {
        ...{ type: 'account.view_began', accountId, actorId: staffId, origin },
        details: { view_id: view.id, expires_at: expiresAt, reason },
      });
      return { id: view.id, account_id: accountId, email: account.email, expires_at: expiresAt };
    });
  }

  /** Throws 404 unless the caller has this view of the account, and it is open. */
  async end({ accountId: staffId, origin }: Actor, accountId: string, id: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      if (!(await endView(transaction, { id, accountId, staffId })))
        throw new NotFoundException('no such view');
      await recordAuditEvent(transaction, {
        ...{ type: 'account.view_ended', accountId, actorId: staffId, origin },
        details: { view_id: id, cause: 'staff' },
      });
    });
  }

  /** Throws 404 unless the account has the session, and it is live; 403 for one of staff, unless an admin ends it. */
  async endSession(staff: Actor & { role: Role }, accountId: string, id: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const account = await readAccount(transaction, accountId);
      if (account && account.role !== 'user' && staff.role !== 'admin')
        throw new ForbiddenException('only an admin may end a session of staff');
      if (!(await endSessionOf(transaction, accountId, id))) throw new NotFoundException('no such session');
      await recordAuditEvent(transaction, {
        ...{ type: 'session.ended', accountId, actorId: staff.accountId, origin: staff.origin },
        details: { session_id: id },
      });
    });
  }

  /** Records the end of the views that ran out, or whose session or role ended: they show nothing since then. */
  async endDue(): Promise<void> {
    let count: number;
    do {
      count = await this.database.transaction(async (transaction) => {
        const ended = await endDueViews(transaction, rolesOfRoute(VIEW_ROUTE), BATCH_ROWS);
        for (const { id, accountId, staffId, cause } of ended)
          await recordAuditEvent(transaction, {
            ...{ type: 'account.view_ended', accountId, actorId: staffId, origin: null },
            details: { view_id: id, cause },
          });
        return ended.length;
      });
    } while (count === BATCH_ROWS);
  }
}
