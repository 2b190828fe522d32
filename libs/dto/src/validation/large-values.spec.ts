import { type BadRequestException, type Type } from '@nestjs/common';
import {
  JsonObjectField,
  ObjectField,
  ObjectListField,
  TextField,
  TextListField,
  Tolerant,
  validated,
} from '@inference/dto';

const description = 'A field.';

class Inner {
  @TextField({ description, maxLength: 10 })
  word!: string;
}

class Outer {
  @TextField({ description, optional: true, maxLength: 10 })
  name?: string;

  @ObjectField(() => Inner, { description, optional: true })
  inner?: Inner;

  @ObjectListField(() => Inner, { description, optional: true, maxItems: 3 })
  list?: Inner[];

  @TextListField({ description, optional: true, maxItems: 3 }, { maxLength: 10 })
  words?: string[];

  @JsonObjectField({ description, optional: true })
  metadata?: Record<string, unknown>;
}

@Tolerant()
class Open {
  @TextField({ description, optional: true, maxLength: 10 })
  name?: string;
}

const KEYS = 100_000;
const manyKeys = (value: unknown = 0) =>
  Object.fromEntries(Array.from({ length: KEYS }, (_, index) => [`k${index}`, value]));
const refusal = (dtoClass: Type<object>, value: object) =>
  validated(dtoClass, value).then(
    () => 'it is taken',
    (error: BadRequestException) => error.message,
  );

/** Milliseconds of processor time, garbage collection included. */
async function processorTimeOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

// A walk whose time grows with the square of the fields takes more than 10 s for 100,000.
const MOST_MILLIS = 2_000;

describe('a value of 100,000 fields costs little time', () => {
  it.each<[where: string, dtoClass: Type<object>, value: () => object]>([
    ['unknown to the class', Outer, manyKeys],
    ['unknown to the class of an inner object', Outer, () => ({ inner: manyKeys() })],
    ['unknown to the class of an entry', Outer, () => ({ list: [manyKeys()] })],
    ['where a text is expected', Outer, () => ({ name: manyKeys() })],
    ['where a list is expected', Outer, () => ({ list: manyKeys() })],
    ['in an object of any content', Outer, () => ({ metadata: manyKeys() })],
    ['deep in an object of any content', Outer, () => ({ metadata: { a: [{ b: manyKeys() }] } })],
    ['dropped by a tolerant class', Open, manyKeys],
    ['as entries of a list', Outer, () => ({ list: Array.from({ length: KEYS }, () => ({})) })],
    ['as entries where an object is expected', Outer, () => ({ inner: Array(KEYS).fill({}) as unknown[] })],
  ])('%s', async (_where, dtoClass, value) => {
    const sent = value();
    expect(await processorTimeOf(() => refusal(dtoClass, sent))).toBeLessThan(MOST_MILLIS);
  });
});

/** As many values as a JSON body may have, and as fit into a body of 1 MiB. */
const VALUES = 1_000_000;
const VALUES_OF_A_MEBIBYTE = 524_000;
/** How many times as long as a plain walk the check of a value takes at most. Measured: twice. Making something for each value takes over 20 times. */
const MOST_WALKS = 8;
/** What the collection of other garbage may take, and the check of a small value. */
const ADDED_MILLIS = 100;
/** Other work of the machine, and the first run of a function, cost time that the least one of some runs is without. */
const RUNS = 3;

/** Looks at each value and makes nothing. Returns the number of values. */
function walk(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  if (Array.isArray(value)) for (let index = 0; index < value.length; index++) count += walk(value[index]);
  else for (const key of Object.keys(value)) count += walk((value as Record<string, unknown>)[key]);
  return count;
}

const listOf = (make: () => unknown) => Array.from({ length: VALUES }, make);

describe('a list of a million values costs little time', () => {
  it.each<[where: string, dtoClass: Type<object>, value: () => object]>([
    ['of zeros in an unknown field', Outer, () => ({ x: listOf(() => 0) })],
    ['of zeros of a body of 1 MiB', Outer, () => ({ x: Array(VALUES_OF_A_MEBIBYTE).fill(0) as unknown[] })],
    ['of texts in an unknown field', Outer, () => ({ x: listOf(() => '') })],
    ['of objects in an unknown field', Outer, () => ({ x: listOf(() => ({})) })],
    ['of lists in an unknown field', Outer, () => ({ x: listOf(() => []) })],
    ['of objects with a field', Outer, () => ({ x: Array.from({ length: KEYS }, () => ({ a: 0 })) })],
    ['dropped by a tolerant class', Open, () => ({ x: listOf(() => 0) })],
    ['in place of the body', Outer, () => listOf(() => 0)],
    ['where a text is expected', Outer, () => ({ name: listOf(() => 0) })],
    ['where a list of texts is expected', Outer, () => ({ words: listOf(() => 0) })],
    ['where an object is expected', Outer, () => ({ inner: listOf(() => ({})) })],
    ['where a list of objects is expected', Outer, () => ({ list: listOf(() => ({})) })],
    ['where an object of any content is expected', Outer, () => ({ metadata: listOf(() => 0) })],
    ['in an object of any content', Outer, () => ({ metadata: { a: listOf(() => ({})) } })],
    ['where a text of an inner object is expected', Outer, () => ({ inner: { word: listOf(() => []) } })],
  ])('%s', async (_where, dtoClass, value) => {
    const sent = value();
    let [leastCheck, leastWalk] = [Infinity, Infinity];
    for (let run = 0; run < RUNS; run++) {
      leastCheck = Math.min(leastCheck, await processorTimeOf(() => refusal(dtoClass, sent)));
      leastWalk = Math.min(leastWalk, await processorTimeOf(async () => Promise.resolve(walk(sent))));
    }
    expect(leastCheck).toBeLessThan(MOST_WALKS * leastWalk + ADDED_MILLIS);
  });
});

describe('the answer to a value with many faults', () => {
  it('names the first ten unknown fields and counts the others', async () => {
    const message = await refusal(Outer, manyKeys());
    expect(message).toMatch(/^k0: is not known here; .*; k9: is not known here; and 99990 more faults$/);
    expect(message.split('; ')).toHaveLength(11);
  });

  it('shortens long names, never within a character', async () => {
    const message = await refusal(Outer, { [`${'x'.repeat(119)}😀${'y'.repeat(1_000)}`]: 1 });
    expect(message).toBe(`${'x'.repeat(119)}\ufffd…: is not known here`);
  });

  it('judges no entry behind the first that is too many', async () => {
    const message = await refusal(Outer, { list: Array.from({ length: 100 }, () => ({ extra: 1 })) });
    expect(message).toContain('list: must have at most 3 entries');
    expect(message).not.toContain('list.4');
  });
});

it('passes on an object of any content as it was sent', async () => {
  const metadata = manyKeys({ a: [1, { b: null }] });
  expect(((await validated(Outer, { metadata })) as Outer).metadata).toBe(metadata);
});
