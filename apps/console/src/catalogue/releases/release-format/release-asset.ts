import { nameFault } from '@inference/dto';
import { lookup } from 'mime-types';

/** Files of one release. */
export const MAX_ASSETS = 200;

const MAX_CONTENT_TYPE_CHARS = 200;
const MEDIA_TYPE =
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+( *; *[\w!#$&^.+-]+=([\w!#$&^.+-]+|"[\x20\x21\x23-\x5b\x5d-\x7e]*"))*$/;
const UNKNOWN_TYPE = 'application/octet-stream';
const LOOPBACK_HOST = /^(localhost|127(\.\d+){3}|\[::1\])$/;
/** Path separators, and lone surrogates, which JSON in the database cannot hold. */
const FORBIDDEN_IN_NAME = /[/\\\p{Surrogate}]/u;

/** One file of a release (spec: Asset object). */
export interface ReleaseAsset {
  name: string;
  /** Download URL at the site's code host. */
  url: string;
  /** In bytes. */
  size: number;
  content_type: string;
}

export const isFileName = (name: string) =>
  name !== '' && !FORBIDDEN_IN_NAME.test(name) && nameFault(name) === null;

/** RFC 9110, section 8.3.1. */
export const isMediaType = (type: string) => type.length <= MAX_CONTENT_TYPE_CHARS && MEDIA_TYPE.test(type);

/** The media type of a file, derived from its name. */
export const contentTypeOf = (fileName: string) => lookup(fileName) || UNKNOWN_TYPE;

/** Why a download URL is not allowed, or null. It must be https and have the origin of the code host. */
export function downloadUrlFault(text: string, codeHostUrl: string): string | null {
  const host = new URL(codeHostUrl).origin;
  if (!URL.canParse(text)) return 'must be a URL';
  const { protocol, hostname, origin, username, password } = new URL(text);
  const isPlain = protocol === 'http:' && LOOPBACK_HOST.test(hostname);
  if (protocol !== 'https:' && !isPlain) return 'must be https, except on this machine itself';
  if (username || password) return 'must not carry credentials';
  return origin === host ? null : `must lie at ${host}`;
}

/** Normalizes a URL as browsers do, so that the stored URL is the one that was checked. */
export const normalizeUrl = (text: string) => new URL(text).href;
