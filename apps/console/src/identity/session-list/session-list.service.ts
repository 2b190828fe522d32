import { Database } from '@inference/database';
import { Injectable, NotFoundException, UnauthorizedException } from '@nestjs/common';
import { type Actor } from '../../accounts/audit-log/actor';
import { recordActorEvent } from '../../accounts/audit-log/audit-log';
import { lockAccount } from '../../accounts/credentials.repository';
import { endOtherSessions, endSessionOf, lockLiveSession } from '../sessions/sessions.repository';
import { type ListedSessionResponse } from './session-list.dto';
import { listLiveSessions } from './session-list.repository';

/** Name and form in a user agent, the more particular ones first: Edge also claims to be Chrome, and Chrome to be Safari. */
const BROWSERS: [name: string, pattern: RegExp][] = [
  ['WeChat', /\bMicroMessenger\//],
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\b(OPR|OPiOS|Opera)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|Chromium|CriOS|HeadlessChrome)\//],
  ['Safari', /\bVersion\/[\d.]+ .*Safari\//],
];
/** Android also claims to be Linux, and iOS to be like macOS. */
const SYSTEMS: [name: string, pattern: RegExp][] = [
  ['Windows', /\bWindows\b/],
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['HarmonyOS', /\b(HarmonyOS|OpenHarmony)\b/],
  ['macOS', /\bMacintosh\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];
/** What other programs call themselves, such as `curl/8.14.1`. */
const PROGRAM = /^([A-Za-z][A-Za-z0-9_.-]{0,39})(\/|$| )/;
const UNKNOWN = 'unknown';

const nameIn = (names: [string, RegExp][], text: string) =>
  names.find(([, pattern]) => pattern.test(text))?.[0];

/** A short text for people, such as `Chrome on Windows` or `curl`: what a user agent says, which anybody can forge. */
export function deviceOf(userAgent: string | null): string {
  if (userAgent === null) return UNKNOWN;
  const browser = nameIn(BROWSERS, userAgent);
  const system = nameIn(SYSTEMS, userAgent);
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  const program = PROGRAM.exec(userAgent)?.[1];
  // Every browser begins so.
  if (program === undefined || program === 'Mozilla') return system ?? UNKNOWN;
  return program;
}

/** Chosen: more than a person has. Sessions of programs that never sign out are beyond it. */
const MAX_LISTED = 100;

/** The sessions of an account, for its owner. */
@Injectable()
export class SessionListService {
  constructor(private readonly database: Database) {}

  /** @param ownId the session that asks; undefined for staff in the place of the account */
  async list(accountId: string, ownId: string | undefined): Promise<ListedSessionResponse[]> {
    const sessions = await listLiveSessions(this.database, { accountId, sessionId: ownId ?? '' }, MAX_LISTED);
    return sessions.map(({ id, userAgent, address, createdAt, usedAt }) => ({
      id,
      device: deviceOf(userAgent),
      ip_address: address,
      created_at: createdAt.toISOString(),
      last_used_at: usedAt.toISOString(),
      current: id === ownId,
    }));
  }

  async end(actor: Actor, id: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      if (!(await endSessionOf(transaction, actor.accountId, id)))
        throw new NotFoundException('no such session');
      await recordActorEvent(transaction, actor, 'session.ended', { session_id: id });
    });
  }

  async endOthers(actor: Actor): Promise<void> {
    const { accountId, sessionId } = actor;
    await this.database.transaction(async (transaction) => {
      // Two requests that end many sessions must not wait for each other's.
      await lockAccount(transaction, accountId);
      // The session may have ended while this transaction waited for the lock of the account.
      if (!(await lockLiveSession(transaction, { accountId, sessionId })))
        throw new UnauthorizedException('the session has just ended');
      const count = await endOtherSessions(transaction, accountId, sessionId);
      await recordActorEvent(transaction, actor, 'session.others_ended', { count });
    });
  }
}
