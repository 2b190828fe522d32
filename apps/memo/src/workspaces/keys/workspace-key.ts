import { createSecretKey, isSecretKey } from '@inference/guards';

const PREFIX = 'sk_';

/** Creates a secret key of a workspace, `sk_…`, and the part of it that may be shown later. */
export const createWorkspaceKey = () => createSecretKey(PREFIX);

/** Whether a text has the form and the checksum of a workspace key. */
export const isWorkspaceKey = (text: string) => isSecretKey(PREFIX, text);
