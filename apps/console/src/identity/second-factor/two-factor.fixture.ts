import { type TOTP, URI } from 'otpauth';
import { readForSignIn } from '../../accounts/accounts.repository';
import { type Answer, type TestSite } from '../../testing/console.fixture';
import { SignInService } from '../sign-in/sign-in.service';

const STEP_MILLIS = 30_000;
const ORIGIN = { address: '192.0.2.1', userAgent: 'test' };

/** Stops the clock of the console and of all authenticators. */
export class FrozenClock {
  private now = Date.now();
  private readonly spy = jest.spyOn(Date, 'now').mockImplementation(() => this.now);

  tick(steps = 1): void {
    this.now += steps * STEP_MILLIS;
  }

  thaw(): void {
    this.spy.mockRestore();
  }
}

/** An authenticator app that has scanned the QR code. */
export class Authenticator {
  private readonly totp: TOTP;

  constructor(otpauthUrl: string) {
    this.totp = URI.parse(otpauthUrl) as TOTP;
  }

  code(stepsAway = 0): string {
    return this.totp.generate({ timestamp: Date.now() + stepsAway * STEP_MILLIS });
  }

  /** Six digits that are not the code of the present step or of a neighbour. */
  wrongCode(): string {
    const shown = new Set([-1, 0, 1].map((steps) => this.code(steps)));
    return ['000000', '111111', '222222', '333333'].find((code) => !shown.has(code))!;
  }
}

export interface Secured {
  accountId: string;
  email: string;
  password: string;
  token: string;
  authenticator: Authenticator;
  recoveryCodes: string[];
}

const PASSWORD = 'correct horse battery';
let registered = 0;

/** An account with two factors. The clock moves on, so that its authenticator shows an unused code. */
export async function securedAccount(site: TestSite, clock: FrozenClock): Promise<Secured> {
  const email = `secured${++registered}@example.com`;
  const made = await site.console.request('POST', '/api/auth/register', {
    json: { email, password: PASSWORD },
  });
  const { token, user } = made.body as { token: string; user: { id: string } };
  await site.confirmAddress(user.id);
  const setup = await site.console.request('POST', '/api/auth/2fa/setup', { token });
  const authenticator = new Authenticator((setup.body as { otpauth_url: string }).otpauth_url);
  const json = { code: authenticator.code() };
  const enabled = await site.console.request('POST', '/api/auth/2fa/enable', { token, json });
  const { recovery_codes: recoveryCodes } = enabled.body as { recovery_codes: string[] };
  clock.tick();
  return { accountId: user.id, email, password: PASSWORD, token, authenticator, recoveryCodes };
}

/** Makes a challenge as after a right password and returns its id. */
export async function challenge(site: TestSite, accountId: string): Promise<string> {
  const account = await readForSignIn(site.database.pool, accountId);
  const view = await site.console.app.get(SignInService).begin(account!, 'password', ORIGIN);
  if (!('challenge' in view)) throw new Error('The account has one factor only.');
  return view.challenge.id;
}

export const verify = (site: TestSite, challengeId: string, code: string): Promise<Answer> =>
  site.console.request('POST', '/api/auth/2fa/verify', { json: { challenge_id: challengeId, code } });

/** Types of the audit events of an account, oldest first. */
export async function eventTypes(site: TestSite, accountId: string): Promise<string[]> {
  const { rows } = await site.database.pool.query<{ type: string }>(
    'SELECT type FROM accounts.security_events WHERE account_id = $1 ORDER BY created_at, id',
    [accountId],
  );
  return rows.map(({ type }) => type);
}
