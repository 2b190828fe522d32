import { apiErrorOf, connectionError } from '../../../api/api-error';
import { type Session } from '../../../session/session';

export interface Upload {
  /** Address of the package. */
  url: string;
  file: File;
  onProgress: (sentBytes: number) => void;
  signal: AbortSignal;
}

const UNAUTHORIZED = 401;

/**
 * Sends a file as a package. `fetch` does not tell how much was sent, so this is an XMLHttpRequest. Throws an ApiError, or
 * the reason of the signal.
 */
export async function uploadPackage(session: Session, upload: Upload): Promise<void> {
  const { token } = session;
  const answer = await send(upload, token);
  if (answer.status !== UNAUTHORIZED || token === undefined) return throwUnlessDone(answer);
  throwUnlessDone(await send(upload, await session.renew(token)));
}

function send({ url, file, onProgress, signal }: Upload, token: string | undefined): Promise<XMLHttpRequest> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', url);
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    if (token !== undefined) request.setRequestHeader('Authorization', `Bearer ${token}`);
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () => resolve(request);
    request.onerror = () => reject(connectionError(new Error('the connection was lost')));
    request.onabort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}

function throwUnlessDone(request: XMLHttpRequest): void {
  if (request.status >= 200 && request.status < 300) return;
  const headers = new Headers();
  for (const name of ['X-Request-Id', 'Retry-After']) {
    const value = request.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  throw apiErrorOf({ status: request.status, headers }, parsed(request.responseText));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
