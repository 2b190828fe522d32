import { BooleanField, FlagParameter, IntegerField, IntegerParameter, validated } from '@inference/dto';

const description = 'A field.';

class Numbers {
  @IntegerField({ description, optional: true, min: -1, max: 9 })
  integer?: number;

  @IntegerParameter({ description, optional: true, min: 1, max: 100, default: 50 })
  limit: number = 50;

  @BooleanField({ description, optional: true })
  boolean?: boolean;

  @FlagParameter({ description, optional: true })
  flag?: boolean;
}

describe('a field of a number or a flag', () => {
  it.each([
    [{}, { limit: 50 }],
    [{ integer: -1 }, { integer: -1, limit: 50 }],
    [{ integer: 9 }, { integer: 9, limit: 50 }],
    [{ limit: '1' }, { limit: 1 }],
    [{ limit: '100' }, { limit: 100 }],
    [{ limit: '007' }, { limit: 7 }],
    [{ boolean: false }, { boolean: false, limit: 50 }],
    [{ flag: 'true' }, { flag: true, limit: 50 }],
    [{ flag: 'false' }, { flag: false, limit: 50 }],
  ])('takes %j', async (value, expected) => {
    expect({ ...(await validated(Numbers, value)) }).toEqual(expected);
  });

  const NO_INTEGER = 'integer: must be a whole number from -1 to 9';
  const NO_LIMIT = 'limit: must be a whole number from 1 to 100';
  const NO_BOOLEAN = 'boolean: must be true or false';
  const NO_FLAG = 'flag: must be true or false';

  it.each([
    [{ integer: -2 }, NO_INTEGER],
    [{ integer: 10 }, NO_INTEGER],
    [{ integer: 1.5 }, NO_INTEGER],
    [{ integer: '1' }, NO_INTEGER],
    [{ integer: true }, NO_INTEGER],
    [{ integer: [1] }, NO_INTEGER],
    [{ integer: Infinity }, NO_INTEGER],
    [{ integer: NaN }, NO_INTEGER],
    [{ integer: null }, 'integer: must not be null'],
    [{ limit: '0' }, NO_LIMIT],
    [{ limit: '101' }, NO_LIMIT],
    [{ limit: '' }, NO_LIMIT],
    [{ limit: ' 1' }, NO_LIMIT],
    [{ limit: '1e1' }, NO_LIMIT],
    [{ limit: '0x1' }, NO_LIMIT],
    [{ limit: '+1' }, NO_LIMIT],
    [{ limit: '1.0' }, NO_LIMIT],
    [{ limit: '9'.repeat(17) }, NO_LIMIT],
    [{ limit: ['1', '2'] }, NO_LIMIT],
    [{ boolean: 'true' }, NO_BOOLEAN],
    [{ boolean: 1 }, NO_BOOLEAN],
    [{ flag: '1' }, NO_FLAG],
    [{ flag: 'TRUE' }, NO_FLAG],
    [{ flag: '' }, NO_FLAG],
    [{ flag: ['true', 'true'] }, NO_FLAG],
  ])('refuses %j', async (value, message) => {
    await expect(validated(Numbers, value)).rejects.toThrow(message);
  });
});
