import { type FieldOptions, LineField, NameText, TextField } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
import { type Metadata } from '../../tables/document-version.entity';
import { MetadataField } from '../../tables/metadata-field.decorator';

export const MAX_TITLE_CHARS = 500;

const TitleField = (options: FieldOptions): PropertyDecorator =>
  LineField({ example: 'Refund policy', ...options, maxLength: MAX_TITLE_CHARS });

/** Also finds ids that were stored before they had to be names. */
export const ExternalIdField = (options: FieldOptions): PropertyDecorator =>
  TextField({ example: 'policy-1', ...options, maxLength: 200 });

const NewExternalIdField = (options: FieldOptions): PropertyDecorator =>
  applyDecorators(NameText(), ExternalIdField(options));

/** The fields of a document beside its content. */
export class DocumentFieldsDto {
  @TitleField({ description: 'The title.' })
  title!: string;

  @NewExternalIdField({
    description: 'The caller’s own id of the document, unique in the workspace.',
    optional: true,
  })
  external_id?: string;

  @MetadataField({
    description: 'Names with values, returned as they were sent. Names have 1 to 64 characters.',
    default: {},
    optional: true,
  })
  metadata: Metadata = {};
}

/** A JSON upload, for the API document: the text is parsed apart from the other fields. */
export class JsonUploadDto extends DocumentFieldsDto {
  @ApiProperty({
    description: 'The text of the document. A text of more than 32 MB must be sent as a file.',
    example: 'Refunds are issued within five days of the return.',
    minLength: 1,
  })
  text!: string;
}

/** The fields of a form beside its file. */
export class FormFieldsDto {
  @TitleField({
    description: 'The title. Absent: the file name, which must be a title then.',
    optional: true,
  })
  title?: string;

  @NewExternalIdField({
    description: 'The caller’s own id of the document, unique in the workspace.',
    optional: true,
  })
  external_id?: string;

  @TextField({
    description: 'The metadata of a JSON upload, as JSON.',
    example: '{"author": "Ann", "pages": 3}',
    minLength: 0,
    optional: true,
  })
  metadata?: string;
}

/** A form, for the API document: the file is read apart from the other fields. */
export class FormUploadDto extends FormFieldsDto {
  @ApiProperty({
    description: 'The file, in one of the formats that `GET …/options` lists.',
    type: 'string',
    format: 'binary',
  })
  file!: unknown;
}

/** The title of a form without one: the file name, cut without splitting a surrogate pair. */
export const titleOf = (fileName: string) =>
  fileName
    .trim()
    .slice(0, MAX_TITLE_CHARS)
    .replace(/[\ud800-\udbff]$/, '')
    .trim() || 'Untitled';
