import { type ServiceOptions } from '@inference/http';

/**
 * Room for the longest query (4,000 characters) with every character written as a JSON escape of up to 12 bytes, and
 * the other fields.
 */
const BODY_LIMIT_BYTES = 131_072;
/** Uploads of documents. They are read as streams and have a limit of their own. */
const DOCUMENTS = /^\/v1\/workspaces\/[^/]+\/documents(\/[^/]+)?\/?$/i;

export const SERVICE_OPTIONS: ServiceOptions = {
  name: 'memo',
  bodyLimitBytes: BODY_LIMIT_BYTES,
  streamedBodies: DOCUMENTS,
};
