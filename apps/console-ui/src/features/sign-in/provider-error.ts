import { type PlainTextKey } from '../../language/text-types';
import { type en } from './texts/en';

type Key = PlainTextKey<typeof en>;

const KEYS: Record<string, Key> = {
  flow_invalid: 'provider.flowInvalid',
  access_denied: 'provider.accessDenied',
  signup_closed: 'provider.signupClosed',
  email_not_verified: 'provider.emailNotVerified',
  email_taken: 'provider.emailTaken',
  provider_unavailable: 'provider.unavailable',
};

/** The text for `#error=<code>`, with which a sign-in through a provider comes back; undefined without an error. */
export function providerErrorKey(fragment: string): Key | undefined {
  const code = new URLSearchParams(fragment.replace(/^#/, '')).get('error');
  if (code === null) return undefined;
  return KEYS[code] ?? 'provider.refused';
}
