import { type Model } from '../model.entity';
import { type Package } from './package.entity';
import { type PackageResponse } from './packages.dto';

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
