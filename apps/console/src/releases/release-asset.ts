import { lookup } from 'mime-types';

/** Of one release. */
export const MAX_ASSETS = 200;

const MAX_CONTENT_TYPE_CHARS = 200;
const MEDIA_TYPE =
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+( *; *[\w!#$&^.+-]+=([\w!#$&^.+-]+|"[\x20\x21\x23-\x5b\x5d-\x7e]*"))*$/;
const UNKNOWN_TYPE = 'application/octet-stream';
const LOOPBACK_HOST = /^(localhost|127(\.\d+){3}|\[::1\])$/;
/** What would be a folder or a disk, cannot be seen, or cannot be stored. */
const UNFIT_IN_NAME = /[/\\\p{Cc}\p{Surrogate}]/u;

/** One file of a release (spec: Asset object). */
export interface ReleaseAsset {
  name: string;
  /** Where it can be downloaded, at the site's code host. */
  url: string;
  /** In bytes. */
  size: number;
  content_type: string;
}

export const isFileName = (name: string) => name !== '' && !UNFIT_IN_NAME.test(name);

/** RFC 9110, section 8.3.1. */
export const isMediaType = (type: string) => type.length <= MAX_CONTENT_TYPE_CHARS && MEDIA_TYPE.test(type);

/** What a file of this name is served as. */
export const contentTypeOf = (fileName: string) => lookup(fileName) || UNKNOWN_TYPE;

/** Why the public must not be sent there, null when it may be; the code host is where all files of releases lie. */
export function downloadUrlFault(text: string, codeHostUrl: string): string | null {
  const host = new URL(codeHostUrl).origin;
  if (!URL.canParse(text)) return 'must be a URL';
  const { protocol, hostname, origin, username, password } = new URL(text);
  const isPlain = protocol === 'http:' && LOOPBACK_HOST.test(hostname);
  if (protocol !== 'https:' && !isPlain) return 'must be https, except on this machine itself';
  if (username || password) return 'must not carry credentials';
  return origin === host ? null : `must lie at ${host}`;
}

/** As a browser would write it, so that what was looked at is what others follow. */
export const normalUrl = (text: string) => new URL(text).href;
