import { databaseUrl } from './services.mjs';

/**
 * The process that moves old usage events to the storage every day.
 * @param {import('../settings.mjs').Settings} settings
 * @param {import('../secrets.mjs').Secrets} secrets
 */
export function describeUsageArchive({ ports, storageFolder }, { databasePassword }) {
  return {
    name: 'usage-archive',
    entry: 'dist/libs/usage-archive/src/command.js',
    args: ['export', '--daily'],
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl('postgres', databasePassword, ports.postgres),
      ...(storageFolder && { STORAGE_FOLDER: storageFolder }),
    },
  };
}
