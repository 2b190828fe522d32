/** Name and form in a user agent, the more particular ones first: Edge also claims to be Chrome, and Chrome to be Safari. */
const BROWSERS: [name: string, pattern: RegExp][] = [
  ['WeChat', /\bMicroMessenger\//],
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\b(OPR|OPiOS|Opera)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|Chromium|CriOS|HeadlessChrome)\//],
  ['Safari', /\bVersion\/[\d.]+ .*Safari\//],
];
/** Android also claims to be Linux, and iOS to be like macOS. */
const SYSTEMS: [name: string, pattern: RegExp][] = [
  ['Windows', /\bWindows\b/],
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['HarmonyOS', /\b(HarmonyOS|OpenHarmony)\b/],
  ['macOS', /\bMacintosh\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];
/** What other programs call themselves, such as `curl/8.14.1`. */
const PROGRAM = /^([A-Za-z][A-Za-z0-9_.-]{0,39})(\/|$| )/;
const UNKNOWN = 'unknown';

const nameIn = (names: [string, RegExp][], text: string) =>
  names.find(([, pattern]) => pattern.test(text))?.[0];

/** A short text for people, such as `Chrome on Windows` or `curl`: what a user agent says, which anybody can forge. */
export function deviceOf(userAgent: string | null): string {
  if (userAgent === null) return UNKNOWN;
  const browser = nameIn(BROWSERS, userAgent);
  const system = nameIn(SYSTEMS, userAgent);
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  const program = PROGRAM.exec(userAgent)?.[1];
  // Every browser begins so.
  if (program === undefined || program === 'Mozilla') return system ?? UNKNOWN;
  return program;
}
