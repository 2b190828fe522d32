import { emailField } from '../auth/auth.dto';

/** As OpenID Connect bounds it (Core, 2): ASCII, at most 255. */
const SUBJECT = /^[\x21-\x7e]{1,255}$/;

export interface ProvenEmail {
  /** As it is stored here: in lower case. */
  email: string;
  /** Whether the provider vouches for it. */
  verified: boolean;
}

export function subjectOf(claims: { sub?: unknown } | undefined): string | null {
  return typeof claims?.sub === 'string' && SUBJECT.test(claims.sub) ? claims.sub : null;
}

/** Null when there is none, or what stands there is no address. */
export function emailOf(claims: Record<string, unknown>): ProvenEmail | null {
  const email = emailField.safeParse(claims.email);
  return email.success ? { email: email.data, verified: claims.email_verified === true } : null;
}
