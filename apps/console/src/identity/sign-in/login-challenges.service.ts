import { Database, type Transaction } from '@inference/database';
import { Injectable, UnauthorizedException } from '@nestjs/common';
import { readForSignIn } from '../../accounts/accounts.repository';
import { type Origin } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import { LoginThrottle } from '../login-throttle/login-throttle.service';
import { SecondFactorVerifier } from '../second-factor/second-factor-verifier';
import { type VerifyChallengeDto } from './auth.dto';
import { countChallengeAttempt, endChallenge, findOpenChallenge } from './login-challenges.repository';
import { hashChallengeId, type SignedIn, SignInService } from './sign-in.service';

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

  async verify({ challenge_id: id, code }: VerifyChallengeDto, origin: Origin): Promise<SignedIn> {
    const idHash = hashChallengeId(id);
    const challenge = await findOpenChallenge(this.database, idHash);
    if (!challenge) throw new UnauthorizedException(ENDED);
    const account = await readForSignIn(this.database, challenge.accountId);
    if (account) await this.signIn.refuseSuspended(account, 'challenge', origin);
    const attempt = await this.throttle.admit({
      kind: 'second_factor',
      accountId: challenge.accountId,
      address: origin.address,
    });
    const outcome = await this.database.transaction((transaction) =>
      this.tryCode(transaction, idHash, code, origin),
    );
    if (typeof outcome === 'string') throw new UnauthorizedException(outcome);
    await attempt.recordSuccess();
    return outcome;
  }

  /** Returns the session, or the reason of a failure. It does not throw, because a rollback would undo the count. */
  private async tryCode(
    transaction: Transaction,
    idHash: Buffer,
    code: string,
    origin: Origin,
  ): Promise<SignedIn | string> {
    const challenge = await countChallengeAttempt(transaction, idHash);
    if (!challenge) return ENDED;
    const { accountId, credentialsVersion, method, attemptsLeft } = challenge;
    const account = await readForSignIn(transaction, accountId);
    if (!account || account.credentialsVersion !== credentialsVersion) return ENDED;
    const factor = await this.secondFactor.verify(transaction, accountId, code);
    if (factor === null) {
      await recordAuditEvent(transaction, { type: 'second_factor.failed', accountId, actorId: null, origin });
      return attemptsLeft > 0 ? 'the code is wrong, or was used before' : ENDED;
    }
    await endChallenge(transaction, idHash);
    return this.signIn.open(transaction, account, { method, second_factor: factor }, origin);
  }
}
