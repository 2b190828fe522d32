import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Configures the console as a merchant of the payment sandbox. */

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');

/** @returns {typeof import('../../sandbox-payments/src/credentials/credentials')} the built file; the product must be built before */
const sandbox = () =>
  createRequire(import.meta.url)(
    path.join(root, 'dist/tools/sandbox-payments/src/credentials/credentials.js'),
  );

/**
 * Generates the credentials when the sandbox is first used.
 * @param {{ settings: import('../settings.mjs').Settings, secrets: import('../secrets.mjs').Secrets, save: () => void }} site
 */
export function ensurePaymentCredentials({ settings, secrets, save }) {
  if (!settings.ports['sandbox-payments'] || secrets.payments) return;
  secrets.payments = sandbox().newCredentials(settings.site);
  save();
}

/**
 * @param {import('../secrets.mjs').PaymentCredentials} credentials
 * @param {string} url of the sandbox
 * @returns {NodeJS.ProcessEnv} for the console
 */
export const paymentEnvironment = (credentials, url) => sandbox().consoleEnvironment(credentials, url);
