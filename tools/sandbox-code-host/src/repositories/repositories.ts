import { z } from 'zod';

const asset = z.strictObject({
  name: z.string(),
  /** The content of the file, encoded as UTF-8. */
  content: z.string().default(''),
  content_type: z.string().nullable().default('application/octet-stream'),
  /** GitHub's state of an asset. Every value but `uploaded` means that the upload is not complete. */
  state: z.string().default('uploaded'),
  /** Replaces the actual download URL. */
  url: z.string().optional(),
  /** Replaces the actual size. */
  size: z.unknown().optional(),
});

const release = z.strictObject({
  tag_name: z.string(),
  name: z.string().nullable().default(null),
  /** GitHub only: Gitee has no drafts. */
  draft: z.boolean().default(false),
  prerelease: z.boolean().default(false),
  published_at: z.iso.datetime().default('2026-01-01T00:00:00Z'),
  assets: z.array(asset).default([]),
});

export const repositoryContent = z.strictObject({ releases: z.array(release) });

export type SandboxRelease = z.input<typeof release>;
export type StoredAsset = z.output<typeof asset>;
export type StoredRelease = z.output<typeof release> & { id: number };

/** The repositories and their releases, in memory; both hosts show the same ones. */
export class Repositories {
  private readonly byName = new Map<string, StoredRelease[]>();

  /** Replaces all releases of a repository; in the order in which the host is to list them. */
  set(repository: string, content: z.output<typeof repositoryContent>): void {
    this.byName.set(
      repository,
      content.releases.map((each, index) => ({ ...each, id: index + 1 })),
    );
  }

  find(repository: string): StoredRelease[] | undefined {
    return this.byName.get(repository);
  }

  findAsset(repository: string, tag: string, name: string): StoredAsset | undefined {
    const found = this.find(repository)?.find(({ tag_name, draft }) => tag_name === tag && !draft);
    return found?.assets.find((each) => each.name === name && each.state === 'uploaded');
  }
}
