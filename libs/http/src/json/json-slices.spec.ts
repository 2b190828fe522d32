import fc from 'fast-check';
import { readJson, readJsonInSlices } from './json-reader';
import { JsonText, RawJson, writeJson } from './json-writer';
import { JsonScanner } from './json-scanner';
import { atOnce } from './slices';

/** 300,000 bytes of empty objects, which take several slices; as gzip they are 333. */
const LONG = Buffer.from(`[${'{},'.repeat(99_999)}{}]`);
/** Parsed by one call of `JSON.parse`. */
const MEDIUM = Buffer.from(`[${'{},'.repeat(9_999)}{}]`);
const COUNT = 12;

/** Turns of the event loop in which each text was scanned, in their order. */
function watchTurns() {
  let turn = 0;
  let isWatching = true;
  const count = () => {
    turn++;
    if (isWatching) setImmediate(count);
  };
  count();
  const turnsOf = new Map<object, Set<number>>();
  const { scan } = JsonScanner.prototype;
  const spy = jest.spyOn(JsonScanner.prototype, 'scan').mockImplementation(function (
    this: JsonScanner,
    upTo,
  ) {
    turnsOf.set(this, (turnsOf.get(this) ?? new Set()).add(turn));
    return scan.call(this, upTo);
  });
  const stop = () => {
    isWatching = false;
    spy.mockRestore();
    return [...turnsOf.values()];
  };
  return { stop, turn: () => turn };
}

/** Each look at the clock finds that so many milliseconds have passed. */
function slowClock(millis: number) {
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => (now += millis));
}

describe('texts that are read at the same time', () => {
  afterEach(() => jest.restoreAllMocks());

  it('have one slice in each turn of the event loop together', async () => {
    slowClock(5);
    const watch = watchTurns();
    const values = await Promise.all(Array.from({ length: COUNT }, () => readJsonInSlices(LONG)));
    const turnsOfTexts = watch.stop();
    expect(values.map(({ value }) => (value as unknown[]).length)).toEqual(Array(COUNT).fill(100_000));
    expect(turnsOfTexts).toHaveLength(COUNT);
    const all = turnsOfTexts.flatMap((turns) => [...turns]);
    expect(new Set(all).size).toBe(all.length);
    for (const turns of turnsOfTexts) expect(turns.size).toBeGreaterThan(5);
  });

  it('have their slices by turns, so that a short one does not wait for the end of a long one', async () => {
    slowClock(5);
    const order: string[] = [];
    const long = readJsonInSlices(LONG).then(() => order.push('long'));
    const short = readJsonInSlices(MEDIUM).then(() => order.push('short'));
    await Promise.all([long, short]);
    expect(order).toEqual(['short', 'long']);
  });

  it('share a slice if they are short, and no longer than it lasts', async () => {
    slowClock(1);
    const watch = watchTurns();
    await Promise.all(Array.from({ length: COUNT }, () => readJsonInSlices(MEDIUM)));
    const turnsOfTexts = watch.stop().map((turns) => [...turns]);
    expect(turnsOfTexts.every((turns) => turns.length === 1)).toBe(true);
    const counts = new Map<number, number>();
    for (const [turn] of turnsOfTexts) counts.set(turn!, (counts.get(turn!) ?? 0) + 1);
    expect(Math.max(...counts.values())).toBeGreaterThan(1);
    expect(Math.max(...counts.values())).toBeLessThanOrEqual(5);
  });

  it('are left to those who use them in the turn in which a long one has ended', async () => {
    slowClock(0);
    const watch = watchTurns();
    await Promise.all(Array.from({ length: COUNT }, () => readJsonInSlices(LONG)));
    const turns = watch.stop().flatMap((ofText) => [...ofText]);
    expect(turns).toHaveLength(COUNT);
    expect(new Set(turns).size).toBe(COUNT);
  });

  it('are read one after the other if they are long, with short ones between', async () => {
    slowClock(5);
    const watch = watchTurns();
    const long = Array.from({ length: 3 }, () => readJsonInSlices(LONG));
    const short = readJsonInSlices(MEDIUM).then(() => watch.turn());
    await Promise.all(long);
    const turnsOfTexts = watch.stop().filter((turns) => turns.size > 1);
    expect(turnsOfTexts).toHaveLength(3);
    const spans = turnsOfTexts.map((turns) => [Math.min(...turns), Math.max(...turns)]);
    for (const [index, [first]] of spans.entries())
      if (index > 0) expect(first).toBeGreaterThan(spans[index - 1]![1]!);
    expect(await short).toBeLessThan(spans[0]![1]!);
  });

  it('are given, if they are long, in a turn in which they are not read', async () => {
    slowClock(0);
    const watch = watchTurns();
    await readJsonInSlices(LONG);
    const given = watch.turn();
    expect(watch.stop().map((turns) => [...turns])).toEqual([[given - 1]]);
  });
});

describe('a text that nobody wants any more', () => {
  const gone = new Error('gone');
  const leave = () => {
    throw gone;
  };

  it('is not read', async () => {
    const watch = watchTurns();
    await expect(readJsonInSlices(LONG, {}, leave)).rejects.toBe(gone);
    expect(watch.stop()).toEqual([]);
  });

  it('is dropped before the long one that is read has ended', async () => {
    slowClock(5);
    const order: string[] = [];
    const first = readJsonInSlices(LONG).then(() => order.push('read'));
    let turns = 0;
    const left = readJsonInSlices(LONG, {}, () => {
      if (turns++ === 1) leave();
    }).catch(() => order.push('dropped'));
    await Promise.all([first, left]);
    expect(order).toEqual(['dropped', 'read']);
    jest.restoreAllMocks();
  });

  it('is read no further than to the end of the slice, and others are', async () => {
    jest.spyOn(performance, 'now').mockImplementation(
      (() => {
        let now = 0;
        return () => (now += 5);
      })(),
    );
    let slices = 0;
    const left = readJsonInSlices(LONG, {}, () => {
      if (slices++ === 2) leave();
    });
    const others = [LONG, MEDIUM].map((bytes) => readJsonInSlices(bytes));
    await expect(left).rejects.toBe(gone);
    expect(slices).toBe(3);
    expect((await Promise.all(others)).map(({ value }) => value)).toEqual(
      [LONG, MEDIUM].map((bytes) => readJson(bytes).value),
    );
    jest.restoreAllMocks();
  });
});

describe('a value that is written in steps', () => {
  const written = (value: unknown, mostBytes = Infinity) =>
    atOnce(
      writeJson(value, { expectedBytes: 1, mostBytes, tooLong: () => new Error('too long') }),
    ).toString();

  it('is what JSON.stringify writes', () => {
    // Texts are cut after 65,536 characters.
    const length = fc.oneof(fc.nat(9), fc.nat(140_000), fc.integer({ min: 65_530, max: 65_542 }));
    const long = fc
      .tuple(fc.string({ unit: 'binary' }), length)
      .map(([text, length]) => text.padEnd(length, `${text}😀\ud800"`));
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.dictionary(fc.string(), fc.option(long, { nil: undefined }), { maxKeys: 3 }),
        (some, texts) => {
          for (const value of [some, texts, [texts, some, undefined]])
            expect(written(value)).toBe(JSON.stringify(value));
          const value = {
            a: new JsonText({ some, texts, inner: new JsonText(texts) }),
            b: new RawJson('1e400'),
          };
          const inner = JSON.stringify({ some, texts, inner: JSON.stringify(texts) });
          expect(written(value)).toBe(`{"a":${JSON.stringify(inner)},"b":1e400}`);
        },
      ),
    );
  });

  it('is no longer than it may be', () => {
    expect(written('a'.repeat(98), 100)).toHaveLength(100);
    expect(() => written('a'.repeat(99), 100)).toThrow('too long');
  });
});

it('a text of an ordinary request is read at once', async () => {
  let isRead = false;
  void readJsonInSlices(Buffer.from(`["${'x'.repeat(16_000)}"]`)).then(() => (isRead = true));
  await Promise.resolve();
  await Promise.resolve();
  expect(isRead).toBe(true);
});
