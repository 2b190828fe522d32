import { createSecretKey, isSecretKey } from '../secret-key';

const BEGINNING = 'sk_';

/** A new secret key of a workspace, `sk_…`; and the part that may be shown later. */
export const createWorkspaceKey = () => createSecretKey(BEGINNING);
export const isWorkspaceKey = (text: string) => isSecretKey(BEGINNING, text);
