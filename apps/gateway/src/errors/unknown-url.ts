import { type Request } from 'express';

interface RouterLayer {
  route?: { path: string | string[]; methods: Record<string, boolean> };
  match(path: string): boolean;
}

/** What is shown of a path; longer ones are cut. */
const MOST_PATH_CHARS = 200;
/** The routes of the API; others are for operators and browsers. */
const API = '/v1/';
/** Starts of paths that clients of other services add: their base URLs end with them. */
const FOREIGN_START = /^(\/(openai|anthropic|api))+(?=\/)/i;
/** Mistral's name of a completion with a text behind it. */
const FILL_IN = '/v1/fim/completions';

const routesOf = (request: Request): RouterLayer[] =>
  (request.app as unknown as { router: { stack: RouterLayer[] } }).router.stack.filter(({ route }) =>
    [route?.path].flat().some((path) => path?.startsWith(API)),
  );

/** The path that is most likely meant: one slash each, and one version behind the host. */
function intended(path: string): string {
  const plain = `/${path}`
    .replace(/\/+/g, '/')
    .replace(/(?<=.)\/$/, '')
    .replace(FOREIGN_START, '');
  return plain.replace(/^(\/v1)*\/?/i, API);
}

/** Says that the gateway does not serve a method and path, and what to write instead or what there is. */
export function describeUnknownUrl(request: Request): string {
  const { method } = request;
  const asked = `${method} ${request.path.slice(0, MOST_PATH_CHARS)} is not served here.`;
  const routes = routesOf(request);
  const path = intended(request.path);
  const methods = routes.filter((layer) => layer.match(path)).flatMap(methodsOf);
  if (methods.includes(method) && path !== request.path) return `${asked} Write ${method} ${path}.`;
  if (methods.length > 0) return `${asked} There is ${methods.map((name) => `${name} ${path}`).join(', ')}.`;
  if (path === FILL_IN) return `${asked} Write POST /v1/completions with prompt and suffix.`;
  const served = routes.flatMap((layer) =>
    methodsOf(layer).flatMap((name) => [layer.route!.path].flat().map((known) => `${name} ${known}`)),
  );
  return `${asked} There are ${[...new Set(served)].sort().join(', ')}.`;
}

const methodsOf = ({ route }: RouterLayer): string[] =>
  Object.keys(route!.methods).map((name) => name.toUpperCase());
