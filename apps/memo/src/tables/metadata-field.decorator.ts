import { AsSent, field, type FieldOptions, nameFault } from '@inference/dto';
import { ValidateBy, type ValidationArguments } from 'class-validator';

const MAX_METADATA_PAIRS = 64;
const MAX_METADATA_KEY_CHARS = 64;
const MAX_METADATA_VALUE_CHARS = 512;

/** The schema of a value of the metadata. */
export const METADATA_VALUE_SCHEMA = {
  oneOf: [
    { type: 'string', maxLength: MAX_METADATA_VALUE_CHARS },
    { type: 'number' },
    { type: 'boolean', nullable: true },
  ],
};

function isMetadataValue(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= MAX_METADATA_VALUE_CHARS;
  return value === null || typeof value === 'boolean' || Number.isFinite(value);
}

/** What is wrong with metadata; null if nothing is. */
function metadataFault(value: unknown): string | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'must be an object';
  const pairs = Object.entries(value);
  if (pairs.length > MAX_METADATA_PAIRS) return `must have ${MAX_METADATA_PAIRS} pairs at most`;
  if (pairs.some(([key]) => key === '' || key.length > MAX_METADATA_KEY_CHARS))
    return `must have names of 1 to ${MAX_METADATA_KEY_CHARS} characters`;
  const misnamed = pairs.map(([key]) => nameFault(key)).find((fault) => fault !== null);
  if (misnamed) return `a name ${misnamed}`;
  const wrong = pairs.find(([, inner]) => !isMetadataValue(inner));
  if (!wrong) return null;
  return `${wrong[0]} must be a text of at most ${MAX_METADATA_VALUE_CHARS} characters, a number, true, false or null`;
}

/** Names with scalar values. */
export function MetadataField(options: FieldOptions): PropertyDecorator {
  return field(
    { example: { author: 'Ann', pages: 3 }, ...options },
    { type: 'object', maxProperties: MAX_METADATA_PAIRS, additionalProperties: METADATA_VALUE_SCHEMA },
    AsSent(),
    ValidateBy({
      name: 'isMetadata',
      validator: {
        validate: (value: unknown) => metadataFault(value) === null,
        defaultMessage: (checked?: ValidationArguments) => metadataFault(checked?.value) ?? '',
      },
    }),
  );
}
