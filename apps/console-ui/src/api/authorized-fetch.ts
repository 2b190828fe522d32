import { type Session } from './session';
import { type AccountView, leaveIfEnded, refuseInView } from './account-view';
import { apiErrorOf, connectionError } from './api-error';
import { parseExact } from './exact-json';

/**
 * A `fetch` with the session's token for bodies that are no JSON; a 401 renews the token once. Throws an ApiError for every
 * status but 2xx, if the service is not reached, and where staff looks at the console of a customer. A cancelled call throws what it was
 * cancelled with.
 */
export async function authorizedFetch(session: Session, url: string, init: RequestInit): Promise<Response> {
  refuseInView();
  return fetchAsOwner(session, url, init);
}

/** Ends a view of an account, which the staff does for itself. */
export async function endAccountView(
  session: Session,
  apiUrl: string,
  { id, accountId }: AccountView,
): Promise<void> {
  await fetchAsOwner(session, `${apiUrl}/api/admin/accounts/${accountId}/views/${id}`, { method: 'DELETE' });
}

async function fetchAsOwner(session: Session, url: string, init: RequestInit): Promise<Response> {
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

/**
 * A `fetch` with the session's token. A 401 renews the token once and repeats the call. Numbers of the answer are Figures.
 * Throws an ApiError for every status but 2xx, and if the service is not reached.
 * @param prepare runs before each call, and may throw
 */
export function exactFetch(
  session: Session,
  prepare: (request: Request) => void,
  fetchIt: typeof fetch = fetch,
): (request: Request) => Promise<Response> {
  const send = async (request: Request, token: string | undefined) => {
    if (token !== undefined) request.headers.set('Authorization', `Bearer ${token}`);
    try {
      return await fetchIt(request);
    } catch (error) {
      // A cancelled call is no failure; who cancelled it expects this very error.
      if (request.signal.aborted) throw error;
      throw connectionError(error);
    }
  };
  return async (request) => {
    const { token } = session;
    if (token !== undefined) prepare(request);
    const again = request.clone();
    let response = await send(request, token);
    if (response.status === 401 && token !== undefined) {
      const renewed = await session.renew(token);
      if (renewed !== undefined) response = await send(again, renewed);
    }
    const text = await response.text().catch((error: unknown) => {
      throw connectionError(error);
    });
    const body = parsed(text);
    if (!response.ok) {
      const error = apiErrorOf(response, body);
      leaveIfEnded(error);
      throw error;
    }
    return new ParsedResponse(response, body, text);
  };
}

function parsed(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

/** Has a length, so that openapi-fetch asks for `json()` and does not parse the text itself. */
class ParsedResponse extends Response {
  constructor(
    { status, headers }: Response,
    private readonly parsedBody: unknown,
    private readonly originalText: string,
  ) {
    const isEmpty = parsedBody === undefined;
    super(isEmpty ? null : '-', {
      status,
      headers: { ...Object.fromEntries(headers), 'content-length': '1' },
    });
  }

  override json(): Promise<unknown> {
    return Promise.resolve(this.parsedBody);
  }

  /** Of an answer that is not JSON, such as CSV. */
  override text(): Promise<string> {
    return Promise.resolve(this.originalText);
  }
}
