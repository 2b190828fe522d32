import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import { addSampledGauges } from './sampled-gauges';

interface Row {
  kind: string;
  items: number;
}

const SERIES = /^[^#\n].*/gm;

const warnings: string[] = [];
beforeEach(() => {
  warnings.length = 0;
  const note = (message: string) => warnings.push(message);
  Logger.overrideLogger({ log: note, warn: note, error: note });
});
afterAll(() => Logger.overrideLogger(false));

function gaugesOf(read: () => Promise<Row[]>): Registry {
  const registry = new Registry();
  const names = ['things', 'more_things'];
  addSampledGauges<Row>(registry, {
    reading: 'things',
    labels: ['kind'],
    gauges: names.map((name) => ({ name, help: 'Things.', value: ({ items }) => items })),
    read,
  });
  return registry;
}

it('serves each row as a series, and scrapes share a reading', async () => {
  let readings = 0;
  const registry = gaugesOf(() => {
    readings += 1;
    return Promise.resolve([
      { kind: 'a', items: 3 },
      { kind: 'b', items: 0 },
    ]);
  });
  const [text, again] = await Promise.all([registry.metrics(), registry.metrics()]);
  for (const line of [
    'things{kind="a"} 3',
    'things{kind="b"} 0',
    'more_things{kind="a"} 3',
    'metrics_reading_up{reading="things"} 1',
  ])
    expect(text.split('\n')).toContain(line);
  expect(again).toBe(text);
  expect(readings).toBe(1);
});

it('leaves the gauges out when the reading fails, and says so once a minute', async () => {
  jest.useFakeTimers();
  try {
    const registry = gaugesOf(() => Promise.reject(new Error('no database')));
    const logged: number[] = [];
    for (const seconds of [0, 55, 10]) {
      jest.advanceTimersByTime(seconds * 1_000);
      expect((await registry.metrics()).match(SERIES)).toEqual(['metrics_reading_up{reading="things"} 0']);
      logged.push(warnings.length);
    }
    expect(logged).toEqual([1, 1, 2]);
    expect(warnings[0]).toBe('The reading things has failed: no database');
  } finally {
    jest.useRealTimers();
  }
});

it('says of each reading whether it succeeds', async () => {
  const registry = new Registry();
  for (const [reading, read] of [
    ['good', () => Promise.resolve([])],
    ['bad', () => Promise.reject(new Error('no table'))],
  ] as const)
    addSampledGauges<Row>(registry, { reading, labels: ['kind'], gauges: [], read });
  expect((await registry.metrics()).match(SERIES)).toEqual([
    'metrics_reading_up{reading="good"} 1',
    'metrics_reading_up{reading="bad"} 0',
  ]);
});

it('does not wait for a reading that hangs, and starts no other meanwhile', async () => {
  let readings = 0;
  const registry = gaugesOf(() => {
    readings += 1;
    return new Promise(() => undefined);
  });
  for (let scrapes = 0; scrapes < 2; scrapes += 1)
    expect((await registry.metrics()).match(SERIES)).toEqual(['metrics_reading_up{reading="things"} 0']);
  expect(readings).toBe(1);
});

it('has no value of a gauge without labels while it is unknown, or the one that stands for it', async () => {
  const registry = new Registry();
  const read = () => Promise.reject(new Error('no database'));
  const gauge = (name: string) => ({ name, help: 'Things.', value: ({ items }: { items: number }) => items });
  addSampledGauges(registry, { reading: 'things', labels: [], gauges: [gauge('things')], read });
  addSampledGauges(registry, {
    reading: 'up',
    labels: [],
    gauges: [gauge('up')],
    read,
    whileUnknown: [{ items: 7 }],
  });
  expect((await registry.metrics()).match(SERIES)).toEqual([
    'metrics_reading_up{reading="things"} 0',
    'metrics_reading_up{reading="up"} 0',
    'up 7',
  ]);
});
