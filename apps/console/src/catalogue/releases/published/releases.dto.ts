import {
  BooleanField,
  InstantProperty,
  IntegerField,
  LineField,
  nameFault,
  NextCursorProperty,
  ObjectListField,
  TextField,
} from '@inference/dto';
import { PageQuery } from '@inference/http';
import { ApiProperty, OmitType } from '@nestjs/swagger';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { PastInstantField } from '../../../validation/time-fields.decorator';
import { type Component, ComponentField, COMPONENTS } from '../../component';
import { isFileName, isMediaType, MAX_ASSETS, missingInAssetName } from '../release-asset';
import { ReleaseTagField } from '../release-tag';
import { type ReleaseSource } from './release.entity';

const NAME_EXAMPLE = 'engine-v1.2.3-linux-x86_64.tar.gz';
const URL_EXAMPLE = `https://github.com/acme/engine/releases/download/v1.2.3/${NAME_EXAMPLE}`;

/** Refuses texts for which `faultOf` returns a message. */
const refused = (name: string, faultOf: (text: string) => string | null): PropertyDecorator =>
  ValidateBy({
    name,
    validator: {
      validate: (value: unknown) => faultOf(String(value)) === null,
      defaultMessage: (checked?: ValidationArguments) => faultOf(String(checked?.value)) ?? '',
    },
  });

function assetNameFault(name: string): string | null {
  if (!isFileName(name)) return nameFault(name) ?? 'must not contain slashes';
  const missing = missingInAssetName(name);
  return missing === null ? null : `must name ${missing}, between "-", "_", "." or spaces`;
}

/** A file of a release. The service checks that its URL lies at the site's code host. */
export class ReleaseAssetDto {
  @refused('isAssetName', assetNameFault)
  @TextField({
    description: 'File name with platform and architecture.',
    example: NAME_EXAMPLE,
    maxLength: 200,
  })
  name!: string;

  @TextField({
    description: 'Download URL at the code host of the site, https.',
    example: URL_EXAMPLE,
    maxLength: 2_000,
  })
  url!: string;

  @IntegerField({ description: 'Bytes.', example: 1_234_567, min: 0, max: Number.MAX_SAFE_INTEGER })
  size!: number;

  @refused('isMediaType', (text) =>
    isMediaType(text) ? null : 'must be a media type such as application/zip',
  )
  @TextField({
    description: 'Media type. If absent, it is derived from the name.',
    example: 'application/gzip',
    optional: true,
  })
  content_type?: string;
}

/** Spec: Asset object. */
class ReleaseAssetResponse {
  @ApiProperty({ description: 'File name with platform and architecture.', example: NAME_EXAMPLE })
  name!: string;

  @ApiProperty({ description: 'Download URL at the code host of the site.', example: URL_EXAMPLE })
  url!: string;

  @ApiProperty({ description: 'Bytes.', type: 'integer', example: 1_234_567 })
  size!: number;

  @ApiProperty({ description: 'Media type.', example: 'application/gzip' })
  content_type!: string;
}

export class ReleasesQuery extends PageQuery {
  @ComponentField({ description: 'Only releases of this component.', optional: true })
  component?: Component;
}

export class ReleasePath {
  @ComponentField({ description: 'The component.', notFound: 'no such component' })
  component!: Component;

  @ReleaseTagField({ description: 'The version, without build metadata.' })
  tag!: string;
}

function filesFault({ value, object }: ValidationArguments): string | null {
  const files = value as ReleaseAssetDto[];
  if (files.length === 0 && !(object as PutReleaseDto).draft)
    return 'must hold at least one file, except in a draft';
  const names = new Set(files.map(({ name }) => name));
  return names.size < files.length ? 'must not hold two files of the same name' : null;
}

const ReleaseFiles = (): PropertyDecorator =>
  ValidateBy({
    name: 'isReleaseFiles',
    validator: {
      validate: (_value: unknown, checked?: ValidationArguments) => filesFault(checked!) === null,
      defaultMessage: (checked?: ValidationArguments) => filesFault(checked!) ?? '',
    },
  });

export class PutReleaseDto {
  @LineField({ description: 'The title.', example: 'Engine 1.2.3', maxLength: 200 })
  name!: string;

  @BooleanField({
    description: 'Not published. A draft hides the followed release of its tag.',
    optional: true,
    default: false,
  })
  draft: boolean = false;

  @BooleanField({
    description: 'Not for production. If absent, the tag decides; a tag such as v2.0.0-rc.1 needs true.',
    optional: true,
  })
  prerelease?: boolean;

  @PastInstantField({
    description: 'When the release was published. If absent: the time of its first publication, or now.',
    optional: true,
  })
  published_at?: Date;

  @ReleaseFiles()
  @ObjectListField(() => ReleaseAssetDto, {
    description: 'The files, with different names; at least one, except in a draft.',
    maxItems: MAX_ASSETS,
  })
  assets!: ReleaseAssetDto[];
}

/** Spec: Release. */
export class ReleaseResponse {
  @ApiProperty({ description: 'The version.', example: 'v1.2.3' })
  tag_name!: string;

  @ApiProperty({ description: 'The title.', example: 'Engine 1.2.3' })
  name!: string;

  @ApiProperty({ description: 'Whether it is not for production.' })
  prerelease!: boolean;

  @InstantProperty({ description: 'When it was published.' })
  published_at!: string;

  @ApiProperty({ description: 'The files.', type: [ReleaseAssetResponse] })
  assets!: ReleaseAssetResponse[];
}

/** A release as admins see it. */
export class AdminReleaseResponse extends OmitType(ReleaseResponse, ['published_at']) {
  @ApiProperty({ description: 'The component.', enum: COMPONENTS })
  component!: Component;

  @ApiProperty({
    description: 'Where it was published: here by an admin, or at the code host that is followed.',
    enum: ['admin', 'code_host'],
  })
  source!: ReleaseSource;

  @ApiProperty({ description: 'Whether it is hidden.' })
  draft!: boolean;

  @InstantProperty({
    description: 'When it was published; null for a draft that never was.',
    nullable: true,
  })
  published_at!: string | null;
}

export class AdminReleaseListResponse {
  @ApiProperty({
    description: 'Releases, newest first, including drafts and followed releases.',
    type: [AdminReleaseResponse],
  })
  releases!: AdminReleaseResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}
