import { field, type FieldOptions } from '@inference/dto';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

/** The dimensions by which a report can be grouped (spec: Router cost item). */
export const DIMENSIONS = ['user', 'model', 'entrypoint'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

const ANY_DIMENSION = `(${DIMENSIONS.join('|')})`;

function isDimension(name: string): name is Dimension {
  return DIMENSIONS.some((dimension) => dimension === name);
}

/** The dimensions that the text lists, or the text if it is no such list. */
function parse(text: string): Dimension[] | string {
  if (text.trim() === '') return [];
  const names = text.split(',').map((name) => name.trim());
  const dimensions = names.filter(isDimension);
  return dimensions.length === names.length && new Set(names).size === names.length ? dimensions : text;
}

/** Comma-separated dimensions, with or without spaces. A repeated parameter arrives as a list of texts. */
export function GroupByField(options: FieldOptions): PropertyDecorator {
  return field(
    options,
    { type: 'string', pattern: `^ *(${ANY_DIMENSION} *(, *${ANY_DIMENSION} *)*)?$` },
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? parse(value) : { repeated: value },
    ),
    ValidateBy({
      name: 'isGroupBy',
      validator: {
        validate: (value: unknown) => Array.isArray(value),
        defaultMessage: (checked) =>
          typeof checked?.value === 'string'
            ? `must list some of ${DIMENSIONS.join(', ')}, each at most once`
            : 'must be given once',
      },
    }),
  );
}
