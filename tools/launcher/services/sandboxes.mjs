import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Configures the console for the sandboxes of outside systems. Their files are built: the product must be built before. */

const built = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../dist/tools');
const load = createRequire(import.meta.url);

/** @returns {typeof import('../../sandbox-code-host/src/repositories/samples.ts')} */
const codeHost = () => load(path.join(built, 'sandbox-code-host/src/repositories/samples.js'));

/** @returns {typeof import('../../sandbox-payments/src/credentials/credentials')} */
const payments = () => load(path.join(built, 'sandbox-payments/src/credentials/credentials.js'));

/**
 * To import releases from the code host sandbox.
 * @param {import('../settings.mjs').Site} site
 * @param {string} url of the sandbox
 * @returns {NodeJS.ProcessEnv} for the console
 */
export const codeHostEnvironment = (site, url) => codeHost().sampleEnvironment(site, url);

/**
 * Generates the credentials when the payment sandbox is first used.
 * @param {{ settings: import('../settings.mjs').Settings, secrets: import('../secrets.mjs').Secrets, save: () => void }} site
 */
export function ensurePaymentCredentials({ settings, secrets, save }) {
  if (!settings.ports['sandbox-payments'] || secrets.payments) return;
  secrets.payments = payments().newCredentials(settings.site);
  save();
}

/**
 * As a merchant of the payment sandbox.
 * @param {import('../secrets.mjs').PaymentCredentials} credentials
 * @param {string} url of the sandbox
 * @returns {NodeJS.ProcessEnv} for the console
 */
export const paymentEnvironment = (credentials, url) => payments().consoleEnvironment(credentials, url);
