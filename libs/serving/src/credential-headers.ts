import { type UpstreamProtocol } from './serving.entity';

/** The version of Messages that calls name whose client names none. */
export const ANTHROPIC_VERSION = '2023-06-01';

/** The usual header of a credential, in which it is a Bearer token. */
const USUAL_HEADER = 'authorization';

/** How a credential is sent: in the header of the upstream; if that is the usual one, as the protocol wants it. */
export function credentialHeaders(
  header: string,
  credential: string,
  protocol: UpstreamProtocol,
): Record<string, string> {
  if (header !== USUAL_HEADER) return { [header]: credential };
  return protocol === 'messages' ? { 'x-api-key': credential } : { [header]: `Bearer ${credential}` };
}
