import { Injectable, UnauthorizedException } from '@nestjs/common';
import { Database, type Sql } from '@inference/database';
import { readForSignIn } from '../accounts/accounts';
import { type VerifyChallengeDto, type SessionResponse } from './auth.dto';
import { hashChallengeId, SignInService } from './sign-in.service';
import { type Origin } from '../audit-log/request-origin';
import { recordAuditEvent } from '../audit-log/audit-log';
import { LoginThrottle } from '../login-throttle/login-throttle.service';
import { SecondFactorVerifier } from '../second-factor/second-factor-verifier';

const OPEN = 'id_hash = $1 AND ended_at IS NULL AND expires_at > now() AND attempts_left > 0';
const FIND_ACCOUNT = `SELECT account_id FROM accounts.login_challenges WHERE ${OPEN}`;
/** Locks the challenge, so that concurrent attempts run one after another. Each attempt is counted before it is checked. */
const COUNT_ATTEMPT = `
  UPDATE accounts.login_challenges SET attempts_left = attempts_left - 1 WHERE ${OPEN}
  RETURNING account_id AS "accountId", credentials_version AS "credentialsVersion", method, attempts_left AS "attemptsLeft"`;
const END = 'UPDATE accounts.login_challenges SET ended_at = now() WHERE id_hash = $1';

interface Challenge {
  accountId: string;
  credentialsVersion: number;
  method: string;
  attemptsLeft: number;
}

const ENDED = 'the challenge has ended; sign in again';

/** Completes sign-ins that wait for a second factor (see SignInService.begin). */
@Injectable()
export class LoginChallengesService {
  constructor(
    private readonly database: Database,
    private readonly throttle: LoginThrottle,
    private readonly secondFactor: SecondFactorVerifier,
    private readonly signIn: SignInService,
  ) {}

  async verify({ challenge_id: id, code }: VerifyChallengeDto, origin: Origin): Promise<SessionResponse> {
    const idHash = hashChallengeId(id);
    const { rows } = await this.database.query<{ account_id: string }>(FIND_ACCOUNT, [idHash]);
    if (!rows[0]) throw new UnauthorizedException(ENDED);
    const attempt = await this.throttle.admit({
      kind: 'second_factor',
      accountId: rows[0].account_id,
      address: origin.address,
    });
    const outcome = await this.database.transaction((client) => this.tryCode(client, idHash, code, origin));
    if (typeof outcome === 'string') throw new UnauthorizedException(outcome);
    await attempt.recordSuccess();
    return outcome;
  }

  /** Returns the session, or the reason of a failure. It does not throw, because a rollback would undo the count. */
  private async tryCode(
    sql: Sql,
    idHash: Buffer,
    code: string,
    origin: Origin,
  ): Promise<SessionResponse | string> {
    const { rows } = await sql.query<Challenge>(COUNT_ATTEMPT, [idHash]);
    const [challenge] = rows;
    if (!challenge) return ENDED;
    const { accountId, credentialsVersion, method, attemptsLeft } = challenge;
    const account = await readForSignIn(sql, accountId);
    if (!account || account.credentialsVersion !== credentialsVersion) return ENDED;
    const factor = await this.secondFactor.verify(sql, accountId, code);
    if (factor === null) {
      await recordAuditEvent(sql, { type: 'second_factor.failed', accountId, actorId: null, origin });
      return attemptsLeft > 0 ? 'the code is wrong, or was used before' : ENDED;
    }
    await sql.query(END, [idHash]);
    return this.signIn.open(sql, account, { method, second_factor: factor }, origin);
  }
}
