import { type Site } from '@inference/config';

export const SESSION_AUDIENCE = 'inference-platform';
export const SESSION_COOKIE = 'session';

/** Names the site, so that a token of one site is worth nothing at the other. */
export const sessionIssuer = (site: Site) => `inference-platform/${site}`;
