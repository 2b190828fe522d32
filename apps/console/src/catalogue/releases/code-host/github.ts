import { z } from 'zod';
import {
  type CodeHostApi,
  fileNameField,
  fileSizeField,
  fileUrlField,
  timeField,
  titleField,
} from './code-host-api';

/** GitHub's REST API, version 2022-11-28. */
export const GITHUB: CodeHostApi = {
  headers: (token) => ({
    Accept: 'application/vnd.github+json',
    'X-GitHub-Api-Version': '2022-11-28',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  }),
  listQuery: '',
  isListWithFiles: true,
  list: z.array(
    z
      .object({
        id: z.number(),
        tag_name: z.string(),
        draft: z.boolean(),
        prerelease: z.boolean(),
        name: titleField,
        /** Null in a draft. */
        published_at: timeField.nullable(),
        assets: z.unknown(),
      })
      .transform(({ tag_name: tag, published_at: publishedAt, draft, ...rest }) => ({
        ...rest,
        tag,
        draft: draft || publishedAt === null,
        publishedAt: publishedAt ?? new Date(0),
      })),
  ),
  assets: ({ assets }) => Promise.resolve(assets),
  asset: z
    .object({
      name: fileNameField,
      browser_download_url: fileUrlField,
      size: fileSizeField,
      content_type: z.string().nullish(),
      state: z.string(),
    })
    .transform(({ name, browser_download_url: url, size, content_type: type, state }) => ({
      name,
      url,
      size,
      type: type ?? null,
      isUploaded: state === 'uploaded',
    })),
};
