import { Outlet } from '@tanstack/react-router';
import { useAccount } from '../session/account';
import { NotFoundPage } from './failures/not-found-page';

/** Shows the pages of admins to admins. For others there are no such pages. */
export function AdminLayout() {
  const { data: account } = useAccount();
  if (!account) return null;
  return account.role === 'admin' ? <Outlet /> : <NotFoundPage />;
}
