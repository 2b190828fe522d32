/** Who calls: a key has no limits (`plain`), or a spending limit or a list of models (`restricted`); its account is a customer or an admin. */
export const KEY_HOLDERS = ['plain', 'restricted', 'admin', 'restricted-admin', 'session'] as const;
export type KeyHolder = (typeof KEY_HOLDERS)[number];

/**
 * What a route shows to a caller, and lets it change or use.
 *
 * all      of all accounts
 * account  of the account of the caller, whoever made it
 * key      what this key did, and what is left for it
 * own      makes something that the caller and its account see, and no restricted key but the one that made it
 * refused  401: the route accepts no session
 */
export type Sight = 'all' | 'account' | 'key' | 'own' | 'refused';

const EVERYWHERE = ['account', 'key', 'account', 'key'] as const;
const ON_OWN = ['own', 'own', 'own', 'own'] as const;
const SESSIONS = '/v1/agents/sessions';

/** Every route that accepts an API key, and what it shows to each of KEY_HOLDERS. */
const TABLE: [service: string, route: string, ...sights: Sight[]][] = [
  ['console', 'GET /api/models/*slug/download', ...EVERYWHERE, 'refused'],
  ['gateway', 'GET /v1/models', ...EVERYWHERE, 'refused'],
  ['gateway', 'GET /v1/models/*slug', ...EVERYWHERE, 'refused'],
  ['gateway', 'POST /v1/audio/speech', ...EVERYWHERE, 'refused'],
  ['gateway', 'POST /v1/audio/transcriptions', ...EVERYWHERE, 'refused'],
  ['gateway', 'POST /v1/audio/translations', ...EVERYWHERE, 'refused'],
  ['gateway', 'POST /v1/chat/completions', ...EVERYWHERE, 'refused'],
  ['gateway', 'POST /v1/chat/completions/estimate', ...EVERYWHERE, 'refused'],
  ['gateway', 'POST /v1/completions', ...EVERYWHERE, 'refused'],
  ['gateway', 'POST /v1/embeddings', ...EVERYWHERE, 'refused'],
  ['gateway', 'POST /v1/images/generations', ...EVERYWHERE, 'refused'],
  ['gateway', 'POST /v1/messages', ...EVERYWHERE, 'refused'],
  ['gateway', 'POST /v1/messages/count_tokens', ...EVERYWHERE, 'refused'],
  ['gateway', 'POST /v1/moderations', ...EVERYWHERE, 'refused'],
  ['gateway', 'POST /v1/rerank', ...EVERYWHERE, 'refused'],
  ['gateway', 'POST /v1/responses', ...EVERYWHERE, 'refused'],
  ['gateway', 'GET /v1/responses/:response_id', ...EVERYWHERE, 'refused'],
  ['gateway', 'DELETE /v1/responses/:response_id', ...EVERYWHERE, 'refused'],
  ['gateway', 'GET /v1/responses/:response_id/input_items', ...EVERYWHERE, 'refused'],
  ['gateway', 'POST /v1/responses/:response_id/cancel', ...EVERYWHERE, 'refused'],
  ['router-cost', 'GET /v1/router/cost', 'account', 'key', 'account', 'key', 'account'],
  ['training', 'GET /v1/capabilities', ...EVERYWHERE, 'account'],
  ['agent', `POST ${SESSIONS}`, ...ON_OWN, 'refused'],
  ['agent', `GET ${SESSIONS}`, ...EVERYWHERE, 'refused'],
  ['agent', `GET ${SESSIONS}/:session_id`, ...EVERYWHERE, 'refused'],
  ['agent', `PATCH ${SESSIONS}/:session_id`, ...EVERYWHERE, 'refused'],
  ['agent', `DELETE ${SESSIONS}/:session_id`, ...EVERYWHERE, 'refused'],
  ['agent', `POST ${SESSIONS}/:session_id/cancel`, ...EVERYWHERE, 'refused'],
  ['agent', `POST ${SESSIONS}/:session_id/events`, ...EVERYWHERE, 'refused'],
  ['agent', `POST ${SESSIONS}/:session_id/events/stream`, ...EVERYWHERE, 'refused'],
  ['agent', `GET ${SESSIONS}/:session_id/events/stream`, ...EVERYWHERE, 'refused'],
  ['agent', `GET ${SESSIONS}/:session_id/events`, ...EVERYWHERE, 'refused'],
  ['agent', `GET ${SESSIONS}/:session_id/events/:event_id`, ...EVERYWHERE, 'refused'],
];

export interface ApiKeyRow {
  service: string;
  /** In the format of `registeredRoutes`. */
  route: string;
  sights: Record<KeyHolder, Sight>;
}

/** What each route that accepts an API key shows, by the caller. */
export const API_KEY_ROWS: ApiKeyRow[] = TABLE.map(([service, route, ...sights]) => ({
  service,
  route,
  sights: Object.fromEntries(
    KEY_HOLDERS.map((holder, column) => [holder, sights[column]!]),
  ) as ApiKeyRow['sights'],
}));
