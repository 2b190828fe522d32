import { createSecretKey, isSecretKey } from '../secret-key';

const BEGINNING = 'bfvk-';

/** A new API key, `bfvk-…`; and the part that may be shown later. */
export const createApiKey = () => createSecretKey(BEGINNING);
export const isApiKey = (text: string) => isSecretKey(BEGINNING, text);
