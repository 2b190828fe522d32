import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Page } from 'playwright-core';
import { ROOT } from '../../site/service-process';

/** A state of a page that `npm run screenshots` shows. */
export interface Picture {
  name: string;
  path: string;
  isPublic?: boolean;
  byAdmin?: boolean;
  act?(tab: Page): Promise<unknown>;
}

/** Who sees a page. */
export type Viewer = 'visitor' | 'demo' | 'admin';
export const VIEWERS: Viewer[] = ['visitor', 'demo', 'admin'];

const { PICTURES } = jest.requireActual<{ PICTURES: Picture[] }>(join(ROOT, 'tools/screenshots/pages.mjs'));

const viewerOf = ({ isPublic, byAdmin }: Picture): Viewer =>
  isPublic ? 'visitor' : byAdmin ? 'admin' : 'demo';

/** All pages of the console, in all the states that the screenshots show. */
export const picturesOf = (viewer: Viewer): Picture[] =>
  PICTURES.filter((picture) => viewerOf(picture) === viewer);

/** Routes that lead elsewhere unless a sign-in is under way. */
const IN_A_SIGN_IN = ['/sign-in/second-factor', '/sign-in/complete'];

const FEATURES = join(ROOT, 'apps/console-ui/src/features');

const ROUTE = /(?:const (\w+) = )?createRoute\(\{\s*getParentRoute: \(\) => (\w+),\s*path: '\/?([^']*)'/g;

/** The paths of all routes with a page: `/payments/$paymentId`. */
export function routePaths(): string[] {
  const files = readdirSync(FEATURES, { recursive: true, encoding: 'utf8' });
  const paths = files
    .filter((file) => file.endsWith('-routes.ts'))
    .flatMap((file) => pathsIn(join(FEATURES, file)));
  return [...new Set(paths)].map((path) => `/${path}`).filter((path) => !IN_A_SIGN_IN.includes(path));
}

/** Without the slash at the beginning. A route stands after its parent. */
function pathsIn(file: string): string[] {
  const pathOf: Record<string, string> = {};
  return [...readFileSync(file, 'utf8').matchAll(ROUTE)].map(([, name, parent, part]) => {
    const path = [pathOf[parent!], part].filter(Boolean).join('/');
    if (name) pathOf[name] = path;
    return path;
  });
}

/** Whether an address belongs to the route. */
export function isOfRoute(address: string, route: string): boolean {
  const pattern = route
    .split('/')
    .map((part) => (part === '$' ? '.+' : part.startsWith('$') ? '[^/]+' : part))
    .join('/');
  return new RegExp(`^${pattern}$`).test(address);
}
