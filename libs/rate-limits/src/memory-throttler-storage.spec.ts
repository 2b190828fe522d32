import { MemoryThrottlerStorage } from './memory-throttler-storage';

describe('the throttler storage in memory', () => {
  it('never returns more seconds than the window has, for any fraction of the clock', async () => {
    const clock = jest.spyOn(performance, 'now');
    const counter = new MemoryThrottlerStorage();
    for (let n = 0; n < 1_000; n++) {
      clock.mockReturnValue(6_000 + n * 1.001);
      expect((await counter.increment(`${n}`, 60_000, 1)).timeToExpire).toBe(60);
    }
    clock.mockRestore();
    counter.onApplicationShutdown();
  });

  it('starts a new window after the end of one', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    const counter = new MemoryThrottlerStorage();
    const count = () => counter.increment('a', 50, 1);
    expect(await count()).toMatchObject({ totalHits: 1, isBlocked: false });
    clock.mockReturnValue(49);
    expect(await count()).toMatchObject({ totalHits: 2, isBlocked: true, timeToBlockExpire: 1 });
    clock.mockReturnValue(50);
    expect(await count()).toMatchObject({ totalHits: 1, isBlocked: false });
    clock.mockRestore();
    counter.onApplicationShutdown();
  });
});
