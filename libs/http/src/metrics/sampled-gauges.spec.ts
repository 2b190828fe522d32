import { Registry } from 'prom-client';
import { addSampledGauges } from './sampled-gauges';

interface Row {
  kind: string;
  items: number;
}

function gaugesOf(read: () => Promise<Row[]>): Registry {
  const registry = new Registry();
  const names = ['things', 'more_things'];
  addSampledGauges<Row>(registry, {
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
  for (const line of ['things{kind="a"} 3', 'things{kind="b"} 0', 'more_things{kind="a"} 3'])
    expect(text.split('\n')).toContain(line);
  expect(again).toBe(text);
  expect(readings).toBe(1);
});

it('leaves the gauges out when the reading fails', async () => {
  const registry = gaugesOf(() => Promise.reject(new Error('no database')));
  expect((await registry.metrics()).match(/^[^#\n].*/gm)).toBeNull();
});

it('does not wait for a reading that hangs, and starts no other meanwhile', async () => {
  let readings = 0;
  const registry = gaugesOf(() => {
    readings += 1;
    return new Promise(() => undefined);
  });
  for (let scrapes = 0; scrapes < 2; scrapes += 1)
    expect((await registry.metrics()).match(/^[^#\n].*/gm)).toBeNull();
  expect(readings).toBe(1);
});

it('has no value of a gauge without labels while it is unknown, or the one that stands for it', async () => {
  const registry = new Registry();
  const read = () => Promise.reject(new Error('no database'));
  const gauge = (name: string) => ({ name, help: 'Things.', value: ({ items }: { items: number }) => items });
  addSampledGauges(registry, { labels: [], gauges: [gauge('things')], read });
  addSampledGauges(registry, { labels: [], gauges: [gauge('up')], read, whileUnknown: [{ items: 7 }] });
  expect((await registry.metrics()).match(/^[^#\n].*/gm)).toEqual(['up 7']);
});
