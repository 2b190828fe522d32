import {
  IdField,
  InstantField,
  InstantProperty,
  IntegerField,
  IntegerParameter,
  TextField,
} from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { MAX_PARTED_BYTES, MAX_PARTS, partBytesOf } from '@inference/storage';
import { NewSlugField, VersionField } from '../../models.dto';
import { ContentDigestField, FileNameField } from '../uploads.dto';
import { UPLOAD_FAILURE_CODES, type UploadFailureCode } from './resumable-upload.entity';

const SHA256_HEX = /^[0-9a-f]{64}$/;
const EXAMPLE_BYTES = 4_920_739_232;

export const UPLOAD_STATES = ['uploading', 'completing', 'complete', 'failed'] as const;
export type UploadState = (typeof UPLOAD_STATES)[number];

export class BeginUploadDto {
  @NewSlugField('The slug of the model.')
  slug!: string;

  @VersionField({ description: 'The version of the package.' })
  version!: string;

  @FileNameField()
  file_name?: string;

  @IntegerField({
    description: 'Bytes of the file.',
    example: EXAMPLE_BYTES,
    min: 1,
    max: MAX_PARTED_BYTES,
  })
  size_bytes!: number;

  @TextField({
    description: 'SHA-256 that the whole file must have, hexadecimal.',
    example: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    pattern: [SHA256_HEX, 'must have 64 of 0-9 and a-f'],
    optional: true,
  })
  sha256?: string;

  @InstantField({
    description:
      'When the file was last changed. It is only given back, so that a client can recognize the file when it goes on.',
    optional: true,
  })
  file_modified_at?: bigint;
}

export class UploadPath {
  @IdField({ description: 'The id of the upload.', noun: 'upload', prefix: 'pkg' })
  id!: string;
}

export class UploadPartPath extends UploadPath {
  @IntegerParameter({
    description: 'The number of the part, from 1 to `parts` of the upload.',
    example: 1,
    min: 1,
    max: MAX_PARTS,
  })
  number!: number;
}

export class UploadPartHeaders {
  @ContentDigestField({
    description: 'SHA-256 of the part (RFC 9530). Other algorithms are ignored.',
    optional: false,
  })
  'Content-Digest'!: Buffer;
}

class UploadErrorResponse {
  @ApiProperty({
    description:
      '`digest_mismatch`: the file has not the announced digest. `parts_lost`: the storage has lost a part. `version_conflict`: the version got other content meanwhile.',
    enum: UPLOAD_FAILURE_CODES,
  })
  code!: UploadFailureCode;

  @ApiProperty({
    description: 'The reason, for people.',
    example: 'this version has other content, and a package never changes',
  })
  message!: string;
}

export class UploadResponse {
  @ApiProperty({ description: 'The id of the upload.', example: 'pkg_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'The model.', example: 'meta-llama/Llama-3.1-8B' })
  slug!: string;

  @ApiProperty({ description: 'The version of the package.', example: '1.0' })
  version!: string;

  @ApiProperty({
    description: 'The name under which customers save the file.',
    example: 'llama-3.1-8b.gguf',
  })
  file_name!: string;

  @ApiProperty({ description: 'Bytes of the file.', type: 'integer', example: EXAMPLE_BYTES })
  size_bytes!: number;

  @ApiProperty({
    description: 'The announced SHA-256 of the file, hexadecimal; null if none was announced.',
    type: String,
    nullable: true,
    example: null,
  })
  sha256!: string | null;

  @InstantProperty({ description: 'As the client gave it; null if it did not.', nullable: true })
  file_modified_at!: string | null;

  @ApiProperty({
    description: 'Bytes of every part but the last one, which has the rest.',
    type: 'integer',
    example: partBytesOf(EXAMPLE_BYTES),
  })
  part_bytes!: number;

  @ApiProperty({
    description: 'The number of parts.',
    type: 'integer',
    example: Math.ceil(EXAMPLE_BYTES / partBytesOf(EXAMPLE_BYTES)),
  })
  parts!: number;

  @ApiProperty({
    description: 'The numbers of the parts that have arrived, in ascending order.',
    type: 'integer',
    isArray: true,
    example: [1, 2, 3],
  })
  arrived_parts!: number[];

  @ApiProperty({
    description: '`completing`: the parts are joined and checked. `complete`: the package is stored.',
    enum: UPLOAD_STATES,
  })
  state!: UploadState;

  @ApiProperty({
    description: 'Why the upload failed; null in other states.',
    type: UploadErrorResponse,
    nullable: true,
  })
  error!: UploadErrorResponse | null;

  @InstantProperty({ description: 'When the upload began.' })
  created_at!: string;

  @InstantProperty({
    description: 'When the upload is given up unless a part arrives; null if it is complete.',
    nullable: true,
  })
  expires_at!: string | null;
}

export class UploadListResponse {
  @ApiProperty({ description: 'Newest first.', type: UploadResponse, isArray: true })
  uploads!: UploadResponse[];
}
