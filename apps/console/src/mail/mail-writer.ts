import { inTransaction, type Sql, type SqlPool } from '@inference/database';
import { type Account, findForLogin, readAccount } from '../auth/accounts';
import { type ConsoleConfig } from '../config';
import { recordEvent } from '../events/security-events';
import { instantText, type Letter, renderLetter, toOneLine } from './letter';
import {
  isMailKind,
  isMoneyMailKind,
  isTokenMailKind,
  MAIL_KINDS,
  type MailKind,
  type MailParams,
  type TokenMailKind,
} from './mail-kinds';
import { countTokenMails, createMailToken } from './mail-tokens';
import { type MailContent, writeMoneyMail } from './money-mail';
import { type ClaimedMail } from './outbox';

/** Nobody's mailbox is filled by asking for mails to it. */
const TOKEN_MAILS_PER_MINUTE = 1;
const TOKEN_MAILS_PER_HOUR = 5;
const EARLIER_ATTEMPT = 'SELECT FROM accounts.mail_tokens WHERE account_id = $1 AND mail_id = $2 LIMIT 1';
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('mail ' || $1, 0))";

/** A mail that is ready to be sent. */
export interface WrittenMail extends MailContent {
  /** Of its row in the outbox; the same however often it is sent. */
  id: string;
  kind: MailKind;
  createdAt: Date;
  /** An address alone. */
  to: string;
}

/** Makes of a row of the outbox the mail that it stands for. */
export class MailWriter {
  private readonly siteName: string;

  constructor(
    private readonly pool: SqlPool,
    private readonly config: ConsoleConfig,
  ) {
    this.siteName = toOneLine(config.SITE_NAME);
  }

  /** Null when there is nothing to send: nobody has such an account, the address is verified, or it has had enough. */
  async write(row: ClaimedMail): Promise<WrittenMail | null> {
    const { id, kind, createdAt } = row;
    if (!isMailKind(kind)) throw new Error('a kind of mail that is unknown here');
    const account = await this.findAccount(row);
    if (!account || (kind === 'verify_email' && account.emailVerified)) return null;
    const letter = await this.writeTo(account, kind, row);
    return letter && { id, kind, createdAt, to: account.email, ...letter };
  }

  private async writeTo(account: Account, kind: MailKind, row: ClaimedMail): Promise<MailContent | null> {
    const { siteName } = this;
    const consoleUrl = this.config.CONSOLE_UI_URL;
    if (isTokenMailKind(kind)) return this.writeWithToken(kind, account, row);
    if (isMoneyMailKind(kind))
      return writeMoneyMail(this.pool, kind, row.params, account, { siteName, consoleUrl });
    const { at, address }: MailParams = row.params as MailParams;
    return renderLetter(kind, account.language, {
      siteName,
      consoleUrl,
      at: instantText(at ?? row.createdAt),
      address: address ?? null,
    });
  }

  private async findAccount({ identifier, accountId }: ClaimedMail): Promise<Account | null> {
    const id = identifier === null ? accountId : (await findForLogin(this.pool, identifier))?.id;
    return id == null ? null : readAccount(this.pool, id);
  }

  private async writeWithToken(
    purpose: TokenMailKind,
    { id: accountId, email, emailVerified, language }: Account,
    { id: mailId, params }: ClaimedMail,
  ): Promise<Letter | null> {
    const token = await inTransaction(this.pool, async (client) => {
      // Several consoles may have a mail for the account in hand.
      await client.query(LOCK, [accountId]);
      const sent = await countTokenMails(client, { accountId, purpose, mailId });
      if (sent.minute >= this.limit(TOKEN_MAILS_PER_MINUTE) || sent.hour >= this.limit(TOKEN_MAILS_PER_HOUR))
        return null;
      if (purpose === 'reset_password') await recordRequest(client, accountId, mailId, params as MailParams);
      return createMailToken(client, { accountId, purpose, email, mailId });
    });
    if (token === null) return null;
    const { page, validSeconds } = MAIL_KINDS[purpose].token;
    // In the fragment, which no server sees.
    return renderLetter(purpose, language, {
      siteName: this.siteName,
      link: `${this.config.CONSOLE_UI_URL}${page}#token=${token}`,
      token,
      validHours: validSeconds / 3_600,
      isFirstProof: !emailVerified,
    });
  }

  private limit(count: number): number {
    return Math.max(1, count * this.config.RATE_LIMIT_MULTIPLIER);
  }
}

/**
 * Here, because whoever takes the request must not know whether there is an account to record it for. Once, however
 * often its mail is tried: each attempt has a token of its own.
 */
async function recordRequest(
  sql: Sql,
  accountId: string,
  mailId: string,
  { address }: MailParams,
): Promise<void> {
  const earlier = await sql.query(EARLIER_ATTEMPT, [accountId, mailId]);
  if (earlier.rowCount !== 0) return;
  const origin = { address: address ?? null, userAgent: null };
  await recordEvent(sql, { type: 'password.reset_requested', accountId, actorId: null, origin });
}
