import { field, type FieldOptions } from '@inference/dto';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

/** The dimensions that the text lists, or the text if it is no such list. */
function parse(text: string, dimensions: readonly string[]): string[] | string {
  if (text.trim() === '') return [];
  const names = text.split(',').map((name) => name.trim());
  const isList = names.every((name) => dimensions.includes(name)) && new Set(names).size === names.length;
  return isList ? names : text;
}

/** Comma-separated dimensions of a report, with or without spaces. A repeated parameter arrives as a list of texts. */
export function GroupByField(dimensions: readonly string[], options: FieldOptions): PropertyDecorator {
  const anyDimension = `(${dimensions.join('|')})`;
  return field(
    options,
    { type: 'string', pattern: `^ *(${anyDimension} *(, *${anyDimension} *)*)?$` },
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? parse(value, dimensions) : { repeated: value },
    ),
    ValidateBy({
      name: 'isGroupBy',
      validator: {
        validate: (value: unknown) => Array.isArray(value),
        defaultMessage: (checked) =>
          typeof checked?.value === 'string'
            ? `must list some of ${dimensions.join(', ')}, each at most once`
            : 'must be given once',
      },
    }),
  );
}
