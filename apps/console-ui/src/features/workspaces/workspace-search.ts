import { listViewIn } from '../../components/list-view';

/** What the address says of the list of workspaces, and of the keys of one. */

export const WORKSPACE_ORDERS = ['newest', 'name', 'documents', 'size'] as const;
export type WorkspaceOrder = (typeof WORKSPACE_ORDERS)[number];
export const workspaceViewIn = listViewIn(WORKSPACE_ORDERS);

export const WORKSPACE_KEY_ORDERS = ['newest', 'name', 'used'] as const;
export type WorkspaceKeyOrder = (typeof WORKSPACE_KEY_ORDERS)[number];
export const workspaceKeyViewIn = listViewIn(WORKSPACE_KEY_ORDERS);
