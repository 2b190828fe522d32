import { type ArgumentMetadata, BadRequestException, NotFoundException } from '@nestjs/common';
import { ChoiceField, IdField, RequestValidationPipe, TextField } from '@inference/dto';

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
    [{ id: 'thing_', letters: '1' }, 'id: no such thing; letters: must be letters'],
  ])('with %j is refused', async (changes, message) => {
    await expect(validate(changes)).rejects.toThrow(new BadRequestException(message));
  });
});
