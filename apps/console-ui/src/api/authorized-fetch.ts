import { type Session } from '../session/session';
import { apiErrorOf, connectionError } from './api-error';
import { parseExact } from './exact-json';

/**
 * A `fetch` with the session's token for bodies that are no JSON; a 401 renews the token once. Throws an ApiError for every
 * status but 2xx, and if the service is not reached. A cancelled call throws what it was cancelled with.
 */
export async function authorizedFetch(session: Session, url: string, init: RequestInit): Promise<Response> {
  const send = (token: string | undefined) => {
    const headers = new Headers(init.headers);
    if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
    return fetch(url, { ...init, headers }).catch((error: unknown) => {
      throw init.signal?.aborted ? error : connectionError(error);
    });
  };
  const { token } = session;
  let response = await send(token);
  if (response.status === 401) {
    const renewed = await session.renew(token);
    if (renewed !== undefined) response = await send(renewed);
  }
  if (response.ok) return response;
  const text = await response.text();
  throw apiErrorOf(response, text.startsWith('{') ? parseExact(text) : undefined);
}
