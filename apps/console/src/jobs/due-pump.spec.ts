import { waitFor } from '@inference/testing';
import { DuePump } from './due-pump';

/** Jobs that end when they are told to. */
class Desk {
  due: number[] = [];
  readonly underway = new Map<number, (error?: Error) => void>();
  readonly faults: unknown[] = [];
  claimFault: Error | null = null;
  readonly pump = new DuePump<number>(
    (count) =>
      this.claimFault ? Promise.reject(this.claimFault) : Promise.resolve(this.due.splice(0, count)),
    (job) =>
      new Promise((resolve, reject) =>
        this.underway.set(job, (error) => {
          this.underway.delete(job);
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

describe('what is due', () => {
  it('is worked off ten at a time, and what takes long holds up nothing else', async () => {
    const desk = new Desk(25);
    desk.pump.wake();
    await waitFor(() => desk.underway.size === 10);
    desk.pump.wake();
    expect(desk.due).toHaveLength(15);
    for (let job = 1; job < 25; job++) {
      await waitFor(() => desk.underway.has(job));
      expect(desk.underway.size).toBeLessThanOrEqual(10);
      desk.underway.get(job)!();
    }
    await waitFor(() => desk.underway.size === 1);
    expect([...desk.underway.keys()]).toEqual([0]);
    expect(desk.due).toEqual([]);
  });

  it('goes on after a failure, of a job or of the claim', async () => {
    const desk = new Desk(2);
    desk.claimFault = new Error('no database');
    desk.pump.wake();
    await waitFor(() => desk.faults.length === 1);
    desk.claimFault = null;
    await waitFor(() => {
      desk.pump.wake();
      return desk.underway.size === 2;
    });
    desk.underway.get(0)!(new Error('a bad job'));
    desk.underway.get(1)!();
    await waitFor(() => desk.faults.length === 2);
    desk.due = [2];
    await waitFor(() => {
      desk.pump.wake();
      return desk.underway.has(2);
    });
  });

  it('is finished before the pump has stopped, and nothing is begun any more', async () => {
    const desk = new Desk(1);
    desk.pump.wake();
    await waitFor(() => desk.underway.size === 1);
    let stopped = false;
    const stopping = desk.pump.stop().then(() => (stopped = true));
    desk.due = [1];
    desk.pump.wake();
    await new Promise((resolve) => setImmediate(resolve));
    expect(stopped).toBe(false);
    desk.underway.get(0)!();
    await stopping;
    expect(desk.underway.size).toBe(0);
    expect(desk.due).toEqual([1]);
  });
});
