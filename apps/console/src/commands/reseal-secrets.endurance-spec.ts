import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ENCRYPTION_KEY, TestConsole, TestSite } from '../testing/console.fixture';
import {
  challenge,
  FrozenClock,
  type Secured,
  securedAccount,
} from '../identity/second-factor/two-factor.fixture';

const SCRIPT = join(__dirname, '../../../../dist/apps/console/src/commands/reseal-secrets.js');
const NEW_KEY = randomBytes(32).toString('hex');

describe('reseal-secrets', () => {
  let site: TestSite;
  let clock: FrozenClock;
  let account: Secured;

  beforeAll(async () => {
    clock = new FrozenClock();
    site = await TestSite.start();
    account = await securedAccount(site, clock);
  });
  afterAll(async () => {
    clock.thaw();
    await site.stop();
  });

  const run = (environment: Record<string, string>) =>
    promisify(execFile)(process.execPath, [SCRIPT], {
      env: { PATH: process.env.PATH, DATABASE_URL: site.database.urlFor('console'), ...environment },
    });

  it('names the fault and changes nothing', async () => {
    await expect(run({ ENCRYPTION_KEYS: 'short' })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('64 hexadecimal digits'),
    });
    await expect(run({ ENCRYPTION_KEYS: NEW_KEY })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('opens with none of ENCRYPTION_KEYS'),
    });
  });

  it('makes the old key unnecessary', async () => {
    for (let n = 0; n < 2; n++) {
      const { stdout } = await run({ ENCRYPTION_KEYS: `${NEW_KEY},${ENCRYPTION_KEY}` });
      expect(stdout).toBe('Encrypted 1 secrets with the first key.\n');
    }
    const without = await TestConsole.start(site.database.urlFor('console'), { ENCRYPTION_KEYS: NEW_KEY });
    const json = {
      challenge_id: await challenge(site, account.accountId),
      code: account.authenticator.code(),
    };
    const answer = await without.request('POST', '/api/auth/2fa/verify', { json });
    await without.close();
    expect(answer.status).toBe(200);
  });
});
