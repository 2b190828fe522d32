import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rememberSecret, testLog } from '@inference/testing';
import { type Platform, startPlatform } from '../site/platform';
import { describeStalls, isFault, MOST_STALL_MILLIS } from './stall-table';
import { type Outcome, WorstRequests } from './worst-requests';

const LIMIT_MILLIS = 1_200_000;

describe('the worst requests that the limits of an operation admit', () => {
  let platform: Platform | undefined;
  const outcomes: Outcome[] = [];

  beforeAll(async () => {
    platform = await startPlatform();
    for (const { password, apiKey } of Object.values(platform.accounts))
      [password, apiKey].forEach(rememberSecret);
    await new WorstRequests(platform).run((outcome) => outcomes.push(outcome));
  }, LIMIT_MILLIS);

  afterAll(async () => {
    if (!platform) return;
    for (const name of readdirSync(platform.logs))
      testLog('fuzz').write(readFileSync(join(platform.logs, name)));
    await platform.stop();
  }, LIMIT_MILLIS);

  it(`hold the thread of a service for at most ${MOST_STALL_MILLIS} ms of processor time`, () => {
    const long = outcomes.filter(({ stallMillis }) => stallMillis > MOST_STALL_MILLIS);
    expect(long.length === 0 ? '' : describeStalls(long)).toBe('');
  });

  it('are answered, and never by a fault of the service', () => {
    const faults = outcomes.filter(isFault);
    expect(faults.map(({ target, kind, status }) => `${target.name}, ${kind}: ${status}`)).toEqual([]);
  });
});
