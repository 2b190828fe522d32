import { IdField, InstantProperty, LineField, NextCursorProperty, TextField } from '@inference/dto';
import { PageQuery } from '@inference/http';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { PastInstantField } from '../../validation/time-fields.decorator';
import { type Component, ComponentField, COMPONENTS } from '../component';
import { XmlText } from '../escape-xml';
import { ReleaseTagField } from '../releases/release-tag';

export class ChangelogQuery extends PageQuery {
  @ComponentField({ description: 'Only entries of this component.', optional: true })
  component?: Component;
}

export class ChangelogEntryPath {
  @IdField({ description: 'The id of the entry.', noun: 'entry', prefix: 'chg' })
  id!: string;
}

const WithComponent = (): PropertyDecorator =>
  ValidateBy({
    name: 'isWithComponent',
    validator: {
      validate: (_value: unknown, checked?: ValidationArguments) =>
        (checked?.object as ChangelogEntryDto).component !== undefined,
      defaultMessage: () => 'must not be given without a component',
    },
  });

export class ChangelogEntryDto {
  @XmlText()
  @LineField({ description: 'What has changed, in a line.', example: 'Faster engine', maxLength: 200 })
  title!: string;

  @XmlText()
  @TextField({
    description: 'Details in Markdown.',
    example: 'It is *twice* as fast.',
    maxLength: 50_000,
    pattern: [/\S/, 'must not be empty'],
  })
  body!: string;

  @ComponentField({ description: 'The component that has changed.', optional: true })
  component?: Component;

  @WithComponent()
  @ReleaseTagField({
    description: 'The release of the component. Not without `component`.',
    optional: true,
  })
  tag_name?: string;

  @PastInstantField({
    description:
      'When the entry was published. If absent: now for a new entry, unchanged for an existing one.',
    optional: true,
  })
  published_at?: Date;
}

export class ChangelogEntryResponse {
  @ApiProperty({ description: 'Names the entry in this API.', example: 'chg_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'What has changed, in a line.', example: 'Faster engine' })
  title!: string;

  @ApiProperty({ description: 'Details in Markdown.', example: 'It is *twice* as fast.' })
  body!: string;

  @ApiProperty({
    description: 'The component that has changed; absent if the entry is about none.',
    enum: COMPONENTS,
    required: false,
  })
  component?: Component;

  @ApiProperty({
    description: 'The release of the component; absent if the entry is about none.',
    example: 'v1.2.3',
    required: false,
  })
  tag_name?: string;

  @InstantProperty({ description: 'When the entry was published.' })
  published_at!: string;
}

export class ChangelogResponse {
  @ApiProperty({ description: 'The entries, newest first.', type: [ChangelogEntryResponse] })
  entries!: ChangelogEntryResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}
