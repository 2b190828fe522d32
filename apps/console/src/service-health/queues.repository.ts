import { type Executor, JOB_SCHEMAS } from '@inference/database';
import { readReadyJobs } from '@inference/jobs';
import { readWaitingWork } from '../waiting-work/waiting-work.repository';
import { type QueueResponse, QUEUES } from './service-health.dto';

/** Most that are counted of each. */
const MAX_ITEMS = 10_000;

/** Usage that gateways have appended and that is not in wallets and reports yet. */
async function readUnfoldedUsage(executor: Executor): Promise<{ items: number; seconds: number }> {
  const { rows } = await executor.query<{ items: number; seconds: number }>(
    `SELECT count(*)::integer AS items,
       coalesce(extract(epoch FROM clock_timestamp() - min(appended_at)), 0)::float8 AS seconds
     FROM (SELECT appended_at FROM metering.unfolded_usage LIMIT $1) u`,
    [MAX_ITEMS],
  );
  return rows[0]!;
}

/** What waits in the site, by kind. */
export async function readQueues(executor: Executor): Promise<QueueResponse[]> {
  const work = await readWaitingWork(executor, MAX_ITEMS);
  const jobs = await readReadyJobs(executor, JOB_SCHEMAS.console);
  const usage = await readUnfoldedUsage(executor);
  const found = [
    ...work.map(({ kind, items, seconds }) => ({ name: kind, items, seconds })),
    ...jobs.map(({ jobs: items, seconds }) => ({ name: 'job' as const, items, seconds })),
    { name: 'usage' as const, ...usage },
  ];
  return QUEUES.map((name) => {
    const parts = found.filter((part) => part.name === name);
    return {
      name,
      waiting: parts.reduce((sum, { items }) => sum + items, 0),
      oldest_seconds: Math.floor(Math.max(0, ...parts.map(({ seconds }) => seconds))),
    };
  });
}
