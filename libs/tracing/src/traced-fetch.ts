import { startCallSpan } from './tracing';

/** `fetch` for calls between services: it continues the trace. The body of the answer does not count into its span. */
export async function tracedFetch(url: string, options: RequestInit = {}): Promise<Response> {
  const { method = 'GET' } = options;
  const { origin, pathname } = new URL(url);
  const span = startCallSpan({ method, origin, path: pathname, template: pathname });
  if (span === undefined) return fetch(url, options);
  try {
    const headers = new Headers(options.headers);
    for (const [name, value] of Object.entries(span.headers)) headers.set(name, value);
    const response = await fetch(url, { ...options, headers });
    span.answered(response.status);
    return response;
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}
