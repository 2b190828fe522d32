import { Inject, Injectable, UnauthorizedException } from '@nestjs/common';
import { inTransaction, type Sql, SQL_POOL, type SqlPool } from '@inference/database';
import { readForSignIn } from '../auth/accounts';
import { type SessionView } from '../auth/auth.dto';
import { hashChallengeId, SignInService } from '../auth/sign-in.service';
import { type Origin } from '../events/request-origin';
import { recordEvent } from '../events/security-events';
import { GuessDesk } from '../guesses/guess-desk';
import { SecondFactor } from './second-factor';
import { type Verification } from './two-factor.dto';

const OPEN = 'id_hash = $1 AND ended_at IS NULL AND expires_at > now() AND tries_left > 0';
const WHOSE = `SELECT account_id FROM accounts.login_challenges WHERE ${OPEN}`;
/** Locks the challenge, so that tries at once come one after another; each is counted whatever comes of it. */
const TRY = `
  UPDATE accounts.login_challenges SET tries_left = tries_left - 1 WHERE ${OPEN}
  RETURNING account_id AS "accountId", credentials_version AS "credentialsVersion", method, tries_left AS "triesLeft"`;
const END = 'UPDATE accounts.login_challenges SET ended_at = now() WHERE id_hash = $1';

interface Challenge {
  accountId: string;
  credentialsVersion: number;
  method: string;
  triesLeft: number;
}

const ENDED = 'the challenge has ended; sign in again';

/** Completes the sign-ins that wait for a second factor (see SignInService.begin). */
@Injectable()
export class ChallengesService {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    private readonly guesses: GuessDesk,
    private readonly secondFactor: SecondFactor,
    private readonly signIn: SignInService,
  ) {}

  async verify({ challenge_id: id, code }: Verification, origin: Origin): Promise<SessionView> {
    const idHash = hashChallengeId(id);
    const { rows } = await this.pool.query<{ account_id: string }>(WHOSE, [idHash]);
    if (!rows[0]) throw new UnauthorizedException(ENDED);
    const guess = await this.guesses.admit({
      kind: 'second_factor',
      accountId: rows[0].account_id,
      address: origin.address,
    });
    const outcome = await inTransaction(this.pool, (client) => this.tryCode(client, idHash, code, origin));
    if (typeof outcome === 'string') throw new UnauthorizedException(outcome);
    await guess.wasRight();
    return outcome;
  }

  /** The session, or why there is none: a try that failed must stay counted, so nothing is thrown here. */
  private async tryCode(
    sql: Sql,
    idHash: Buffer,
    code: string,
    origin: Origin,
  ): Promise<SessionView | string> {
    const { rows } = await sql.query<Challenge>(TRY, [idHash]);
    const [challenge] = rows;
    if (!challenge) return ENDED;
    const { accountId, credentialsVersion, method, triesLeft } = challenge;
    const account = await readForSignIn(sql, accountId);
    if (!account || account.credentialsVersion !== credentialsVersion) return ENDED;
    const factor = await this.secondFactor.take(sql, accountId, code);
    if (factor === null) {
      await recordEvent(sql, { type: 'second_factor.failed', accountId, actorId: null, origin });
      return triesLeft > 0 ? 'the code is wrong, or was used before' : ENDED;
    }
    await sql.query(END, [idHash]);
    return this.signIn.open(sql, account, { method, second_factor: factor }, origin);
  }
}
