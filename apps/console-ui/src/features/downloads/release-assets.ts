import { type Asset, type Component } from './release-queries';

export type System = 'linux' | 'macos' | 'windows';
export type Architecture = 'x86_64' | 'arm64';

export interface Platform {
  system: System;
  architecture: Architecture;
}

/** All that the page tells apart, in the order of its choice. */
export const PLATFORMS: Platform[] = (['linux', 'macos', 'windows'] as const).flatMap((system) =>
  (['x86_64', 'arm64'] as const).map((architecture) => ({ system, architecture })),
);

const SYSTEM_NAMES: Record<System, string> = { linux: 'Linux', macos: 'macOS', windows: 'Windows' };
const ARCHITECTURE_NAMES: Record<Architecture, string> = { x86_64: 'x86-64', arm64: 'ARM64' };

/** Names of products, the same in every language. */
export const platformName = ({ system, architecture }: Platform): string =>
  `${SYSTEM_NAMES[system]} ${ARCHITECTURE_NAMES[architecture]}`;

export const platformKey = ({ system, architecture }: Platform): string => `${system}-${architecture}`;

const SYSTEM_WORDS: Record<string, System> = {
  linux: 'linux',
  darwin: 'macos',
  macos: 'macos',
  macosx: 'macos',
  osx: 'macos',
  windows: 'windows',
  win: 'windows',
  win64: 'windows',
};
const ARCHITECTURE_WORDS: Record<string, Architecture> = {
  x64: 'x86_64',
  amd64: 'x86_64',
  win64: 'x86_64',
  arm64: 'arm64',
  aarch64: 'arm64',
};

/** The platform that the name of a file tells; undefined for one that the page does not know. */
export function platformOf(fileName: string): Platform | undefined {
  // The only architecture with a sign that otherwise separates words.
  const words = fileName
    .toLowerCase()
    .replace(/x86[_-]64/g, 'x64')
    .split(/[^a-z0-9]+/);
  const system = words.flatMap((word) => SYSTEM_WORDS[word] ?? [])[0];
  const architecture = words.flatMap((word) => ARCHITECTURE_WORDS[word] ?? [])[0];
  return system && architecture && { system, architecture };
}

/** The platform of the visitor as the browser tells it. Browsers on a Mac hide the processor: most have Apple's own. */
export function platformOfBrowser(userAgent: string): Platform | undefined {
  if (/Android|iPhone|iPad/.test(userAgent)) return undefined;
  if (/Mac OS X|Macintosh/.test(userAgent)) return { system: 'macos', architecture: 'arm64' };
  const architecture = /aarch64|arm64/i.test(userAgent) ? 'arm64' : 'x86_64';
  if (/Windows/.test(userAgent)) return { system: 'windows', architecture };
  if (/Linux|X11/.test(userAgent)) return { system: 'linux', architecture };
  return undefined;
}

/** Shared libraries and files beside the programs, such as signatures. */
const IS_LIBRARY = /\.(so|dylib|dll)(\.\d+)*$/i;

const IS_COMPANION = /\.(sha256|sha512|sig|asc|pem|json|txt)$/i;

const rank = ({ name }: Asset) => (IS_COMPANION.test(name) ? 2 : IS_LIBRARY.test(name) ? 1 : 0);

/** The files of one platform, the program first. */
export function assetsFor(assets: Asset[], platform: Platform): Asset[] {
  const key = platformKey(platform);
  return assets
    .filter(({ name }) => {
      const own = platformOf(name);
      return own && platformKey(own) === key;
    })
    .sort((one, other) => rank(one) - rank(other));
}

/** The program among the files of a platform; undefined if there are only libraries. */
export const programOf = (assets: Asset[], platform: Platform): Asset | undefined =>
  assetsFor(assets, platform).find((asset) => rank(asset) === 0);

const forShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

const forPowerShell = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Downloads the program and makes it ready to run; an archive is unpacked. */
export function installCommand(component: Component, { url, name }: Asset, { system }: Platform): string {
  if (system === 'windows') {
    const saved = /\.exe$/i.test(name) ? `${component}.exe` : name;
    const download = `curl.exe -f -L -o ${forPowerShell(saved)} ${forPowerShell(url)}`;
    return /\.zip$/i.test(name) ? `${download}\nExpand-Archive ${forPowerShell(saved)}` : download;
  }
  if (/\.(tar\.\w+|tgz)$/i.test(name))
    return `curl -f -L ${forShell(url)} -o ${forShell(name)}\ntar -xf ${forShell(name)}`;
  if (/\.zip$/i.test(name))
    return `curl -f -L ${forShell(url)} -o ${forShell(name)}\nunzip ${forShell(name)}`;
  return `curl -f -L ${forShell(url)} -o ${component}\nchmod +x ${component}`;
}
