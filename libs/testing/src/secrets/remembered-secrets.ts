import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/** Secrets that only the tests use. */
export const TEST_API_KEY_HASH_SECRET = 'test-only-api-key-hash-secret-0123456789';
/** Encrypts the credentials of upstreams. */
export const TEST_UPSTREAM_ENCRYPTION_KEY = '0123456789abcdef'.repeat(4);
export const testRolePassword = (role: string) => `test-only-database-password-of-${role}`;

const FOLDER = process.env.TEST_LOG_FOLDER;
/** Texts that are shorter, or have fewer different characters, also occur in logs by chance. */
const MIN_CHARS = 12;
const MIN_DIFFERENT_CHARS = 4;

/** Names of JSON members whose value is a secret, in requests, responses and JSON variables of the environment. */
const SECRET_MEMBERS = new Set([
  ...['password', 'current_password', 'new_password', 'token', 'access_token', 'refresh_token', 'id_token'],
  ...['key', 'api_key', 'secret', 'client_secret', 'd', 'recovery_codes', 'challenge_id', 'otpauth_url'],
]);
const SECRET_PARAMETERS = ['token', 'code', 'state', 'secret', 'signature', 'X-Amz-Signature'];
const SECRET_VARIABLES = /(SECRETS?|KEYS?|PASSWORD|TOKEN|CREDENTIALS?)$/;

const remembered = new Set<string>();

/** Registers a text that must not appear in any log of this test run. Does nothing outside the test runner. */
export function rememberSecret(text: string): void {
  if (!FOLDER || text.length < MIN_CHARS || remembered.has(text)) return;
  if (new Set(text).size < MIN_DIFFERENT_CHARS) return;
  remembered.add(text);
  appendFileSync(join(FOLDER, 'secrets'), `${JSON.stringify(text)}\n`, { mode: 0o600 });
}

/** Registers the secrets of a JSON value, which it finds by member name. */
function rememberSecretsIn(value: unknown, name = '', parent = ''): void {
  const isSecret = SECRET_MEMBERS.has(name) || (name === 'id' && parent === 'challenge');
  if (typeof value === 'string' && isSecret) {
    rememberSecret(value);
    rememberSecretsOfUrl(value);
  }
  if (value === null || typeof value !== 'object') return;
  const isList = Array.isArray(value);
  // Elements of a list are judged by the name of the list.
  for (const [key, inner] of Object.entries(value))
    rememberSecretsIn(inner, isList ? name : key, isList ? parent : name);
}

/** Registers the password and the secret parameters of a URL or a path. */
function rememberSecretsOfUrl(text: string): void {
  if (!URL.canParse(text, 'http://localhost')) return;
  const { password, searchParams } = new URL(text, 'http://localhost');
  // URLSearchParams decodes invalid percent sequences too; decodeURIComponent would throw.
  rememberSecret(new URLSearchParams(`_=${password.replace(/[+&]/g, encodeURIComponent)}`).get('_')!);
  for (const name of SECRET_PARAMETERS) for (const value of searchParams.getAll(name)) rememberSecret(value);
}

function rememberCookies(lines: string[]): void {
  for (const line of lines) rememberSecret(line.split(';')[0]!.replace(/^[^=]*=/, ''));
}

/** Registers every credential in the headers, path and body of a request. */
export function rememberRequest(path: string, headers: Record<string, string>, body?: unknown): void {
  rememberSecretsOfUrl(path);
  for (const [name, value] of Object.entries(headers)) {
    if (/^authorization$/i.test(name)) rememberSecret(value.replace(/^\S+ +/, '').trim());
    if (/^x-api-key$/i.test(name)) rememberSecret(value);
    if (/^cookie$/i.test(name)) rememberCookies(value.split(/; */));
  }
  rememberSecretsIn(body);
  // `code` is secret in requests only: in a response it is an error code.
  if (body && typeof body === 'object' && 'code' in body) rememberSecret(String(body.code));
}

/** Registers every credential in the body, cookies and `Location` header of a response. */
export function rememberAnswer(headers: Headers, body?: unknown): void {
  rememberCookies(headers.getSetCookie());
  rememberSecretsOfUrl(headers.get('location') ?? '');
  rememberSecretsIn(body);
}

/** Registers every secret in the configuration of a service. */
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
