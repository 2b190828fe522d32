import { type BadRequestException, type Type } from '@nestjs/common';
import { timesAsLong } from '@inference/testing';
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

const KEYS = 20_000;
const manyKeys = (value: unknown = 0) =>
  Object.fromEntries(Array.from({ length: KEYS }, (_, index) => [`k${index}`, value]));
const refusal = (dtoClass: Type<object>, value: object) =>
  validated(dtoClass, value).then(
    () => 'it is taken',
    (error: BadRequestException) => error.message,
  );

/** Looks at each value and makes nothing. Returns the number of values. */
function walk(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  if (Array.isArray(value)) for (let index = 0; index < value.length; index++) count += walk(value[index]);
  else for (const key of Object.keys(value)) count += walk((value as Record<string, unknown>)[key]);
  return count;
}

/**
 * Measured: one to three. Making something for each value takes over 20, and so does a check of 20,000 fields whose
 * time grows with the square of their number.
 */
const MOST_WALKS = 10;

/** How many times as long as a plain walk the check of a value takes. */
const walksOf = (dtoClass: Type<object>, value: object) =>
  timesAsLong(
    () => refusal(dtoClass, value),
    () => walk(value),
    MOST_WALKS,
  );

describe('a value of very many fields costs little time', () => {
  it.each<[where: string, dtoClass: Type<object>, value: () => object]>([
    ['unknown to the class', Outer, manyKeys],
    ['unknown to the class of an inner object', Outer, () => ({ inner: manyKeys() })],
    ['unknown to the class of an entry', Outer, () => ({ list: [manyKeys()] })],
    ['where a text is expected', Outer, () => ({ name: manyKeys() })],
    ['where a list is expected', Outer, () => ({ list: manyKeys() })],
    ['in an object of any content', Outer, () => ({ metadata: manyKeys() })],
    ['deep in an object of any content', Outer, () => ({ metadata: { a: [{ b: manyKeys() }] } })],
    ['dropped by a tolerant class', Open, manyKeys],
  ])('%s', async (_where, dtoClass, value) => {
    expect(await walksOf(dtoClass, value())).toBeLessThan(MOST_WALKS);
  });
});

const VALUES = 200_000;
const listOf = (make: () => unknown) => Array.from({ length: VALUES }, make);

describe('a list of very many values costs little time', () => {
  it.each<[where: string, dtoClass: Type<object>, value: () => object]>([
    ['of zeros in an unknown field', Outer, () => ({ x: listOf(() => 0) })],
    ['of texts in an unknown field', Outer, () => ({ x: listOf(() => '') })],
    ['of objects in an unknown field', Outer, () => ({ x: listOf(() => ({})) })],
    ['of lists in an unknown field', Outer, () => ({ x: listOf(() => []) })],
    ['of objects with a field', Outer, () => ({ x: listOf(() => ({ a: 0 })) })],
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
    expect(await walksOf(dtoClass, value())).toBeLessThan(MOST_WALKS);
  });
});

describe('the answer to a value with many faults', () => {
  it('names the first ten unknown fields and counts the others', async () => {
    const message = await refusal(Outer, manyKeys());
    expect(message).toMatch(/^k0: is not known here; .*; k9: is not known here; and 19990 more faults$/);
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
