import { activityStore, runActivity } from './activity-store';

afterEach(() => {
  activityStore.clearAll();
});

it('shows what runs, its progress and how it ended, newest first', () => {
  const first = activityStore.start({ kind: 'upload', title: 'a.pdf', to: '/workspaces' });
  const second = activityStore.start({ kind: 'export', title: 'usage.csv' });
  first.progress(0.5);
  second.fail();
  expect(activityStore.getAll()).toMatchObject([
    { title: 'usage.csv', state: 'failed' },
    { title: 'a.pdf', state: 'running', progress: 0.5, to: '/workspaces' },
  ]);
  activityStore.clear();
  expect(activityStore.getAll()).toMatchObject([{ title: 'a.pdf' }]);
  first.done();
  activityStore.clear();
  expect(activityStore.getAll()).toEqual([]);
});

it('forgets the oldest of many that have ended, and tells who listens', () => {
  let changes = 0;
  const stop = activityStore.subscribe(() => (changes += 1));
  for (let number = 1; number <= 12; number += 1)
    activityStore.start({ kind: 'export', title: `${number}` }).done();
  stop();
  expect(changes).toBe(24);
  expect(activityStore.getAll().map(({ title }) => title)).toEqual([
    '12',
    '11',
    '10',
    '9',
    '8',
    '7',
    '6',
    '5',
    '4',
    '3',
  ]);
});

describe('what runs as an activity', () => {
  const EXPORT = { kind: 'export', title: 'usage.csv' } as const;

  it('is done when it returns', async () => {
    const result = await runActivity(EXPORT, (onProgress) => {
      onProgress(0.25);
      expect(activityStore.getAll()).toMatchObject([{ ...EXPORT, state: 'running', progress: 0.25 }]);
      return Promise.resolve('result');
    });
    expect(result).toBe('result');
    expect(activityStore.getAll()).toMatchObject([{ ...EXPORT, state: 'done' }]);
  });

  it('has failed when it throws', async () => {
    const error = new Error('lost');
    await expect(runActivity(EXPORT, () => Promise.reject(error))).rejects.toBe(error);
    expect(activityStore.getAll()).toMatchObject([{ ...EXPORT, state: 'failed' }]);
  });

  it('is forgotten when someone stops it', async () => {
    const stopped = new DOMException('stopped', 'AbortError');
    await expect(runActivity(EXPORT, () => Promise.reject(stopped))).rejects.toBe(stopped);
    expect(activityStore.getAll()).toEqual([]);
  });
});
