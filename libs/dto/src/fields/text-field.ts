import { Transform } from 'class-transformer';
import { IsIn, IsString, type ValidationArguments, Matches, MaxLength, MinLength } from 'class-validator';
import { NOT_FOUND } from '../validation/request-validation.pipe';
import { field, type FieldOptions } from './field';
import { NameText } from './name-text';

export interface NameOptions extends FieldOptions {
  /** For a path: a text of another form names nothing, so the answer is 404 with this message. */
  notFound?: string;
}

export interface TextOptions extends NameOptions {
  /** 1 by default. */
  minLength?: number;
  maxLength?: number;
  /** The form of the text, and the message for any other. */
  pattern?: [form: RegExp, message: string];
  /** Removes surrounding spaces first. */
  trim?: boolean;
  format?: string;
}

/** A repeated parameter of a query arrives as a list. */
const isText = () =>
  IsString({
    message: ({ value }: ValidationArguments) =>
      Array.isArray(value) ? 'must be given once' : 'must be a text',
  });

const trimmed = () =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));

const messageOf = (message: string, notFound: string | undefined) =>
  notFound === undefined ? { message } : { message, context: { [NOT_FOUND]: notFound } };

/** A text. Lengths count characters; a pair of surrogates is one. */
export function TextField(options: TextOptions): PropertyDecorator {
  const { minLength = 1, maxLength, pattern, trim = false, format, notFound } = options;
  const tooLong = `must have at most ${maxLength} characters`;
  const tooShort = minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters`;
  return field(
    options,
    {
      type: 'string',
      ...(minLength > 0 && { minLength }),
      ...(maxLength !== undefined && { maxLength }),
      ...(pattern && { pattern: pattern[0].source }),
      ...(format !== undefined && { format }),
    },
    ...(trim ? [trimmed()] : []),
    isText(),
    ...(minLength > 0 ? [MinLength(minLength, { message: tooShort })] : []),
    ...(maxLength === undefined ? [] : [MaxLength(maxLength, { message: tooLong })]),
    ...(pattern ? [Matches(pattern[0], messageOf(pattern[1], notFound))] : []),
  );
}

/** A title or a name (see `nameFault`). Surrounding spaces are removed. */
export function LineField(
  options: Omit<TextOptions, 'pattern' | 'trim'> & { maxLength: number },
): PropertyDecorator {
  const asText = TextField({ ...options, trim: true });
  const asName = NameText();
  return (target, property) => {
    asText(target, property);
    asName(target, property);
  };
}

/** One of a few texts. */
export function ChoiceField(choices: readonly string[], options: NameOptions): PropertyDecorator {
  const message = `must be one of ${choices.join(', ')}`;
  return field(
    options,
    { type: 'string', enum: [...choices] },
    IsIn(choices, messageOf(message, options.notFound)),
  );
}

export interface IdOptions extends FieldOptions {
  /** What the id names, for the message `no such …` of a path. */
  noun: string;
  /** Prefix of the id, such as `pay` of `pay_0Vc3…`. */
  prefix: string;
}

const MAX_ID_DIGITS = 64;

/**
 * An id that the platform has made (see `newId`). A text of any other form is 400; in a path it is 404, as an unknown id is.
 */
export function IdField({ noun, prefix, ...options }: IdOptions): PropertyDecorator {
  const form = new RegExp(`^${prefix}_[0-9A-Za-z]{1,${MAX_ID_DIGITS}}$`);
  const example = `${prefix}_0Vc3kZ8dQ1mXw7RtYb2LsA`;
  return field(
    { example, ...options },
    { type: 'string', pattern: form.source },
    isText(),
    Matches(form, messageOf(`must be an id like ${example}`, `no such ${noun}`)),
  );
}
