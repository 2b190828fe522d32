import { PageQuery } from '@inference/http';
import { ApiProperty, PickType } from '@nestjs/swagger';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { SlugField } from '../../validation/slug-field.decorator';
import { DayField } from '../../validation/time-fields.decorator';
import { type Component, COMPONENTS } from '../component';

/** A range of UTC days; both ends are included. */
export interface Days {
  from: string;
  to: string;
}

/** By default until today, and since the start of the month of the last day. */
export function daysOf({ from, to }: Partial<Days>): Days {
  const last = to ?? new Date().toISOString().slice(0, 10);
  return { from: from ?? `${last.slice(0, 7)}-01`, to: last };
}

const NotAfterTo = (): PropertyDecorator =>
  ValidateBy({
    name: 'isNotAfterTo',
    validator: {
      validate: (from: string, checked?: ValidationArguments) =>
        from <= daysOf({ to: (checked!.object as DownloadsQuery).to }).to,
      defaultMessage: () => 'must not be after `to`',
    },
  });

export class DownloadsQuery extends PickType(PageQuery, ['limit']) {
  @NotAfterTo()
  @DayField({
    description: 'First day, in UTC. By default the first of the month of `to`.',
    optional: true,
  })
  from?: string;

  @DayField({ description: 'Last day, in UTC, included. By default today.', optional: true })
  to?: string;

  @SlugField({ description: 'Only this model.', optional: true })
  slug?: string;
}

class DownloadCounts {
  @ApiProperty({
    description: 'Pairs of account and UTC day: several links of an account on a day count once.',
    type: 'integer',
    example: 3,
  })
  downloads!: number | bigint;

  @ApiProperty({ description: 'Different accounts.', type: 'integer', example: 2 })
  accounts!: number | bigint;

  @ApiProperty({
    description:
      'Links that were handed out. A client that resumes a download gets a new one, so there are at least as many as downloads.',
    type: 'integer',
    example: 5,
  })
  links!: number | bigint;
}

export class VersionDownloadsResponse extends DownloadCounts {
  @ApiProperty({ description: 'The version of the package.', example: '1.0' })
  version!: string;
}

export class ModelDownloadsResponse extends DownloadCounts {
  @ApiProperty({ description: 'The model.', example: 'meta-llama/Llama-3.1-8B' })
  slug!: string;

  @ApiProperty({
    description: 'By version, most downloaded first. An account may occur in several.',
    type: [VersionDownloadsResponse],
  })
  versions!: VersionDownloadsResponse[];
}

export class ReleaseLookupsResponse {
  @ApiProperty({ description: 'The release.', example: 'v1.2.3' })
  tag_name!: string;

  @ApiProperty({ description: 'Lookups.', type: 'integer', example: 2 })
  lookups!: number | bigint;
}

export class ComponentLookupsResponse {
  @ApiProperty({ description: 'The component.', enum: COMPONENTS })
  component!: Component;

  @ApiProperty({ description: 'Lookups of all its releases.', type: 'integer', example: 3 })
  lookups!: number | bigint;

  @ApiProperty({ description: 'By release, most looked up first.', type: [ReleaseLookupsResponse] })
  releases!: ReleaseLookupsResponse[];
}

export class DownloadsResponse implements Days {
  @ApiProperty({ description: 'First day, in UTC.', format: 'date', example: '2026-01-01' })
  from!: string;

  @ApiProperty({ description: 'Last day, in UTC, included.', format: 'date', example: '2026-01-31' })
  to!: string;

  @ApiProperty({ description: 'Models, most downloaded first.', type: [ModelDownloadsResponse] })
  models!: ModelDownloadsResponse[];

  @ApiProperty({
    description: 'Components, most looked up first. The newest lookups appear after some seconds.',
    type: [ComponentLookupsResponse],
  })
  components!: ComponentLookupsResponse[];
}
