import { type Request } from 'express';
import { type Authorization } from './authorization';

/** How a client sends a kind of credential, such as "an API key" in "Authorization: Bearer". */
export interface KindDescription {
  credential: string;
  place: string;
}

const FORMS: [RegExp, string][] = [
  [/^bfvk-/, 'an API key'],
  [/^sk_/, 'a workspace key'],
  [/^[\w-]+\.[\w-]+\.[\w-]+$/, 'a session token'],
];

/**
 * Describes the credential in the headers of a request. Looks at its form only, so that an answer does not tell whether the
 * credential is valid. Returns undefined for no credential and for an unknown form.
 */
export function describeCredential(
  request: Request,
  authorization?: Authorization,
): KindDescription | undefined {
  const secret = authorization?.secret ?? request.get('X-API-Key') ?? '';
  const credential = FORMS.find(([pattern]) => pattern.test(secret))?.[1];
  return credential === undefined ? undefined : { credential, place: placeOf(authorization) };
}

function placeOf(authorization: Authorization | undefined): string {
  if (!authorization) return 'X-API-Key';
  return authorization.scheme === 'bearer' ? 'Authorization: Bearer' : 'Authorization: ApiKey';
}

/**
 * Names the accepted kinds to a client that sent another one. Returns undefined if the sent one is among them: then the
 * credential is not of the wrong kind but invalid.
 */
export function wrongKindMessage(accepted: KindDescription[], sent: KindDescription): string | undefined {
  const sameCredential = accepted.filter(({ credential }) => credential === sent.credential);
  if (accepted.length === 0 || sameCredential.some(({ place }) => place === sent.place)) return undefined;
  const places: Record<string, string[]> = {};
  for (const { credential, place } of accepted) (places[credential] ??= []).push(place);
  const wanted = Object.entries(places).map(([credential, list]) => `${credential} (${list.join(' or ')})`);
  const other = sameCredential.length > 0 ? `${sent.credential} (${sent.place})` : sent.credential;
  return `this route accepts ${wanted.join(' or ')}, not ${other}`;
}
