import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError, toApiError } from '../../api/api-error';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { sendFile, type UploadCall } from '../../api/send-file';
import { Figure } from '../../figures/figure';
import { type Session } from '../../api/session';

/** A package that arrives in parts. */
export type PackageUpload = Schemas['UploadResponse'];

const UPLOADS = ['package-uploads'];

/** The unfinished uploads of the admin, newest first. */
export const uploadsQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: UPLOADS,
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/admin/package-uploads', { signal })).then(({ uploads }) => uploads),
    staleTime: 0,
  });

export const refreshUploads = (queryClient: QueryClient): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: UPLOADS });

export function useDiscardUpload() {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.DELETE('/api/admin/package-uploads/{id}', { params: { path: { id } } }),
    onSettled: () => refreshUploads(queryClient),
  });
}

/** Sizes and numbers of parts are far below what a number holds exactly. */
export const numberOf = (figure: Figure): number => Number(figure.toString());

/** Whether the upload began with this file. Its time stands for its content, of which the parts that have arrived are not sent again. */
export const isOfFile = (upload: PackageUpload, file: File): boolean =>
  upload.file_name === file.name &&
  numberOf(upload.size_bytes) === file.size &&
  upload.file_modified_at !== null &&
  Date.parse(upload.file_modified_at) === file.lastModified;

/** A file of one part is sent at once: there is nothing to resume. The smallest part of the service. */
const MAX_WHOLE_BYTES = 16 * 2 ** 20;
const FIRST_PAUSE_MILLIS = 1_000;
const MAX_PAUSE_MILLIS = 30_000;
/** Between two questions whether the package is stored. */
const POLL_MILLIS = 1_000;
const CONFLICT = 409;

export interface PackageFile {
  slug: string;
  version: string;
  file: File;
}

interface Services {
  api: ConsoleApi;
  apiUrl: string;
  session: Session;
}

export interface PartedCall extends UploadCall {
  /** Whether the upload waits until the service can be reached. */
  onWaiting: (isWaiting: boolean) => void;
}

export const isSentInParts = (file: File): boolean => file.size > MAX_WHOLE_BYTES;

/** The uploads that this tab is sending, by their ids. */
export const sending = new Set<string>();

/**
 * Sends a package in parts, and goes on with an unfinished upload of the same file. What fails because the service cannot be
 * reached is tried again until `call.signal` ends it. Throws an ApiError for other failures.
 */
export async function sendInParts(services: Services, wanted: PackageFile, call: PartedCall): Promise<void> {
  const { api, apiUrl, session } = services;
  const { file } = wanted;
  const persist = persistently(call);
  const upload = await persist(() => beginOrGoOn(api, wanted, call.signal));
  const { id } = upload;
  sending.add(id);
  try {
    const partBytes = numberOf(upload.part_bytes);
    const arrived = new Set(upload.arrived_parts.map(numberOf));
    let sentBytes = 0;
    for (let number = 1; number <= numberOf(upload.parts); number += 1) {
      const part = file.slice((number - 1) * partBytes, number * partBytes);
      if (!arrived.has(number)) {
        const headers = {
          'Content-Type': 'application/octet-stream',
          'Content-Digest': await contentDigest(part),
        };
        const request = { url: `${apiUrl}/api/admin/package-uploads/${id}/parts/${number}`, headers };
        const onProgress = (bytes: number) => call.onProgress(sentBytes + bytes);
        await persist(() =>
          sendFile(session, { method: 'PUT', body: part, ...request }, { signal: call.signal, onProgress }),
        );
      }
      sentBytes += part.size;
      call.onProgress(sentBytes);
    }
    const path = { params: { path: { id } }, signal: call.signal };
    let current = await persist(() => bodyOf(api.POST('/api/admin/package-uploads/{id}/complete', path)));
    while (current.state === 'completing') {
      await pause(POLL_MILLIS, call.signal);
      current = await persist(() => bodyOf(api.GET('/api/admin/package-uploads/{id}', path)));
    }
    if (current.error)
      throw new ApiError({ status: CONFLICT, detail: current.error.message, code: current.error.code });
  } finally {
    sending.delete(id);
  }
}

async function beginOrGoOn(
  api: ConsoleApi,
  { slug, version, file }: PackageFile,
  signal: AbortSignal,
): Promise<PackageUpload> {
  const { uploads } = await bodyOf(api.GET('/api/admin/package-uploads', { signal }));
  const unfinished = uploads.find(
    (one) => one.slug === slug && one.version === version && isOfFile(one, file),
  );
  if (unfinished) return unfinished;
  const body = {
    slug,
    version,
    file_name: file.name,
    size_bytes: Figure.of(BigInt(file.size)),
    file_modified_at: new Date(file.lastModified).toISOString(),
  };
  return bodyOf(api.POST('/api/admin/package-uploads', { body, signal }));
}

/** Tries again, at growing intervals, what may succeed later. */
function persistently({ signal, onWaiting }: PartedCall) {
  return async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
    for (let pauseMillis = FIRST_PAUSE_MILLIS; ; pauseMillis = Math.min(pauseMillis * 2, MAX_PAUSE_MILLIS)) {
      try {
        const result = await attempt();
        onWaiting(false);
        return result;
      } catch (error) {
        signal.throwIfAborted();
        const { isTransient, retryAfterSeconds } = toApiError(error);
        if (!isTransient) throw error;
        onWaiting(true);
        await pause(retryAfterSeconds === undefined ? pauseMillis : retryAfterSeconds * 1000, signal);
      }
    }
  };
}

/** Ends early when the browser is online again. Throws the reason of the signal. */
function pause(millis: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timeout);
      removeEventListener('online', end);
      signal.removeEventListener('abort', end);
      if (signal.aborted) reject(signal.reason as Error);
      else resolve();
    };
    const timeout = setTimeout(end, millis);
    addEventListener('online', end);
    signal.addEventListener('abort', end);
  });
}

/** As RFC 9530 writes it. */
async function contentDigest(part: Blob): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await part.arrayBuffer()));
  return `sha-256=:${btoa(String.fromCharCode(...digest))}:`;
}
