import { BadRequestException, NotFoundException, type Type } from '@nestjs/common';
import {
  ChoiceField,
  IdField,
  LineField,
  TextField,
  TextListField,
  validated,
  validatedPath,
} from '@inference/dto';
import { Matches } from 'class-validator';
import { nameFault } from './text-field';

const description = 'A field.';

class Words {
  @TextField({ description, optional: true, minLength: 2, maxLength: 4 })
  bounded?: string;

  @TextField({ description, optional: true, minLength: 0 })
  empty?: string;

  @TextField({ description, optional: true, nullable: true })
  nullable?: string | null;

  @TextField({ description, optional: true, trim: true, pattern: [/^[a-z]+$/, 'must be letters'] })
  letters?: string;

  @LineField({ description, optional: true, maxLength: 5 })
  line?: string;

  @ChoiceField(['red', 'blue'], { description, optional: true })
  colour?: string;

  @IdField({ description, optional: true, noun: 'thing', prefix: 'thg' })
  id?: string;

  @TextListField(
    { description, optional: true, minItems: 1, maxItems: 2 },
    { pattern: '^[a-z]$' },
    Matches(/^[a-z]$/, { each: true, message: 'must be a list of letters' }),
  )
  list?: string[];
}

class Required {
  @TextField({ description })
  text!: string;
}

const refusal = (dtoClass: Type<object>, value: unknown): Promise<unknown> =>
  validated(dtoClass, value).then(
    (dto) => `${JSON.stringify(dto)} is taken`,
    (error: unknown) => error,
  );

describe('a field of a text', () => {
  it.each([
    [{}, {}],
    [{ bounded: 'ab' }, { bounded: 'ab' }],
    [{ bounded: 'abcd' }, { bounded: 'abcd' }],
    // Four characters of two code units each.
    [{ bounded: '😀😀😀😀' }, { bounded: '😀😀😀😀' }],
    [{ empty: '' }, { empty: '' }],
    [{ nullable: null }, { nullable: null }],
    [{ letters: ' abc ' }, { letters: 'abc' }],
    [{ line: '  a b  ' }, { line: 'a b' }],
    [{ line: '  12345  ' }, { line: '12345' }],
    [{ colour: 'blue' }, { colour: 'blue' }],
    [{ id: `thg_${'x'.repeat(64)}` }, { id: `thg_${'x'.repeat(64)}` }],
    [{ list: ['a'] }, { list: ['a'] }],
    [{ list: ['a', 'b'] }, { list: ['a', 'b'] }],
  ])('takes %j', async (value, expected) => {
    expect({ ...(await validated(Words, value)) }).toEqual(expected);
  });

  it.each([
    [{ bounded: 'a' }, 'bounded: must have at least 2 characters'],
    [{ bounded: 'abcde' }, 'bounded: must have at most 4 characters'],
    [{ bounded: '😀😀😀😀😀' }, 'bounded: must have at most 4 characters'],
    [{ bounded: 12 }, 'bounded: must be a text'],
    [{ bounded: ['ab', 'cd'] }, 'bounded: must be given once'],
    [{ bounded: { length: 3 } }, 'bounded: must be a text'],
    [{ bounded: null }, 'bounded: must not be null'],
    [{ nullable: '' }, 'nullable: must not be empty'],
    [{ letters: 'a b' }, 'letters: must be letters'],
    [{ letters: '   ' }, 'letters: must not be empty'],
    [{ line: '123456' }, 'line: must have at most 5 characters'],
    [{ line: 'a\nb' }, 'line: must be one line without control characters'],
    [{ line: 'a\u2028b' }, 'line: must be one line without control characters'],
    [{ line: 'a\u007fb' }, 'line: must be one line without control characters'],
    [{ colour: 'Red' }, 'colour: must be one of red, blue'],
    [{ colour: ['red'] }, 'colour: must be one of red, blue'],
    [{ list: [] }, 'list: must have at least 1 entries'],
    [{ list: ['a', 'b', 'c'] }, 'list: must have at most 2 entries'],
    [{ list: 'a' }, 'list: must be a list'],
    [{ list: ['a', 1] }, 'list: must be a list of letters'],
    [{ list: { 0: 'a', length: 1 } }, 'list: must be a list'],
  ])('refuses %j', async (value, message) => {
    expect(await refusal(Words, value)).toEqual(new BadRequestException(message));
  });

  it.each(['thg_', 'thg', 'thx_1', 'thg_a-b', ' thg_1', 'thg_1\n', `thg_${'x'.repeat(65)}`])(
    'answers 404 to the id %j of a path, which names nothing, and 400 elsewhere',
    async (id) => {
      await expect(validatedPath(Words, { id })).rejects.toEqual(new NotFoundException('no such thing'));
      expect(await refusal(Words, { id })).toBeInstanceOf(BadRequestException);
    },
  );

  it.each([
    [{}, 'text: is missing'],
    [{ text: undefined }, 'text: is missing'],
    [{ text: null }, 'text: must not be null'],
    [{ text: '' }, 'text: must not be empty'],
  ])('is required unless it is optional: %j', async (value, message) => {
    expect(await refusal(Required, value)).toEqual(new BadRequestException(message));
  });
});

const CONTROLS = 'must be one line without control characters';
const INVISIBLE = 'must not contain invisible characters or marks of direction';

describe('a name', () => {
  it.each([
    'production',
    'Ann’s key (2026) — test',
    '=1+1',
    '上海某某信息技术有限公司',
    'مفتاح',
    'می\u200cخواهم',
    'क्\u200dष',
    '葛\u{e0100}',
    '👨\u200d👩\u200d👧',
    '❤\ufe0f\u200d🔥',
    'Constructor',
    'my__proto__',
    '',
  ])('may be %j', (text) => expect(nameFault(text)).toBeNull());

  it.each([
    ['a\nb', CONTROLS],
    ['a\u0000', CONTROLS],
    ['\u001b[2J', CONTROLS],
    ['a\u0085b', CONTROLS],
    ['a\u009bb', CONTROLS],
    ['a\u007f', CONTROLS],
    ['a\u2028b', CONTROLS],
    ['a\u2029b', CONTROLS],
    ...[
      ...['\u061c', '\u200b', '\u200c', '\u200d', '\u200e', '\u200f', '\u202a', '\u202b', '\u202c', '\u202d'],
      ...['\u202e', '\u2060', '\u2066', '\u2067', '\u2068', '\u2069', '\ufeff', '\u00ad', '\u3164', '\ufffa'],
      ...['\ufe0f\ufe0f', '\u{e0041}', '\u{e0100}'],
    ].map((hidden): [string, string] => [`a${hidden}b`, INVISIBLE]),
    ['\u202eexe.txt', INVISIBLE],
    ['\u200d', INVISIBLE],
    ['\ufe0fa', INVISIBLE],
    ['ключ\u200dа', INVISIBLE],
    ['__proto__', 'must not be __proto__'],
    ['constructor', 'must not be constructor'],
    ['prototype', 'must not be prototype'],
  ])('may not be %j: %s', (text, fault) => expect(nameFault(text)).toBe(fault));
});
