import { waitFor } from '@inference/testing';
import { JobPoller } from './job-poller';

/** Jobs that the test ends one by one. */
class ControlledJobs {
  due: number[] = [];
  readonly inProgress = new Map<number, (error?: Error) => void>();
  readonly faults: unknown[] = [];
  claimFault: Error | null = null;
  readonly poller = new JobPoller<number>(
    (count) =>
      this.claimFault ? Promise.reject(this.claimFault) : Promise.resolve(this.due.splice(0, count)),
    (job) =>
      new Promise((resolve, reject) =>
        this.inProgress.set(job, (error) => {
          this.inProgress.delete(job);
          if (error) reject(error);
          else resolve();
        }),
      ),
    (error) => this.faults.push(error),
  );

  constructor(jobs: number) {
    this.due = Array.from({ length: jobs }, (_, job) => job);
  }
}

describe('due jobs', () => {
  it('run ten at a time, and a slow one does not block others', async () => {
    const jobs = new ControlledJobs(25);
    jobs.poller.wake();
    await waitFor(() => jobs.inProgress.size === 10);
    jobs.poller.wake();
    expect(jobs.due).toHaveLength(15);
    for (let job = 1; job < 25; job++) {
      await waitFor(() => jobs.inProgress.has(job));
      expect(jobs.inProgress.size).toBeLessThanOrEqual(10);
      jobs.inProgress.get(job)!();
    }
    await waitFor(() => jobs.inProgress.size === 1);
    expect([...jobs.inProgress.keys()]).toEqual([0]);
    expect(jobs.due).toEqual([]);
  });

  it('continue after a failure of a job or of the claim', async () => {
    const jobs = new ControlledJobs(2);
    jobs.claimFault = new Error('no database');
    jobs.poller.wake();
    await waitFor(() => jobs.faults.length === 1);
    jobs.claimFault = null;
    await waitFor(() => {
      jobs.poller.wake();
      return jobs.inProgress.size === 2;
    });
    jobs.inProgress.get(0)!(new Error('a bad job'));
    jobs.inProgress.get(1)!();
    await waitFor(() => jobs.faults.length === 2);
    jobs.due = [2];
    await waitFor(() => {
      jobs.poller.wake();
      return jobs.inProgress.has(2);
    });
  });

  it('are finished when the poller stops, and no others are started', async () => {
    const jobs = new ControlledJobs(1);
    jobs.poller.wake();
    await waitFor(() => jobs.inProgress.size === 1);
    let stopped = false;
    const stopping = jobs.poller.stop().then(() => (stopped = true));
    jobs.due = [1];
    jobs.poller.wake();
    await new Promise((resolve) => setImmediate(resolve));
    expect(stopped).toBe(false);
    jobs.inProgress.get(0)!();
    await stopping;
    expect(jobs.inProgress.size).toBe(0);
    expect(jobs.due).toEqual([1]);
  });
});
