import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rememberSecret, testLog } from '@inference/testing';
import { Fuzzer } from './fuzzer';
import { OPERATIONS_WITHOUT_SUCCESS, SUCCEEDING_BY_CHANCE } from './operations-without-success';
import { type Platform, startPlatform } from './site/platform';

const REQUESTS = 20_000;
const SEED = 16;
const LIMIT_MILLIS = 600_000;

describe('requests that follow from the API documents', () => {
  let platform: Platform | undefined;

  beforeAll(async () => {
    platform = await startPlatform();
    for (const { password, apiKey } of Object.values(platform.accounts))
      [password, apiKey].forEach(rememberSecret);
  }, LIMIT_MILLIS);
  afterAll(async () => {
    if (!platform) return;
    for (const name of readdirSync(platform.logs))
      testLog('fuzz').write(readFileSync(join(platform.logs, name)));
    await platform.stop();
  }, LIMIT_MILLIS);

  it(
    'are answered as documented, and never by a fault of the service',
    async () => {
      const findings = await new Fuzzer(platform!).run({ requests: REQUESTS, seed: SEED });
      expect(findings.sent).toBe(REQUESTS);
      expect(findings.faults.size === 0 ? '' : findings.describe(SEED)).toBe('');
      const isCertain = (name: string) => !SUCCEEDING_BY_CHANCE.has(name);
      expect(findings.withoutSuccess.filter(isCertain)).toEqual(
        Object.keys(OPERATIONS_WITHOUT_SUCCESS).filter(isCertain).sort(),
      );
    },
    LIMIT_MILLIS,
  );
});
