import { emailField } from '../accounts/account-fields';

/** OpenID Connect Core, section 2: at most 255 ASCII characters. */
const SUBJECT = /^[\x21-\x7e]{1,255}$/;

export interface ProviderEmail {
  /** In lower case, as it is stored. */
  email: string;
  /** Whether the provider says that it has verified the address. */
  verified: boolean;
}

export function subjectOf(claims: { sub?: unknown } | undefined): string | null {
  return typeof claims?.sub === 'string' && SUBJECT.test(claims.sub) ? claims.sub : null;
}

/** Returns null if the claims have no valid address. */
export function emailOf(claims: Record<string, unknown>): ProviderEmail | null {
  const email = emailField.safeParse(claims.email);
  return email.success ? { email: email.data, verified: claims.email_verified === true } : null;
}
