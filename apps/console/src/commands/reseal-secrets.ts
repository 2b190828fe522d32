import { env, loadConfig } from '@inference/config';
import { Database, PoolDataSource } from '@inference/database';
import { CredentialSeal } from '@inference/serving';
import { z } from 'zod';
import { ENTITIES } from '../entities';
import { sealedTokenFields, sealedTokensOf } from '../identity/identity.config';
import { resealCredentials } from '../inference/serving/reseal-credentials';
import { SealedTokens } from '../identity/sealed-tokens';
import { resealSecrets } from '../identity/second-factor/second-factor-verifier';

/**
 * Encrypts every stored secret again with the first of ENCRYPTION_KEYS, so that the other keys can be removed. Reads
 * DATABASE_URL and ENCRYPTION_KEYS, and does the same with the credentials of upstreams if it is given UPSTREAM_ENCRYPTION_KEYS. It may run while consoles run with the same keys, and may be repeated.
 */
const environment = z.object({
  DATABASE_URL: env.database.DATABASE_URL,
  ...sealedTokenFields,
  UPSTREAM_ENCRYPTION_KEYS: env.upstreamEncryption.UPSTREAM_ENCRYPTION_KEYS.optional(),
});

async function reseal(): Promise<string> {
  const config = loadConfig(environment);
  const options = { url: config.DATABASE_URL, applicationName: 'reseal-secrets', size: 1 };
  const database = new Database(await new PoolDataSource(options, ENTITIES).initialize());
  try {
    const tokens = new SealedTokens(sealedTokensOf(config));
    const count = await database.transaction((transaction) => resealSecrets(transaction, tokens));
    const keys = config.UPSTREAM_ENCRYPTION_KEYS;
    const upstreams = keys
      ? await database.transaction((transaction) => resealCredentials(transaction, new CredentialSeal(keys)))
      : 0;
    return `Encrypted ${count + upstreams} secrets with the first key.`;
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
