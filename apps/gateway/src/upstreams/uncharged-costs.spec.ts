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
