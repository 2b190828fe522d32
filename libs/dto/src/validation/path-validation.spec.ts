import { type ArgumentMetadata, BadRequestException, NotFoundException } from '@nestjs/common';
import { ChoiceField, IdField, RequestValidationPipe, TextField, validated } from '@inference/dto';

const description = 'A part of the path.';

class ThingPath {
  @IdField({ description, noun: 'thing', prefix: 'thing' })
  id!: string;

  @ChoiceField(['red', 'blue'], { description, notFound: 'no such colour' })
  colour!: string;

  @TextField({ description, pattern: [/^[a-z]+$/, 'must be letters'] })
  letters!: string;

  @TextField({ description })
  name!: string;
}

const ID_FORM = 'must be an id like thing_0Vc3kZ8dQ1mXw7RtYb2LsA';
const VALID = { id: 'thing_1', colour: 'red', letters: 'abc', name: 'any' };
const metadata: ArgumentMetadata = { type: 'param', metatype: ThingPath };
const validate = (changes: object) =>
  new RequestValidationPipe().transform({ ...VALID, ...changes }, metadata) as Promise<ThingPath>;

describe('a path', () => {
  it('becomes an instance of its class', async () => {
    expect(await validate({})).toEqual(Object.assign(new ThingPath(), VALID));
  });

  it.each([
    [{ id: 'thing_' }, 'no such thing'],
    [{ id: 'thing_\0' }, 'no such thing'],
    [{ colour: 'green' }, 'no such colour'],
    [{ colour: '\ud800' }, 'no such colour'],
  ])('with %j names nothing', async (changes, message) => {
    await expect(validate(changes)).rejects.toThrow(new NotFoundException(message));
  });

  it.each([
    [{ letters: '1' }, 'letters: must be letters'],
    [{ letters: 'a\0' }, 'letters: must be letters'],
    [{ name: 'a\0' }, 'name: must not contain NUL characters or halves of surrogate pairs'],
    [{ id: 'thing_', letters: '1' }, `id: ${ID_FORM}; letters: must be letters`],
    [{ colour: 'green', letters: '1' }, 'colour: must be one of red, blue; letters: must be letters'],
  ])('with %j is refused', async (changes, message) => {
    await expect(validate(changes)).rejects.toThrow(new BadRequestException(message));
  });
});

it.each([
  [{ id: 'thing_' }, `id: ${ID_FORM}`],
  [{ id: 7 }, 'id: must be a text'],
  [{ id: ['thing_1', 'thing_2'] }, 'id: must be given once'],
  [{ id: undefined }, 'id: is missing'],
  [{ id: 'thing_', colour: 'green' }, `id: ${ID_FORM}; colour: must be one of red, blue`],
])('a body with %j is refused, whatever it names', async (changes, message) => {
  await expect(validated(ThingPath, { ...VALID, ...changes })).rejects.toThrow(
    new BadRequestException(message),
  );
});
