import fc from 'fast-check';
import { NATIVE_MODEL } from '../site/native-server';
import { type Platform } from '../site/platform';

/** The account whose session the requests to `/api/auth` use. Its password is the example of the API documents. */
export const GUEST = { identifier: 'guest@example.com', password: 'correct horse battery' };

/** The model that the upstreams of requests serve: those of a customer's calls stay with the upstream of the start. */
export const OWN_MODEL = 'fuzz-model';

/** Values for members of bodies by their name. */
export type KnownFields = Record<string, fc.Arbitrary<unknown>>;

const numbered = (textOf: (number: number) => string) => fc.nat(1_000_000_000).map(textOf);

/** Values that succeed at a new site, for fields whose example in the document does not. */
const knownFields = ({ urls, sandbox }: Platform): KnownFields => ({
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
  external_id: numbered((number) => `external-${number}`),
  username: numbered((number) => `customer-${number}`),
  phone: numbered((number) => `+1 415 ${number}`.slice(0, '+1 415 555 0123'.length)),
  // The server numbers a new conversation.
  conversation_id: fc.constant(undefined),
  // An unknown response is 400.
  previous_response_id: fc.constant(undefined),
  // An unknown document is 404.
  document_ids: fc.constant(undefined),
});

/** Values for one operation alone, by its name: elsewhere a field of this name has another meaning. */
const knownFieldsOf = ({ accounts, sandbox }: Platform): Record<string, KnownFields> => ({
  'console changeModelPrices': { slug: fc.constant(OWN_MODEL), version: fc.constant(undefined) },
  'console changeRole': { password: fc.constant(accounts.admin.password) },
  'console createServedModel': {
    slug: numbered((number) => `fuzz-${number}`),
    aliases: fc.constant(undefined),
    fallbacks: fc.constant(undefined),
  },
  'console changeServedModel': {
    aliases: fc.constant(undefined),
    fallbacks: fc.constant(undefined),
    // Only a retired model has one.
    successor: fc.constant(undefined),
  },
  'console createUpstream': {
    name: numbered((number) => `fuzz-${number}`),
    base_url: fc.constant(`${sandbox.engine}/v1`),
  },
  'console changeUpstream': { base_url: fc.constant(`${sandbox.engine}/v1`) },
  // Several prices that are made up contradict one another.
  'console publishCostPrices': {
    cost_prices: fc.constant([{ model: OWN_MODEL, unit: 'per_million_tokens', price: 0.5 }]),
  },
});

const TEXT_MODELS = ['sandbox-chat', 'sandbox-mini'];
const CHAT_MODELS = [...TEXT_MODELS, NATIVE_MODEL];
/** The models that an operation of the gateway needs, where most models do not do. */
const MODELS: Record<string, string[]> = {
  'gateway createChatCompletion': CHAT_MODELS,
  'gateway countMessageTokens': CHAT_MODELS,
  'gateway createCompletion': TEXT_MODELS,
  'gateway estimateChatCompletion': CHAT_MODELS,
  'gateway createMessage': CHAT_MODELS,
  'gateway createResponse': CHAT_MODELS,
  'gateway createSpeech': ['sandbox-speech'],
  'gateway createTranscription': ['sandbox-audio'],
  'gateway createTranslation': ['sandbox-audio'],
  'gateway createEmbeddings': ['sandbox-embed'],
  'gateway createImage': ['sandbox-image'],
  'gateway createModeration': ['sandbox-moderation'],
  'gateway rerank': ['sandbox-rerank'],
};

/** Values for the members of the bodies of an operation. */
export const knownFieldsFor = (platform: Platform, operation: string): KnownFields => ({
  ...knownFields(platform),
  ...(operation in MODELS && { model: fc.constantFrom(...MODELS[operation]!) }),
  ...knownFieldsOf(platform)[operation],
});

const UPSTREAMS = '/api/admin/upstreams';

/** Of the customers' calls. `*` is every model that the other upstreams do not name. */
const CALLED_MODELS = new RegExp(`"(?:sandbox-[a-z]+|${NATIVE_MODEL}|\\*)"`, 'g');

/** The body of a request to an operation, without models whose calls it could spoil. */
export const withOwnModels = (path: string, body: string): string =>
  path.startsWith(UPSTREAMS) ? body.replaceAll(CALLED_MODELS, `"${OWN_MODEL}"`) : body;

/** Paths that a new site knows, of which no response tells. */
export const KNOWN_PATHS: Record<string, string[]> = {
  '/api/auth/oauth/{provider}': ['/api/auth/oauth/sandbox'],
};
