import { z } from 'zod';
import {
  type CodeHostApi,
  fileNameField,
  fileSizeField,
  fileUrlField,
  timeField,
  titleField,
} from './code-host-api';

/**
 * Gitee's API, version 5. Its list has no drafts and no file sizes, and mixes source archives with the files, so the files
 * are requested per release.
 */
export const GITEE: CodeHostApi = {
  headers: (token) => ({
    Accept: 'application/json',
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  }),
  listQuery: '&direction=desc',
  isListWithFiles: false,
  list: z.array(
    z
      .object({
        id: z.int(),
        tag_name: z.string(),
        prerelease: z.boolean(),
        name: titleField,
        created_at: timeField,
      })
      .transform(({ tag_name: tag, created_at: publishedAt, ...rest }) => ({
        ...rest,
        tag,
        draft: false,
        publishedAt,
        assets: undefined,
      })),
  ),
  assets: ({ id }, request) => request(`/releases/${id}/attach_files`),
  asset: z
    .object({ name: fileNameField, browser_download_url: fileUrlField, size: fileSizeField })
    .transform(({ name, browser_download_url: url, size }) => ({
      name,
      url,
      size,
      type: null,
      isUploaded: true,
    })),
};
