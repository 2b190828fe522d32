import { refuseInView } from './account-view';
import { type Session } from './session';
import { type ApiError, apiErrorOf, connectionError } from './api-error';
import { parseExact } from './exact-json';

export interface FileRequest {
  method: 'POST' | 'PUT';
  url: string;
  /** A form, or the bytes alone. */
  body: FormData | Blob;
  headers?: Record<string, string>;
}

/** How far a file is, and the way to stop it. */
export interface UploadCall {
  signal: AbortSignal;
  onProgress: (sentBytes: number) => void;
}

const READ_HEADERS = ['X-Request-Id', 'Retry-After'];

/**
 * Sends a file and tells how much of it is sent, which `fetch` cannot. A 401 renews the token once. Throws an ApiError for every
 * status but 2xx and if the service is not reached, or the reason of the signal.
 */
export async function sendFile(session: Session, request: FileRequest, call: UploadCall): Promise<void> {
  refuseInView();
  const { token } = session;
  let answer = await send(request, token, call);
  if (answer.status === 401) {
    const renewed = await session.renew(token);
    if (renewed !== undefined) answer = await send(request, renewed, call);
  }
  if (answer.status < 200 || answer.status >= 300) throw errorOf(answer);
}

function send(
  { method, url, body, headers = {} }: FileRequest,
  token: string | undefined,
  { signal, onProgress }: UploadCall,
): Promise<XMLHttpRequest> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    if (token !== undefined) request.setRequestHeader('Authorization', `Bearer ${token}`);
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded));
    request.addEventListener('load', () => resolve(request));
    request.addEventListener('error', () => reject(connectionError(new Error('The connection broke.'))));
    request.addEventListener('abort', () => reject(signal.reason as Error));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(body);
  });
}

function errorOf(request: XMLHttpRequest): ApiError {
  const headers = new Headers();
  for (const name of READ_HEADERS) {
    const value = request.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  return apiErrorOf({ status: request.status, headers }, bodyOf(request.responseText));
}

/** A proxy may answer with a page instead of JSON. */
function bodyOf(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
