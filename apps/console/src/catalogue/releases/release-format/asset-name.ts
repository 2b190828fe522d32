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
