import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = process.env.TEST_LOG_FOLDER;
/** Anything shorter turns up by chance, and so does what repeats few characters, such as a text that is only long. */
const MIN_CHARS = 12;
const MIN_DIFFERENT_CHARS = 4;

/** Names of members whose text is a secret, in requests, in answers and in the environment's JSON. */
const SECRET_MEMBERS = new Set([
  ...['password', 'current_password', 'new_password', 'token', 'access_token', 'refresh_token', 'id_token'],
  ...['key', 'api_key', 'secret', 'client_secret', 'd', 'recovery_codes', 'challenge_id', 'otpauth_url'],
]);
const SECRET_PARAMETERS = ['token', 'code', 'state', 'secret', 'signature', 'X-Amz-Signature'];
const SECRET_VARIABLES = /(SECRETS?|KEYS?|PASSWORD|TOKEN|CREDENTIALS?)$/;

const remembered = new Set<string>();

/** No log of this test run may hold this text; does nothing outside of a run of the test runner. */
export function rememberSecret(text: string): void {
  if (!FOLDER || text.length < MIN_CHARS || remembered.has(text)) return;
  if (new Set(text).size < MIN_DIFFERENT_CHARS) return;
  remembered.add(text);
  appendFileSync(join(FOLDER, 'secrets'), `${JSON.stringify(text)}\n`, { mode: 0o600 });
}

/** What is secret in a JSON value, by the names of its members. */
function rememberSecretsIn(value: unknown, name = '', parent = ''): void {
  const isSecret = SECRET_MEMBERS.has(name) || (name === 'id' && parent === 'challenge');
  if (typeof value === 'string' && isSecret) {
    rememberSecret(value);
    rememberSecretsOfUrl(value);
  }
  if (value === null || typeof value !== 'object') return;
  const isList = Array.isArray(value);
  // The elements of a list are what the list is called.
  for (const [key, inner] of Object.entries(value))
    rememberSecretsIn(inner, isList ? name : key, isList ? parent : name);
}

/** The password and the parameters of a URL, which may be a path alone. */
function rememberSecretsOfUrl(text: string): void {
  if (!URL.canParse(text, 'http://localhost')) return;
  const { password, searchParams } = new URL(text, 'http://localhost');
  // Written as in a query, it decodes whatever it holds.
  rememberSecret(new URLSearchParams(`_=${password.replace(/[+&]/g, encodeURIComponent)}`).get('_')!);
  for (const name of SECRET_PARAMETERS) for (const value of searchParams.getAll(name)) rememberSecret(value);
}

function rememberCookies(lines: string[]): void {
  for (const line of lines) rememberSecret(line.split(';')[0]!.replace(/^[^=]*=/, ''));
}

/** Every credential in the headers, path and body of a request. */
export function rememberRequest(path: string, headers: Record<string, string>, body?: unknown): void {
  rememberSecretsOfUrl(path);
  for (const [name, value] of Object.entries(headers)) {
    if (/^authorization$/i.test(name)) rememberSecret(value.replace(/^\S+ +/, '').trim());
    if (/^x-api-key$/i.test(name)) rememberSecret(value);
    if (/^cookie$/i.test(name)) rememberCookies(value.split(/; */));
  }
  rememberSecretsIn(body);
  // In an answer this names an error.
  if (body && typeof body === 'object' && 'code' in body) rememberSecret(String(body.code));
}

/** Every credential that an answer hands out: in its body, its cookies, and where it sends the browser. */
export function rememberAnswer(headers: Headers, body?: unknown): void {
  rememberCookies(headers.getSetCookie());
  rememberSecretsOfUrl(headers.get('location') ?? '');
  rememberSecretsIn(body);
}

/** Every secret that a service is configured with. */
export function rememberEnvironment(environment: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) continue;
    rememberSecretsOfUrl(value);
    if (/^[[{]/.test(value)) rememberSecretsIn(parsed(value));
    else if (SECRET_VARIABLES.test(name)) for (const part of value.split(',')) rememberSecret(part.trim());
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
