import { messageOf } from '../../setup/errors.mjs';

/** A client of the product's HTTP API. */

const TIMEOUT_MS = 15_000;

/**
 * Resolves with the JSON of the response, `undefined` for an empty one. Rejects with an `ApiError` for an error status.
 *
 * @typedef {<T>(method: string, path: string, options?: ApiRequest) => Promise<T>} Api
 * @typedef {{ token?: string, body?: unknown, bytes?: Buffer<ArrayBuffer>, headers?: Record<string, string> }} ApiRequest
 */

/** An error response. */
export class ApiError extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** @param {string} baseUrl @param {AbortSignal} signal @returns {Api} */
export function createApi(baseUrl, signal) {
  return async (method, path, { token, body, bytes, headers } = {}) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      headers: {
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: bytes ?? (body === undefined ? undefined : JSON.stringify(body)),
    });
    const text = await response.text();
    if (!response.ok) {
      const message = `${method} ${baseUrl}${path} answered ${response.status}: ${text.slice(0, 500)}`;
      throw new ApiError(message, response.status);
    }
    return text === '' ? undefined : JSON.parse(text);
  };
}

/** @param {import('../settings.mjs').Engine} engine @param {AbortSignal} signal @returns {Promise<string[]>} */
export async function listEngineModels(engine, signal) {
  if (engine.models) return engine.models;
  try {
    const api = createApi(engine.url, signal);
    /** @type {{ data: { id: string }[] }} */
    const { data } = await api('GET', '/models', { token: engine.apiKey });
    return data.map((model) => model.id);
  } catch (cause) {
    signal.throwIfAborted();
    // A failed `fetch` names its reason only in the cause of its error.
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    throw new Error(
      `The engine at ${engine.url} does not list its models (${messageOf(reason)}).\n` +
        'Start it first, or name the models to publish a price for: ENGINE_MODELS=one,another',
      { cause },
    );
  }
}
