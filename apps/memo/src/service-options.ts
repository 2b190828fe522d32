import { type ServiceOptions } from '@inference/http';

/** The longest question, with every character written as an escape, and some more. */
const BODY_LIMIT_BYTES = 131_072;
/** Files, which are as large as they are. */
const DOCUMENTS = /^\/v1\/workspaces\/[^/]+\/documents(\/[^/]+)?\/?$/i;

export const SERVICE_OPTIONS: ServiceOptions = {
  name: 'memo',
  bodyLimitBytes: BODY_LIMIT_BYTES,
  streamedBodies: DOCUMENTS,
};
