import { type ApiError, apiErrorOf, connectionError } from '../../../../api/api-error';
import { parseExact } from '../../../../api/exact-json';
import { type Session } from '../../../../session/session';
import { type UploadCall } from './upload-queue';

interface FileRequest {
  method: 'POST' | 'PUT';
  url: string;
  file: File;
}

const READ_HEADERS = ['X-Request-Id', 'Retry-After'];

/**
 * Sends a file as a form and tells how much of it is sent, which `fetch` cannot. A 401 renews the token once. Throws an ApiError
 * for every status but 2xx, and if the service is not reached.
 */
export async function sendFile(session: Session, request: FileRequest, call: UploadCall): Promise<void> {
  const { token } = session;
  let answer = await send(request, token, call);
  if (answer.status === 401) {
    const renewed = await session.renew(token);
    if (renewed !== undefined) answer = await send(request, renewed, call);
  }
  if (answer.status < 200 || answer.status >= 300) throw errorOf(answer);
}

function send(
  { method, url, file }: FileRequest,
  token: string | undefined,
  { signal, onProgress }: UploadCall,
): Promise<XMLHttpRequest> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    request.setRequestHeader('Authorization', `Bearer ${token}`);
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded));
    request.addEventListener('load', () => resolve(request));
    request.addEventListener('error', () => reject(connectionError(new Error('The connection broke.'))));
    request.addEventListener('abort', () => reject(signal.reason as Error));
    signal.addEventListener('abort', () => request.abort());
    const form = new FormData();
    form.append('file', file);
    request.send(form);
  });
}

function errorOf(request: XMLHttpRequest): ApiError {
  const { status, responseText } = request;
  const headers = new Headers();
  for (const name of READ_HEADERS) {
    const value = request.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  return apiErrorOf({ status, headers }, responseText.startsWith('{') ? parseExact(responseText) : undefined);
}
