import { rememberSecret } from '@inference/testing';
import { askConsole, consoleBody } from '../site/console-client';
import { type Environment } from '../deployment/app-config';
import { type ImageHost } from './image-host';

const ADMIN = { email: 'operator@example.com', password: 'correct-horse-battery-operator' };
const CUSTOMER = { email: 'customer@example.com', password: 'correct-horse-battery-customer' };
/** US dollars per million tokens. */
const PRICE = 2;
const TRAINING_PRICE = { token_per_m: 3, gpu_hour: 2.99 };

export interface SiteOfImages {
  variables: Environment;
  service(app: string): ImageHost;
}

export interface Customer {
  token: string;
  apiKey: string;
}

/** Creates an account with the command of the console's image. */
async function createAccount(
  site: SiteOfImages,
  { email, password }: typeof ADMIN,
  options: string[],
): Promise<string> {
  rememberSecret(password);
  const command = ['node', 'dist/apps/console/src/commands/create-account.js', '--email', email, ...options];
  const console = site.service('console');
  const { code, output } = await console.runCommand(command, undefined, password);
  if (code !== 0) throw new Error(`No account was made for ${email}:\n${output}`);
  const { token } = await consoleBody<{ token: string }>(console.url, 'POST', '/api/auth/login', {
    json: { identifier: email, password },
  });
  return token;
}

/** Publishes the prices of the site's model and of training. */
export async function openForBusiness(site: SiteOfImages): Promise<void> {
  const token = await createAccount(site, ADMIN, ['--role', 'admin']);
  const models = [{ slug: site.variables.DEFAULT_MODEL, unit: 'per_million_tokens', price: PRICE }];
  const prices = { models: { models }, training: TRAINING_PRICE };
  for (const [list, json] of Object.entries(prices)) {
    const path = `/api/admin/billing/pricing/${list}`;
    await consoleBody(site.service('console').url, 'PUT', path, { token, json });
  }
}

export async function newCustomer(site: SiteOfImages): Promise<Customer> {
  const token = await createAccount(site, CUSTOMER, ['--role', 'user']);
  const { status, body } = await askConsole(site.service('console').url, 'POST', '/api/api-keys', {
    token,
    json: { name: 'production' },
  });
  if (status !== 201) throw new Error(`No key was made: ${status} ${JSON.stringify(body)}`);
  return { token, apiKey: (body as { key: string }).key };
}
