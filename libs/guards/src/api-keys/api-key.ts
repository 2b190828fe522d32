import { createSecretKey, isSecretKey } from '../secret-keys/secret-key';

const PREFIX = 'bfvk-';

/** Creates an API key, `bfvk-…`, with the prefix of it that may be shown later. */
export const createApiKey = () => createSecretKey(PREFIX);
/** Whether a text has the form and the checksum of an API key. */
export const isApiKey = (text: string) => isSecretKey(PREFIX, text);
