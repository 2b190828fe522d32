import { type StoredAsset, type StoredRelease } from './repositories';

export type HostName = 'github' | 'gitee';

const UPLOADER = { id: 1, login: 'sandbox', type: 'User' };

/** The host of a path, and the part of the path below the root of its API. */
export const API_ROOTS: Record<HostName, string> = { github: '/github/api', gitee: '/gitee/api/v5' };

/** A repository at one of the hosts. */
export interface Place {
  host: HostName;
  repository: string;
  /** Origin of the sandbox. */
  origin: string;
}

const base = ({ host, origin }: Place) => `${origin}/${host}`;
const api = ({ host, origin, repository }: Place) => `${origin}${API_ROOTS[host]}/repos/${repository}`;
const sizeOf = ({ size, content }: StoredAsset) => (size === undefined ? Buffer.byteLength(content) : size);

function fileUrl(place: Place, tag: string, asset: StoredAsset): string {
  const path = `/${place.repository}/releases/download/${encodeURIComponent(tag)}/${encodeURIComponent(asset.name)}`;
  return asset.url ?? base(place) + path;
}

/** A release as GitHub's API returns it. */
export function githubRelease(place: Place, release: StoredRelease): object {
  const { id, tag_name, name, draft, prerelease, published_at, assets } = release;
  return {
    url: `${api(place)}/releases/${id}`,
    html_url: `${base(place)}/${place.repository}/releases/tag/${tag_name}`,
    id,
    node_id: `RE_${id}`,
    tag_name,
    target_commitish: 'main',
    name,
    draft,
    immutable: false,
    prerelease,
    created_at: published_at,
    updated_at: published_at,
    published_at: draft ? null : published_at,
    author: UPLOADER,
    assets: assets.map((asset, index) => ({
      url: `${api(place)}/releases/assets/${id * 1_000 + index}`,
      id: id * 1_000 + index,
      name: asset.name,
      label: null,
      state: asset.state,
      content_type: asset.content_type,
      size: sizeOf(asset),
      download_count: 0,
      created_at: published_at,
      updated_at: published_at,
      browser_download_url: fileUrl(place, tag_name, asset),
      uploader: UPLOADER,
    })),
    tarball_url: `${api(place)}/tarball/${tag_name}`,
    zipball_url: `${api(place)}/zipball/${tag_name}`,
    body: `What is new in ${tag_name}.`,
  };
}

/** A release as Gitee's API returns it: without the sizes of files, and with the source archives among the assets. */
export function giteeRelease(place: Place, release: StoredRelease): object {
  const { id, tag_name, name, prerelease, published_at, assets } = release;
  const sources = ['zip', 'tar.gz'].map((extension) => ({
    browser_download_url: `${base(place)}/${place.repository}/archive/refs/tags/${tag_name}.${extension}`,
    name: `${tag_name}.${extension}`,
  }));
  return {
    id,
    tag_name,
    target_commitish: 'master',
    prerelease,
    name: name ?? '',
    body: `What is new in ${tag_name}.`,
    author: UPLOADER,
    // In the time of Shanghai, as there.
    created_at: `${new Date(Date.parse(published_at) + 8 * 3_600_000).toISOString().slice(0, 19)}+08:00`,
    assets: [
      ...assets
        .filter(({ state }) => state === 'uploaded')
        .map((asset) => ({ browser_download_url: fileUrl(place, tag_name, asset), name: asset.name })),
      ...sources,
    ],
  };
}

/** An uploaded file as Gitee's API returns it. */
export function giteeFile(
  place: Place,
  { id, tag_name }: StoredRelease,
  asset: StoredAsset,
  index: number,
): object {
  return {
    id: id * 1_000 + index,
    name: asset.name,
    size: sizeOf(asset),
    uploader: UPLOADER,
    browser_download_url: fileUrl(place, tag_name, asset),
  };
}
