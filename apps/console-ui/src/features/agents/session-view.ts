import { listViewIn } from '../../components/list-view';

export const SESSION_ORDERS = ['newest', 'oldest'] as const;
export type SessionOrder = (typeof SESSION_ORDERS)[number];
export const sessionViewIn = listViewIn(SESSION_ORDERS);
