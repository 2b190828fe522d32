import { activityStore, startActivity } from './activity-store';

afterEach(() => {
  activityStore.clear();
});

it('shows what runs, its progress and how it ended, newest first', () => {
  const first = startActivity({ kind: 'upload', title: 'a.pdf', to: '/workspaces' });
  const second = startActivity({ kind: 'export', title: 'usage.csv' });
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
    startActivity({ kind: 'export', title: `${number}` }).done();
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
