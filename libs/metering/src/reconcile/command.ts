import { env, loadConfig } from '@inference/config';
import { Database, PoolDataSource } from '@inference/database';
import { z } from 'zod';
import { CHECKS, reconcile } from './checks.repository';

/** `npm run reconcile`: prints each difference. Exits with 1 if there is any, with 2 if the checks could not run. */
async function main(): Promise<void> {
  const { DATABASE_URL: url } = loadConfig(z.object({ DATABASE_URL: env.database.DATABASE_URL }));
  const database = new Database(new PoolDataSource({ url, applicationName: 'reconcile', size: 1 }));
  try {
    const differences = await reconcile(database);
    for (const { check, row } of differences) console.log(`DIFFERENCE: ${check}: ${JSON.stringify(row)}`);
    console.log(
      differences.length
        ? `${differences.length} differences.`
        : `Clean: ${CHECKS.length} checks, no difference.`,
    );
    process.exitCode = differences.length ? 1 : 0;
  } finally {
    await database.close();
  }
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 2;
});
