import { IntegerField, ObjectListField, validated } from '@inference/dto';

class Part {
  @IntegerField({ description: 'A number.', min: 0, max: 9 })
  number!: number;
}

class Whole {
  @ObjectListField(() => Part, { description: 'The parts.', maxItems: 2 })
  parts!: Part[];
}

const validate = (parts: unknown) => validated(Whole, { parts });

describe('a list of objects', () => {
  it('holds instances of their class', async () => {
    const { parts } = await validate([{ number: 1 }]);
    expect(parts).toEqual([Object.assign(new Part(), { number: 1 })]);
  });

  it.each([
    [null, 'parts: must not be null'],
    [{}, 'parts: must be a list'],
    [[null], 'parts: must be a list of objects'],
    [[undefined], 'parts: must be a list of objects'],
    [['x'], 'parts: must be a list of objects'],
    [[[]], 'parts: must be a list of objects'],
    [[{}], 'parts.0.number: is missing'],
    [[{ number: 1 }, { number: 10 }], 'parts.1.number: must be a whole number from 0 to 9'],
    [[{ number: 1, colour: 'red' }], 'parts.0.colour: is not known here'],
    [[{}, {}, {}], 'parts: must have at most 2 entries'],
  ])('%j is refused', async (parts, message) => {
    await expect(validate(parts)).rejects.toThrow(message);
  });
});
