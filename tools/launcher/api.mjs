/** The product's own HTTP interface, as a client of it. */

const TIMEOUT_MS = 15_000;

/**
 * @typedef {(method: string, path: string, options?: { token?: string, body?: unknown, bytes?: Buffer, headers?: object }) =>
 *   Promise<any>} Api
 */

/**
 * @param {string} baseUrl
 * @param {AbortSignal} signal
 * @returns {Api} resolves with the answer's JSON, rejects with what the service said when it refuses, and its `status`
 */
export function apiOf(baseUrl, signal) {
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
    if (!response.ok)
      throw Object.assign(
        new Error(`${method} ${baseUrl}${path} answered ${response.status}: ${text.slice(0, 500)}`),
        { status: response.status },
      );
    return text === '' ? undefined : JSON.parse(text);
  };
}

/** @param {import('./settings.mjs').Engine} engine @param {AbortSignal} signal @returns {Promise<string[]>} */
export async function listEngineModels(engine, signal) {
  if (engine.models) return engine.models;
  try {
    const { data } = await apiOf(engine.url, signal)('GET', '/models', { token: engine.apiKey });
    return data.map((model) => model.id);
  } catch (cause) {
    signal.throwIfAborted();
    throw new Error(
      `The engine at ${engine.url} does not tell its models (${cause.cause?.message ?? cause.message}).\n` +
        'Start it first, or name the models to publish a price for: ENGINE_MODELS=one,another',
      { cause },
    );
  }
}
