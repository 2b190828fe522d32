import { env, loadConfig } from '@inference/config';
import { Database, PoolDataSource } from '@inference/database';
import { z } from 'zod';
import { ENTITIES } from '../entities';
import { sealedTokenFields, sealedTokensOf } from '../identity/identity.config';
import { SealedTokens } from '../identity/sealed-tokens';
import { resealSecrets } from '../identity/second-factor/second-factor-verifier';

/**
 * Encrypts every stored secret again with the first of ENCRYPTION_KEYS, so that the other keys can be removed. Reads
 * DATABASE_URL and ENCRYPTION_KEYS. It may run while consoles run with the same keys, and may be repeated.
 */
const environment = z.object({ DATABASE_URL: env.database.DATABASE_URL, ...sealedTokenFields });

async function reseal(): Promise<string> {
  const config = loadConfig(environment);
  const options = { url: config.DATABASE_URL, applicationName: 'reseal-secrets', size: 1 };
  const database = new Database(await new PoolDataSource(options, ENTITIES).initialize());
  try {
    const tokens = new SealedTokens(sealedTokensOf(config));
    const count = await database.transaction((transaction) => resealSecrets(transaction, tokens));
    return `Encrypted ${count} secrets with the first key.`;
  } finally {
    await database.close();
  }
}

reseal().then(
  (message) => console.log(message),
  (error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  },
);
