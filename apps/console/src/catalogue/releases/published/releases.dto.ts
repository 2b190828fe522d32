import {
  BooleanField,
  InstantProperty,
  LineField,
  NextCursorProperty,
  ObjectListField,
} from '@inference/dto';
import { PageQuery } from '@inference/http';
import { ApiProperty, OmitType } from '@nestjs/swagger';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { PastInstantField } from '../../../validation/past-instant-field.decorator';
import { type Component, COMPONENTS } from '../../components/component';
import { ComponentField } from '../../components/component-field.decorator';
import { MAX_ASSETS } from '../release-format/release-asset';
import { ReleaseTagField } from '../release-format/release-tag-field.decorator';
import { ReleaseAssetDto, ReleaseAssetResponse } from './release-assets.dto';
import { type ReleaseSource } from './release.entity';

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
