import { InstantProperty } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { type Model, type Package } from '../model.entity';

export class PackageResponse {
  @ApiProperty({ description: 'The model.', example: 'meta-llama/Llama-3.1-8B' })
  slug!: string;

  @ApiProperty({ description: 'The version.', example: '1.0' })
  version!: string;

  @ApiProperty({
    description: 'The name under which customers save the file.',
    example: 'llama-3.1-8b.gguf',
  })
  file_name!: string;

  @ApiProperty({ description: 'Bytes of the file.', type: 'integer', example: 4_920_739_232 })
  size!: number;

  @ApiProperty({
    description: 'SHA-256 of the file, hexadecimal; null while it is being uploaded.',
    example: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    type: String,
    nullable: true,
  })
  sha256!: string | null;

  @ApiProperty({
    description: '`stored`: complete, but not the published package of its model.',
    enum: ['uploading', 'stored', 'published'],
  })
  status!: 'uploading' | 'stored' | 'published';

  @InstantProperty({ description: 'When the upload began.' })
  created_at!: string;

  @InstantProperty({ description: 'When it was first published; null if never.', nullable: true })
  published_at!: string | null;
}

/** What is shown of a package. `model`: the model that publishes it, if there is one. */
export type ShownPackage = Pick<
  Package,
  'slug' | 'version' | 'fileName' | 'size' | 'sha256' | 'storedAt' | 'createdAt' | 'publishedAt'
> & { model?: Model | null };

export function packageResponse(shown: ShownPackage): PackageResponse {
  return {
    slug: shown.slug,
    version: shown.version,
    file_name: shown.fileName,
    size: Number(shown.size),
    sha256: shown.sha256?.toString('hex') ?? null,
    status: shown.model ? 'published' : shown.storedAt ? 'stored' : 'uploading',
    created_at: shown.createdAt.toISOString(),
    published_at: shown.publishedAt?.toISOString() ?? null,
  };
}
