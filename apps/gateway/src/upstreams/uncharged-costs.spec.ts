import { type Database } from '@inference/database';
import { Logger } from '@nestjs/common';
import { UnchargedCosts } from './uncharged-costs.service';
import { type UpstreamMetrics } from './upstream-metrics';

const COST = { upstream: 'engine', list: '1', served: false, costPicos: 5n };
const metrics = { countCosts: () => undefined } as unknown as UpstreamMetrics;

beforeEach(() => jest.useFakeTimers());
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const errors = () => jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);

it('says that costs are lost because too many wait only of calls that have costs', () => {
  const logged = errors();
  const costs = new UnchargedCosts({} as Database, metrics);
  costs.record(
    'req_many',
    'acct_1',
    'm',
    Array.from({ length: 10_000 }, () => COST),
  );
  costs.record('req_free', 'acct_1', 'm', []);
  expect(logged).not.toHaveBeenCalled();
  costs.record('req_lost', 'acct_1', 'm', [COST]);
  expect(logged).toHaveBeenCalledWith(expect.stringContaining('req_lost'));
});

it('writes the rows of a refused batch one by one, and gives up only the one that never fits', async () => {
  const logged = errors();
  const stored: string[] = [];
  const query = ({ values }: { values: [string, string] }) => {
    const rows = JSON.parse(values[1]) as { request_id: string }[];
    const ids = rows.map(({ request_id: requestId }) => requestId);
    if (ids.includes('req_bad')) return Promise.reject(new Error('out of range'));
    if (ids.includes('req_there'))
      return Promise.reject(Object.assign(new Error('there'), { code: '23505' }));
    stored.push(...ids);
    return Promise.resolve();
  };
  const costs = new UnchargedCosts({ query } as unknown as Database, metrics);
  for (const id of ['req_1', 'req_bad', 'req_there', 'req_2']) costs.record(id, 'acct_1', 'm', [COST]);
  await jest.advanceTimersByTimeAsync(2_000);
  expect(stored).toEqual(['req_1', 'req_2']);
  expect(logged.mock.calls).toEqual([
    ['The upstream costs of req_bad were not recorded: Error: out of range'],
  ]);
});
