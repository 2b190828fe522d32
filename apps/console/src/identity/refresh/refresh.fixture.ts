import { type Answer, type TestConsole, type TestSite } from '../../testing/console.fixture';
import { cookieIn } from '../../testing/cookies.fixture';

export const PASSWORD = 'correct horse battery';
export const REFRESH = '/api/auth/refresh';
const COOKIE = 'refresh';

let registered = 0;

/** A signed-in browser: what it has of its session. */
export interface SignedInBrowser {
  accountId: string;
  email: string;
  token: string;
  /** The value of the refresh cookie. */
  value: string;
}

/** The value of the refresh cookie that a response sets. */
export function refreshValueIn(answer: Answer): string {
  const pair = cookieIn(answer, COOKIE);
  if (pair === undefined) throw new Error(`No refresh cookie: ${answer.status} ${answer.text}`);
  return pair.slice(COOKIE.length + 1);
}

export const isRefreshCleared = ({ headers }: Answer): boolean =>
  headers
    .getSetCookie()
    .some((line) => line.startsWith(`${COOKIE}=; Path=${REFRESH}; Expires=Thu, 01 Jan 1970`));

export async function register(console: TestConsole): Promise<SignedInBrowser> {
  const email = `browser${++registered}@example.com`;
  const answer = await console.request('POST', '/api/auth/register', { json: { email, password: PASSWORD } });
  const { token, user } = answer.body as { token: string; user: { id: string } };
  return { accountId: user.id, email, token, value: refreshValueIn(answer) };
}

export async function login(
  console: TestConsole,
  { accountId, email }: SignedInBrowser,
  headers: Record<string, string> = {},
): Promise<SignedInBrowser> {
  const json = { identifier: email, password: PASSWORD };
  const answer = await console.request('POST', '/api/auth/login', { json, headers });
  const { token } = answer.body as { token: string };
  return { accountId, email, token, value: refreshValueIn(answer) };
}

export const refresh = (
  console: TestConsole,
  value: string | undefined,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  console.request('POST', REFRESH, {
    headers: { ...(value !== undefined && { Cookie: `${COOKIE}=${value}` }), ...headers },
  });

/** Lets the ten seconds pass in which the value before the present one is answered. */
export async function endGrace({ database }: Pick<TestSite, 'database'>): Promise<void> {
  await database.pool.query(
    "UPDATE accounts.refresh_tokens SET replaced_at = replaced_at - interval '11 seconds'",
  );
}
