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

/** Words that name an operating system or another platform. */
const PLATFORMS = new Set(
  (
    'linux linux32 linux64 gnu musl glibc manylinux ubuntu debian alpine rhel fedora android darwin macos macosx osx mac ' +
    'apple ios ipados tvos watchos visionos windows win win32 win64 msvc mingw mingw32 mingw64 freebsd openbsd netbsd ' +
    'dragonfly illumos solaris aix harmonyos ohos wasi emscripten browser'
  ).split(' '),
);

/** Words that name a processor architecture. */
const ARCHITECTURES = new Set(
  (
    'x86_64 x64 amd64 x86 x32 i386 i486 i586 i686 386 ia32 win32 win64 linux32 linux64 mingw32 mingw64 arm64 arm64e ' +
    'aarch64 aarch64_be arm armhf armel armv5 armv6 armv6l armv7 armv7a armv7l armv7hf armv8 armv8l armeabi riscv64 ' +
    'riscv64gc riscv32 ppc ppc64 ppc64le powerpc64 powerpc64le s390x loong64 loongarch64 mips mipsel mips64 mips64le ' +
    'mips64el sparc64 universal universal2 wasm wasm32 wasm64'
  ).split(' '),
);

/** `x86_64` contains a separator; its part `x86` is in the set too. */
const wordsOf = (name: string) => name.toLowerCase().split(/[-_. ]+/);

/**
 * Describes what a file name lacks: a platform, an architecture, or both (spec: Asset object). Returns null if it names
 * both. Words are separated by `-`, `_`, `.` and spaces; some, such as win64, name both.
 */
export function missingInAssetName(name: string): string | null {
  const words = wordsOf(name);
  const missing = [
    ...(words.some((word) => PLATFORMS.has(word)) ? [] : ['a platform, such as linux, darwin or windows']),
    ...(words.some((word) => ARCHITECTURES.has(word)) ? [] : ['an architecture, such as x86_64 or arm64']),
  ];
  return missing.length === 0 ? null : missing.join(' and ');
}
