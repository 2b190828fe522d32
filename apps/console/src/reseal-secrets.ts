import { env, loadConfig } from '@inference/config';
import { createPool, inTransaction } from '@inference/database';
import { z } from 'zod';
import { encryptionKeys } from './config.keys';
import { SealedTokens } from './sealing/sealed-tokens';
import { resealSecrets } from './two-factor/second-factor';

/**
 * Encrypts every kept secret anew with the first of ENCRYPTION_KEYS, so that the others can be taken off the list.
 * Reads DATABASE_URL and ENCRYPTION_KEYS; safe to run while consoles run with the same list, and to run again.
 */
const environment = z.object({ DATABASE_URL: env.database.DATABASE_URL, ENCRYPTION_KEYS: encryptionKeys });

async function reseal(): Promise<string> {
  const config = loadConfig(environment);
  const pool = createPool({ url: config.DATABASE_URL, applicationName: 'reseal-secrets', size: 1 });
  try {
    const count = await inTransaction(pool, (client) => resealSecrets(client, new SealedTokens(config)));
    return `Encrypted ${count} secrets with the first key.`;
  } finally {
    await pool.end();
  }
}

reseal().then(
  (message) => console.log(message),
  (error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  },
);
