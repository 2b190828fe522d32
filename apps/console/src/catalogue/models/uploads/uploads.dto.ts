import { field, LineField } from '@inference/dto';
import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { Matches, ValidateBy } from 'class-validator';

const MAX_FILE_NAME = 200;
const SHA256_BYTES = 32;
/** RFC 9530, a dictionary of algorithms and values: `sha-256=:<base64>:`. */
const SHA256_DIGEST = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/=]*):\s*(?=,|$)/;

/** The name of a package's file. */
export const FileNameField = (): PropertyDecorator =>
  applyDecorators(
    Matches(/^(?!\.{1,2}$)[^/\\]*$/, { message: 'must be a name without a path' }),
    LineField({
      description: 'The name under which customers save the file. By default made from slug and version.',
      example: 'llama-3.1-8b.gguf',
      maxLength: MAX_FILE_NAME,
      optional: true,
    }),
  );

export class UploadQuery {
  @FileNameField()
  file_name?: string;
}

/** The name of a package's file unless the client gives one. */
export const defaultFileName = (slug: string, version: string): string =>
  `${slug.replaceAll('/', '-')}-${version}`;

const digestOf = (header: string): Buffer => Buffer.from(SHA256_DIGEST.exec(header)?.[1] ?? '', 'base64');

/** The header `Content-Digest`. */
export const ContentDigestField = (options: { description: string; optional: boolean }): PropertyDecorator =>
  field(
    { example: 'sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:', ...options },
    { type: 'string' },
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? digestOf(value) : value)),
    ValidateBy({
      name: 'isSha256',
      validator: {
        validate: (value: unknown) => Buffer.isBuffer(value) && value.length === SHA256_BYTES,
        defaultMessage: () => 'must be sha-256=:<base64>:',
      },
    }),
  );

export class UploadHeaders {
  @ContentDigestField({
    description:
      'SHA-256 that the body must have (RFC 9530). With it, the same upload may be repeated. Other algorithms are ignored.',
    optional: true,
  })
  'Content-Digest'?: Buffer;
}
