import { type HttpException } from '@nestjs/common';
import fc from 'fast-check';
import {
  BooleanField,
  ChoiceField,
  compileValidator,
  IntegerField,
  ObjectField,
  ObjectListField,
  TextField,
  Tolerant,
  validated,
} from '../index';

@Tolerant()
class Options {
  @BooleanField({ description: 'A flag.', optional: true })
  flag?: boolean;
}

class Base {
  @TextField({ description: 'A name.', maxLength: 3, pattern: [/^[a-z]*$/, 'must be of a-z'] })
  name!: string;
}

@Tolerant()
class Order extends Base {
  @IntegerField({ description: 'A count.', min: 1, max: 9, optional: true, nullable: true })
  count?: number | null;

  @ChoiceField(['red', 'blue'], {
    description: 'A colour.',
    requiredIf: ({ count }) => count === 7,
    optional: true,
  })
  colour?: string;

  @ObjectField(() => Options, { description: 'Options.', optional: true, nullable: true })
  options?: Options | null;
}

const findFaults = compileValidator(Order);

const valueOf = (...sound: unknown[]) =>
  fc.oneof(
    fc.constantFrom(...sound),
    fc.constantFrom(null, undefined, 0, 1.5, 7, 10, '', '7', 'ABCD', true, [], {}),
  );

const order = fc.record({
  name: valueOf('abc'),
  count: valueOf(1, 9),
  colour: valueOf('red'),
  options: fc.oneof(valueOf({}), fc.record({ flag: valueOf(false), other: fc.anything() })),
  unknown: fc.constant('text'),
});

test('a compiled validator finds the faults that `validated` reports', async () => {
  await fc.assert(
    fc.asyncProperty(order, async (value) => {
      const reported = await validated(Order, { ...value, options: withoutUnknown(value.options) }).then(
        () => [],
        (error: HttpException) => error.message.split('; '),
      );
      const found = findFaults(value).map(({ path, message }) => `${path}: ${message}`);
      expect(found.sort()).toEqual(reported.sort());
    }),
  );
});

/** `validated` looks for hostile input in the whole value. */
function withoutUnknown(options: unknown): unknown {
  if (options === null || typeof options !== 'object' || !('other' in options)) return options;
  const { other: _other, ...rest } = options;
  return rest;
}

test('the path of a fault leads through nested objects', () => {
  expect(findFaults({ name: 'abc', count: 0, options: { flag: 'yes' } })).toEqual([
    { path: 'count', message: 'must be a whole number from 1 to 9' },
    { path: 'options.flag', message: 'must be true or false' },
  ]);
});

test('a class with a list is refused, as its entries would not be validated', () => {
  class WithList {
    @ObjectListField(() => Options, { description: 'A list.', maxItems: 2 })
    list!: Options[];
  }
  expect(() => compileValidator(WithList)).toThrow('WithList.list: lists are not supported.');
});
