import fc from 'fast-check';
import { type Platform } from '../site/platform';

/** The account whose session the requests to `/api/auth` use. Its password is the example of the API documents. */
export const GUEST = { identifier: 'guest@example.com', password: 'correct horse battery' };

/** Values for members of bodies by their name. */
export type KnownFields = Record<string, fc.Arbitrary<unknown>>;

const numbered = (textOf: (number: number) => string) => fc.nat(1_000_000_000).map(textOf);

/** Values that succeed at a new site, for fields whose example in the document does not. */
export const knownFields = ({ urls, sandbox }: Platform): KnownFields => ({
  model: fc.constantFrom(
    ...['sandbox-chat', 'sandbox-mini', 'sandbox-embed', 'sandbox-rerank', 'sandbox-image'],
    ...['sandbox-audio', 'sandbox-speech', 'sandbox-moderation'],
  ),
  identifier: fc.constant(GUEST.identifier),
  current_password: fc.constant(GUEST.password),
  return_url: fc.constant(`${urls.console}/billing`),
  /** Of a file of a release. */
  url: fc.constant(`${sandbox.code_host}/acme/engine/releases/download/v1.2.3/engine.tar.gz`),
  // In the future, whenever the fuzzer runs.
  expires_at: fc.constant('2190-01-01T00:00:00Z'),
  ends_at: fc.constant('2190-01-01T00:00:00Z'),
  // The other audiences need accounts or a model.
  audience: fc.constant('all'),
  account_ids: fc.constant(undefined),
  // These may be taken once.
  id: numbered((number) => `id-${number}`),
  email: numbered((number) => `customer-${number}@example.com`),
  username: numbered((number) => `customer-${number}`),
  phone: numbered((number) => `+1 415 ${number}`.slice(0, '+1 415 555 0123'.length)),
  // The server numbers a new conversation.
  conversation_id: fc.constant(undefined),
  // An unknown document is 404.
  document_ids: fc.constant(undefined),
});

/** Paths that a new site knows, of which no response tells. */
export const KNOWN_PATHS: Record<string, string[]> = {
  '/api/auth/oauth/{provider}': ['/api/auth/oauth/sandbox'],
};
