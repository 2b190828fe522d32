import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rememberSecret, testLog } from '@inference/testing';
import { type Platform, startPlatform } from './site/platform';
import { mostStallMillis } from './site/stall-log';
import { describeStalls, isFault } from './worst/stall-table';
import { type Outcome, WorstRequests } from './worst/worst-requests';

/** Measured on two slow cores beside much other work: more than a quarter of an hour. */
const LIMIT_MILLIS = 1_800_000;

describe('the worst bodies that the limits of each operation admit', () => {
  let platform: Platform | undefined;

  beforeAll(async () => {
    platform = await startPlatform();
    for (const { password, apiKey } of Object.values(platform.accounts))
      [password, apiKey].forEach(rememberSecret);
  }, LIMIT_MILLIS);
  afterAll(async () => {
    if (!platform) return;
    for (const name of readdirSync(platform.logs))
      testLog('worst').write(readFileSync(join(platform.logs, name)));
    await platform.stop();
  }, LIMIT_MILLIS);

  it(
    'are answered without a fault of the service, and hold its thread for a short time',
    async () => {
      const outcomes: Outcome[] = [];
      const before = mostStallMillis();
      await new WorstRequests(platform!).run((outcome) => outcomes.push(outcome), 'whole bodies');
      expect(new Set(outcomes.map(({ target }) => target.service)).size).toBeGreaterThan(1);
      expect([...platform!.native.answered]).toEqual(
        expect.arrayContaining(['/v1/messages', '/v1/messages/count_tokens', '/v1/responses']),
      );
      expect(describeStalls(outcomes.filter(isFault))).toBe('');
      // The machine may have become slower meanwhile.
      const most = Math.max(before, mostStallMillis());
      expect(describeStalls(outcomes.filter(({ stallMillis }) => stallMillis > most))).toBe('');
    },
    LIMIT_MILLIS,
  );
});
