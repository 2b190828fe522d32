import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './documents';

const PAGE = 'docs/operations/rotate-secrets.md';
const REFERENCE = 'docs/reference/configuration.md';

const SECRET_NAME = /(SECRETS?|KEYS?|KEY_ID|PASSWORD|TOKEN|CREDENTIALS?|HEADERS)$/;
/** An address of a system that is not asked by HTTP holds the password for it. */
const ADDRESS_WITH_PASSWORD = /URL starting with (?!http)/;
/** A JSON value with a secret, such as `{name, client_secret}`. */
const JSON_WITH_SECRET = /`[^`]*\b(\w*secret|api_key|password|token)\b[^`]*`/;
/** Keys that others may know. */
const PUBLIC_KEYS = ['ALIPAY_PUBLIC_KEY', 'WECHAT_PAY_PLATFORM_KEYS'];

const page = readFileSync(join(ROOT, PAGE), 'utf8');
const reference = readFileSync(join(ROOT, REFERENCE), 'utf8');

/** The cells of the rows of all tables whose first cell begins with a code span. */
const rowsOf = (markdown: string) =>
  [...markdown.matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) => row.split(/(?<!\\) \| /));

function isSecret([variable = '', , , allowed = '', description = '']: string[]): boolean {
  const name = variable.replaceAll('`', '');
  if (PUBLIC_KEYS.includes(name)) return false;
  return SECRET_NAME.test(name) || ADDRESS_WITH_PASSWORD.test(allowed) || JSON_WITH_SECRET.test(description);
}

const table = page.slice(page.indexOf('## All secrets'), page.indexOf('## Database passwords'));
const named = rowsOf(table).flatMap(([cell = '']) =>
  [...cell.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name = '']) => name),
);

it('names every secret of the configuration and nothing else', () => {
  const secrets = rowsOf(reference)
    .filter(isSecret)
    .map(([variable = '']) => variable.replaceAll('`', ''));
  expect([...new Set(named)].sort()).toEqual(secrets.sort());
});

it('names tests that exist', () => {
  const files = [...page.matchAll(/^\[.+\]: (\S+)$/gm)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !existsSync(join(ROOT, dirname(PAGE), file)))).toEqual([]);
  const used = [...table.matchAll(/\[([\w ]+)\](?!\(|:)/g)].map(([, label = '']) => label);
  const defined = [...page.matchAll(/^\[(.+)\]: /gm)].map(([, label = '']) => label);
  expect([...new Set(used)].sort()).toEqual(defined.sort());
});
