import { type PlainTextKey } from '../../../language/text-types';
import { type en } from '../texts/en';

type Key = PlainTextKey<typeof en>;

const KEYS: Record<string, Key> = {
  flow_invalid: 'link.flowInvalid',
  access_denied: 'link.accessDenied',
  identity_taken: 'link.taken',
  session_ended: 'link.flowInvalid',
  provider_unavailable: 'link.unavailable',
};

/** The text for `#error=<code>`, with which the linking of an identity comes back; undefined without an error. */
export function linkErrorKey(fragment: string): Key | undefined {
  const code = new URLSearchParams(fragment.replace(/^#/, '')).get('error');
  if (code === null) return undefined;
  return KEYS[code] ?? 'link.refused';
}
