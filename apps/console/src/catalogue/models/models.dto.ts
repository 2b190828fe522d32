import { InstantProperty, LineField, NextCursorProperty, TextField } from '@inference/dto';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import { SlugField } from '../../validation/slug-field.decorator';
import { TokenQuery } from '../../validation/token-query.dto';
import { XmlText } from '../escape-xml';
import { PackageResponse } from './model-packages/packages.dto';

const VERSION = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/;
const VERSION_MESSAGE = 'must have 1 to 64 of A-Z, a-z, 0-9 and . _ + -, the first one a letter or a digit';
/** Path segments that follow a slug in routes, so they must not be part of one. */
const RESERVED = ['packages', 'download'];
const SLUG_EXAMPLE = 'meta-llama/Llama-3.1-8B';

const SLUG_IN_PATH = 'May contain slashes, sent as they are or as `%2F`.';

/** A wildcard route parses a slug with slashes into a list of segments. */
const FromSegments = () =>
  Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value.join('/') : value));

/** The slug of a model to read or remove. Its form is not checked: an invalid slug is simply not found. */
const SlugParameter = (): PropertyDecorator =>
  applyDecorators(
    FromSegments(),
    TextField({ description: `The slug of the model. ${SLUG_IN_PATH}`, example: SLUG_EXAMPLE }),
  );

const hasPlainSegments = (slug: string) =>
  slug.split('/').every((part) => !['', '.', '..', ...RESERVED].includes(part.toLowerCase()));

/** The slug of a model to write: it must fit into the paths of routes. */
export const NewSlugField = (description: string): PropertyDecorator =>
  applyDecorators(
    SlugField({ description, example: SLUG_EXAMPLE }),
    ValidateBy({
      name: 'isPackageSlug',
      validator: {
        validate: (slug: string) => hasPlainSegments(slug),
        defaultMessage: () =>
          `must not have empty parts between slashes, nor . or .. or ${RESERVED.join(' or ')}`,
      },
    }),
  );

const NewSlugParameter = (): PropertyDecorator =>
  applyDecorators(FromSegments(), NewSlugField(`The slug of the model. ${SLUG_IN_PATH}`));

export const VersionField = (options: { description: string; optional?: boolean; nullable?: boolean }) =>
  TextField({ ...options, example: '1.0', pattern: [VERSION, VERSION_MESSAGE] });

export class ModelPath {
  @SlugParameter()
  slug!: string;
}

export class NewModelPath {
  @NewSlugParameter()
  slug!: string;
}

export class PackagePath extends ModelPath {
  @TextField({ description: 'The version of the package.', example: '1.0' })
  version!: string;
}

export class NewPackagePath extends NewModelPath {
  @VersionField({ description: 'The version of the package.' })
  version!: string;
}

const OnceVersionField = () =>
  VersionField({
    description:
      'A version that was published once, to resume its download after another one was published. By default the published one.',
    optional: true,
  });

export class DownloadQuery extends TokenQuery {
  @OnceVersionField()
  version?: string;
}

export class ModelLinkQuery {
  @OnceVersionField()
  version?: string;
}

export class ModelLinkResponse {
  @ApiProperty({
    description: 'Opens the download. Whoever has the link can use it until it expires.',
    format: 'uri',
    example:
      'https://console.example.com/api/files/pkg_0Vc3kZ8dQ1mXw7RtYb2LsA?name=llama.gguf&expires=1760000000',
  })
  url!: string;

  @InstantProperty({ description: 'When the link stops working.' })
  expires_at!: string;
}

const TraitField = (description: string, example: string) =>
  LineField({
    description: `${description} Absent or null: none.`,
    example,
    maxLength: 100,
    optional: true,
    nullable: true,
  });

/** An absent field other than `version` is cleared. */
export class PutModelDto {
  @LineField({ description: 'The name for people.', example: 'Llama 3.1 8B', maxLength: 200 })
  name!: string;

  @XmlText()
  @TextField({
    description: 'Text for people.',
    example: 'A small model.',
    minLength: 0,
    maxLength: 20_000,
    optional: true,
    default: '',
  })
  description: string = '';

  @TraitField('The family of models.', 'Llama')
  family?: string | null;

  @TraitField('The number of parameters.', '8B')
  parameters?: string | null;

  @TraitField('The quantization.', 'Q4_K_M')
  quantization?: string | null;

  @TraitField('The file format.', 'gguf')
  format?: string | null;

  @TraitField('The licence.', 'Apache-2.0')
  license?: string | null;

  @VersionField({
    description: 'The package to publish. Null publishes none; if absent, publication does not change.',
    optional: true,
    nullable: true,
  })
  version?: string | null;
}

const TraitProperty = (description: string, example: string) =>
  ApiProperty({ description: `${description} Null: not given.`, example, type: String, nullable: true });

class ModelDescription {
  @ApiProperty({ description: 'Names the model in this API and at the gateway.', example: SLUG_EXAMPLE })
  slug!: string;

  @ApiProperty({ description: 'The name for people.', example: 'Llama 3.1 8B' })
  name!: string;

  @ApiProperty({ description: 'Text for people; may be empty.', example: 'A small model.' })
  description!: string;

  @TraitProperty('The family of models.', 'Llama')
  family!: string | null;

  @TraitProperty('The number of parameters.', '8B')
  parameters!: string | null;

  @TraitProperty('The quantization.', 'Q4_K_M')
  quantization!: string | null;

  @TraitProperty('The file format.', 'gguf')
  format!: string | null;

  @TraitProperty('The licence.', 'Apache-2.0')
  license!: string | null;
}

/** A model with its published package. */
export class ModelResponse extends ModelDescription {
  @ApiProperty({ description: 'The version of the published package.', example: '1.0' })
  version!: string;

  @ApiProperty({ description: 'The name under which the file is saved.', example: 'llama-3.1-8b.gguf' })
  file_name!: string;

  @ApiProperty({ description: 'Bytes of the file.', type: 'integer', example: 4_920_739_232 })
  size!: number;

  @ApiProperty({
    description: 'SHA-256 of the file, hexadecimal.',
    example: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  })
  sha256!: string;

  @InstantProperty({ description: 'When this version was first published.' })
  published_at!: string;
}

export class ModelListResponse {
  @ApiProperty({ description: 'Published models, newest package first.', type: [ModelResponse] })
  models!: ModelResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}

/** A model as admins see it. */
export class AdminModelResponse extends ModelDescription {
  @ApiProperty({
    description: 'The published version; null if none.',
    example: '1.0',
    type: String,
    nullable: true,
  })
  version!: string | null;

  @InstantProperty({ description: 'The last change of the description or of what is published.' })
  changed_at!: string;
}

export class AdminModelListResponse {
  @ApiProperty({ description: 'All models, newest first.', type: [AdminModelResponse] })
  models!: AdminModelResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}

export class AdminModelWithPackagesResponse extends AdminModelResponse {
  @ApiProperty({ description: 'The newest 1,000 packages, newest first.', type: [PackageResponse] })
  packages!: PackageResponse[];
}
