import { Database } from '@inference/database';
import { DetailedException } from '@inference/http';
import { Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { type Caller } from '../caller';
import { findViewedAccount } from '../credentials.repository';
import { rolesOfRoute, type Role, VIEW_ROUTE } from './staff-table';

/** Names the view in whose customer's place staff reads, beside the session that has begun it. */
export const VIEW_HEADER = 'X-Account-View';

const READING = new Set(['GET', 'HEAD']);

const closed = () =>
  new DetailedException(403, 'a view of an account is read only, and does not open this route', {
    code: 'read_only_view',
  });

/**
 * Lets staff read in the place of a customer. The credential is the session of the staff itself: whatever ends that, or its role, ends the
 * view with the same request. Each request asks the database.
 */
@Injectable()
export class AccountViews {
  constructor(private readonly database: Database) {}

  /** The view that a request names; undefined if it is none of staff in the place of a customer. */
  static idIn(request: Request): string | undefined {
    return request.get(VIEW_HEADER);
  }

  /** Throws 403 `read_only_view` for a request that could change something. */
  static requireReading({ method }: Request): void {
    if (!READING.has(method)) throw closed();
  }

  /**
   * The customer in whose place a caller reads, without the caller's session and role.
   * Throws 403: `read_only_view` for what a view does not open, `view_ended` if the caller has no such view any more.
   */
  async customerOf(caller: Caller, request: Request, isOpenInView: boolean): Promise<Caller> {
    AccountViews.requireReading(request);
    if (!isOpenInView) throw closed();
    const accountId = await this.findAccount(caller, AccountViews.idIn(request)!);
    if (accountId === null)
      throw new DetailedException(403, 'this view of an account has ended', { code: 'view_ended' });
    return { accountId, role: 'user', isView: true };
  }

  private async findAccount({ accountId, sessionId, role }: Caller, viewId: string): Promise<string | null> {
    const mayView = (rolesOfRoute(VIEW_ROUTE) as readonly Role[]).includes(role);
    if (!mayView || sessionId === undefined) return null;
    return findViewedAccount(this.database, { id: viewId, staffId: accountId, sessionId });
  }
}
