import fc from 'fast-check';
import { TestConsole, TestSite } from '../../testing/console.fixture';
import { eventTypes } from '../second-factor/two-factor.fixture';
import { endGrace, refresh, refreshValueIn, register } from './refresh.fixture';

/** Requests that are sent at the same time: true presents the value before the present one, if that is answered still. */
interface Burst {
  /** Lets ten seconds pass before. */
  isLater: boolean;
  presentsFormer: boolean[];
}

const burst: fc.Arbitrary<Burst> = fc.record({
  isLater: fc.boolean(),
  presentsFormer: fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
});

describe('concurrent refreshes of one session at two consoles', () => {
  let site: TestSite;
  let consoles: TestConsole[];

  beforeAll(async () => {
    site = await TestSite.start();
    consoles = [site.console, await TestConsole.start(site.database.urlFor('console'))];
  });
  afterAll(async () => {
    await consoles[1]!.close();
    await site.stop();
  });

  const refreshAll = (values: string[]) =>
    Promise.all(values.map((value, n) => refresh(consoles[n % 2]!, value)));

  it('leave one valid value, and lose no session', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(burst, { minLength: 1, maxLength: 5 }), async (bursts) => {
        const { accountId, value } = await register(site.console);
        let [former, present, isInGrace] = [value, value, false];
        for (const { isLater, presentsFormer } of bursts) {
          if (isLater) {
            await endGrace(site);
            isInGrace = false;
          }
          const answers = await refreshAll(
            presentsFormer.map((wants) => (wants && isInGrace ? former : present)),
          );
          expect(answers.map(({ status }) => status)).toEqual(presentsFormer.map(() => 200));
          const values = new Set(answers.map(refreshValueIn));
          // Whichever answer a browser gets last, it has the one valid value.
          expect(values.size).toBe(1);
          const [next] = [...values];
          expect(next === present).toBe(isInGrace);
          if (!isInGrace) [former, present, isInGrace] = [present, next!, true];
        }
        expect(await eventTypes(site, accountId)).toEqual(['account.created', 'session.opened']);
        await endGrace(site);
        expect((await refreshAll([present]))[0]!.status).toBe(200);
      }),
      { numRuns: 15 },
    );
  });

  it('of a value that was replaced earlier end the session once', async () => {
    const { accountId, token, value } = await register(site.console);
    const [answer] = await refreshAll([value]);
    const present = refreshValueIn(answer!);
    await endGrace(site);
    const answers = await refreshAll(Array<string>(8).fill(value));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(8).fill(401));
    expect((await refreshAll([present, present])).map(({ status }) => status)).toEqual([401, 401]);
    expect((await site.console.request('GET', '/api/auth/me', { token })).status).toBe(401);
    expect(await eventTypes(site, accountId)).toEqual([
      'account.created',
      'session.opened',
      'session.refresh_token_reused',
    ]);
  });

  it('do not survive a logout at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const { token, value } = await register(site.console);
      const [out, ...answers] = await Promise.all([
        consoles[round % 2]!.request('POST', '/api/auth/logout', { token }),
        ...Array.from({ length: 6 }, (_, n) => refresh(consoles[n % 2]!, value)),
      ]);
      expect(out.status).toBe(204);
      for (const answer of answers) {
        expect([200, 401]).toContain(answer.status);
        if (answer.status === 401) continue;
        const { token: late } = answer.body as { token: string };
        expect((await site.console.request('GET', '/api/auth/me', { token: late })).status).toBe(401);
        expect((await refreshAll([refreshValueIn(answer)]))[0]!.status).toBe(401);
      }
    }
  });
});
