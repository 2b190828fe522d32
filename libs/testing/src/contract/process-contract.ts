import { type ApiDocument, hasApiDocument, readApiDocument } from './api-document';
import { recordComparison, recordFaults } from './contract-results';
import { ResponseChecker, type SentResponse } from './response-checker';

interface WatchedProcess {
  service: string;
  checker: ResponseChecker;
  document: ApiDocument;
  /** The paths of the document, those with fewer parameters first. */
  paths: { path: string; pattern: RegExp }[];
}

const processes = new Map<string, WatchedProcess>();

/**
 * Compares every response that this process, a test, gets from another one by `fetch` with the API document of its service. What
 * differs fails the test that is running (see `fail-on-faults.ts`). A body is compared when the test reads it as text or JSON; a
 * stream or a download goes to the test as it arrives, and only its status and headers are compared. Responses of a service
 * without a document are not compared.
 */
export function holdProcessToContract(url: string, service: string): void {
  if (!hasApiDocument(service)) return;
  if (processes.size === 0) globalThis.fetch = watched(globalThis.fetch);
  const document = readApiDocument(service);
  const paths = Object.keys(document.paths)
    .map((path) => ({ path, pattern: patternOf(path), parameters: path.split('{').length }))
    .sort((a, b) => a.parameters - b.parameters);
  processes.set(new URL(url).origin, { service, checker: new ResponseChecker(document), document, paths });
}

/** A parameter matches one segment, or a part of it. */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`);

const watched =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const response = await send(input, init);
    const asked = input instanceof Request ? input : { url: String(input), method: 'GET' };
    if (!response.redirected) compare(new URL(asked.url), init?.method ?? asked.method, response);
    return response;
  };

function compare({ origin, pathname }: URL, method: string, response: Response): void {
  const watchedProcess = processes.get(origin);
  const route = watchedProcess?.paths.find(({ pattern }) => pattern.test(pathname))?.path;
  if (!watchedProcess || route === undefined) return;
  const { service, checker, document } = watchedProcess;
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  // What no handler answers, as 405 and a preflight, has no operation.
  if (!document.paths[route]?.[verb]) return;
  const { status } = response;
  const sent: SentResponse = { method, route, status, headers: Object.fromEntries(response.headers) };
  recordComparison(service, sent, checker.faultsOf(sent));
  whenRead(response, (text) =>
    recordFaults(service, sent, checker.faultsOf({ ...sent, body: Buffer.from(text) })),
  );
}

/** Calls back with the body when the test reads it as text or JSON. */
function whenRead(response: Response, onText: (text: string) => void): void {
  const read = response.text.bind(response);
  const text = async () => {
    const whole = await read();
    onText(whole);
    return whole;
  };
  Object.assign(response, { text, json: async () => JSON.parse(await text()) as unknown });
}
