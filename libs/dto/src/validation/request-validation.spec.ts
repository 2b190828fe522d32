import { BadRequestException, type Type } from '@nestjs/common';
import { PickType } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import {
  BooleanField,
  IntegerField,
  JsonObjectField,
  ObjectField,
  ObjectListField,
  TextField,
  Tolerant,
  validated,
} from '@inference/dto';

const description = 'A field.';

class Inner {
  @TextField({ description, maxLength: 3 })
  word!: string;

  @ObjectField(() => Inner, { description, optional: true })
  deeper?: Inner;
}

class Outer {
  @TextField({ description })
  name!: string;

  @IntegerField({ description, min: 0, max: 9 })
  count!: number;

  @BooleanField({ description, optional: true })
  flag?: boolean;

  @ObjectField(() => Inner, { description, optional: true })
  inner?: Inner;

  @ObjectListField(() => Inner, { description, optional: true, maxItems: 3 })
  list?: Inner[];

  @JsonObjectField({ description, optional: true })
  metadata?: Record<string, unknown>;
}

@Tolerant()
class Open {
  @TextField({ description })
  name!: string;

  @ObjectField(() => Inner, { description, optional: true })
  inner?: Inner;
}

const refusal = (dtoClass: Type<object>, value: unknown): Promise<unknown> =>
  validated(dtoClass, value).then(
    (dto) => `${JSON.stringify(dto)} is taken`,
    (error: unknown) => error,
  );
const parse = (text: string): unknown => JSON.parse(text);
const sound = (changes: string): unknown => parse(`{"name":"a","count":1,${changes}}`);

describe('the validation of a request', () => {
  it('names all faults of an object, and of those within, at once', async () => {
    const value = {
      count: 10,
      flag: 'no',
      inner: { word: 7 },
      list: [{ word: 'ok' }, {}],
      extra: 1,
      more: 2,
    };
    const { message } = (await refusal(Outer, value)) as BadRequestException;
    expect(message.split('; ').sort()).toEqual([
      'count: must be a whole number from 0 to 9',
      'extra: is not known here',
      'flag: must be true or false',
      'inner.word: must be a text',
      'list.1.word: is missing',
      'more: is not known here',
      'name: is missing',
    ]);
  });

  it('names unknown fields that are members of every object together with all other faults', async () => {
    const value = parse('{"name":"a","count":"x","toString":1,"inner":{"word":7,"valueOf":1},"extra":1}');
    const { message } = (await refusal(Outer, value)) as BadRequestException;
    expect(message.split('; ').sort()).toEqual([
      'count: must be a whole number from 0 to 9',
      'extra: is not known here',
      'inner.valueOf: is not known here',
      'inner.word: must be a text',
      'toString: is not known here',
    ]);
  });

  const members = Object.getOwnPropertyNames(Object.prototype).filter(
    (name) => !['__proto__', 'constructor'].includes(name),
  );
  it.each(members)(
    'refuses a field named %s, and drops it where unknown fields are dropped',
    async (name) => {
      for (const content of [1, null, {}, ['a']]) {
        const inner = { word: 'a', [name]: content };
        expect(await refusal(Outer, { name: 'a', count: 1, [name]: content, inner, list: [inner] })).toEqual(
          new BadRequestException(
            [name, `inner.${name}`, `list.0.${name}`].map((path) => `${path}: is not known here`).join('; '),
          ),
        );
        expect(await validated(Open, { name: 'a', [name]: content, inner })).toEqual(
          Object.assign(new Open(), { name: 'a', inner: Object.assign(new Inner(), { word: 'a' }) }),
        );
      }
    },
  );

  it('knows fields that a class takes over from another, and those that any value may have', async () => {
    class Taken extends PickType(Outer, ['count']) {
      @Allow()
      anything?: unknown;
    }
    const { message } = (await refusal(Taken, { count: 10, anything: 1, name: 'a' })) as BadRequestException;
    expect(message).toBe('name: is not known here; count: must be a whole number from 0 to 9');
    expect(await validated(Taken, { count: 1, anything: 'x' })).toEqual({ count: 1, anything: 'x' });
  });

  it('names hostile input alone', async () => {
    const hostile = parse('{"name":7,"count":"x","__proto__":1}');
    expect(await refusal(Outer, hostile)).toEqual(
      new BadRequestException('value: must not have a field named __proto__'),
    );
  });

  it.each([null, undefined, 1, 'text', true, []])('refuses %j, which is no object', async (value) => {
    expect(await refusal(Outer, value)).toEqual(new BadRequestException('the body must be a JSON object'));
  });

  it.each([
    ['"toString":1', 'toString: is not known here'],
    ['"toString":1,"valueOf":null', 'toString: is not known here; valueOf: is not known here'],
    ['"inner":{"word":"a","toString":1}', 'inner.toString: is not known here'],
    [
      '"inner":{"word":"a","deeper":{"word":"b","hasOwnProperty":1}}',
      'inner.deeper.hasOwnProperty: is not known here',
    ],
    ['"list":[{"word":"a"},{"word":"b","valueOf":{}}]', 'list.1.valueOf: is not known here'],
    ['"inner":{"word":"a","__defineGetter__":1}', 'inner.__defineGetter__: is not known here'],
    ['"__proto__":{"name":"b"}', 'value: must not have a field named __proto__'],
    ['"constructor":{"name":"b"}', 'value: must not have a field named constructor'],
    ['"inner":{"word":"a","__proto__":1}', 'inner: must not have a field named __proto__'],
    ['"list":[{"word":"a","constructor":1}]', 'list.0: must not have a field named constructor'],
    ['"metadata":{"a":{"__proto__":1}}', 'metadata.a: must not have a field named __proto__'],
  ])('refuses the hostile name in %s', async (changes, message) => {
    expect(await refusal(Outer, sound(changes))).toEqual(new BadRequestException(message));
  });

  it('passes on the members of an object of any content', async () => {
    const metadata = { toString: 1, then: 2, prototype: { valueOf: null } };
    expect((await validated(Outer, { name: 'a', count: 1, metadata })).metadata).toEqual(metadata);
  });

  it.each([
    ['a\0', 'name'],
    ['\ud800', 'name'],
  ])('refuses the text %j, which cannot be stored', async (name, path) => {
    const message = `${path}: must not contain NUL characters or halves of surrogate pairs`;
    expect(await refusal(Outer, { name, count: 1 })).toEqual(new BadRequestException(message));
  });

  it('refuses what is nested too deep', async () => {
    const nested = (levels: number) => sound(`"metadata":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`);
    expect(await validated(Outer, nested(98))).toBeInstanceOf(Outer);
    expect(await refusal(Outer, nested(99))).toEqual(
      expect.objectContaining({
        message: expect.stringMatching(/must not be nested more than 100 levels deep$/),
      }),
    );
    expect(await refusal(Outer, nested(20_000))).toBeInstanceOf(BadRequestException);
  });

  it('drops unknown fields of a tolerant class, and of the objects within', async () => {
    const value = parse('{"name":"a","extra":1,"toString":1,"inner":{"word":"b","extra":[],"valueOf":1}}');
    const open = await validated(Open, value);
    expect(open).toBeInstanceOf(Open);
    expect(parse(JSON.stringify(open))).toEqual({ name: 'a', inner: { word: 'b' } });
    expect(Object.hasOwn(open, 'toString')).toBe(false);
  });

  it('still judges the known fields of a tolerant class', async () => {
    expect(await refusal(Open, { name: 7, extra: 1 })).toEqual(
      new BadRequestException('name: must be a text'),
    );
    expect(await refusal(Open, parse('{"name":"a","__proto__":{}}'))).toBeInstanceOf(BadRequestException);
  });
});
