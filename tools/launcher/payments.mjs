import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The console as a merchant of the sandbox for payments. */

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** The sandbox's own, which is there once the product is built. */
const sandbox = () =>
  createRequire(import.meta.url)(path.join(root, 'dist/tools/sandbox-payments/src/credentials.js'));

/**
 * @param {{ settings: import('./settings.mjs').Settings, secrets: import('./secrets.mjs').Secrets, save: () => void }}
 *   site makes its credentials once, when it first has a use for them
 */
export function ensurePaymentCredentials({ settings, secrets, save }) {
  if (!settings.ports['sandbox-payments'] || secrets.payments) return;
  secrets.payments = sandbox().newCredentials(settings.site);
  save();
}

/** @param {object} credentials @param {string} url of the sandbox @returns {NodeJS.ProcessEnv} for the console */
export const paymentEnvironment = (credentials, url) => sandbox().consoleEnvironment(credentials, url);
