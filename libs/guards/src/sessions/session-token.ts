import { type Site } from '@inference/config';

export const SESSION_AUDIENCE = 'inference-platform';
export const SESSION_ALGORITHM = 'ES256';

/** Returns the issuer claim. It contains the site, so that a token of one site is invalid at the other. */
export const sessionIssuer = (site: Site) => `inference-platform/${site}`;
