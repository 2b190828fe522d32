/** What a sign-in or a refresh gives: an access token for a while. It is held in memory only. */
export interface Grant {
  token: string;
  expiresAtMillis: number;
  user: { id: string; email: string };
}

/** An answer of the console that opens or continues a session. */
export interface SessionAnswer {
  token: string;
  user: { id: string; email: string };
  expires_at?: string;
}

/** Without `expires_at` the token itself says when it ends. */
export function grantOf({ token, user, expires_at }: SessionAnswer): Grant {
  return { token, user, expiresAtMillis: expires_at ? Date.parse(expires_at) : expiryOf(token) };
}

function expiryOf(token: string): number {
  const [, payload = ''] = token.split('.');
  const { exp } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as { exp: number };
  return exp * 1000;
}
