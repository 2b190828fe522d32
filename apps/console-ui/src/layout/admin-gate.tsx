import { Outlet } from '@tanstack/react-router';
import { ErrorNotice } from '../components/errors/error-notice';
import { useAccount } from '../session/account';
import { NotFoundPage } from './failures/not-found-page';

/** Shows the pages of admins to admins. For everybody else they do not exist. */
export function AdminGate() {
  const { data, error, refetch } = useAccount();
  if (data) return data.role === 'admin' ? <Outlet /> : <NotFoundPage />;
  return error && <ErrorNotice error={error} onRetry={() => void refetch()} />;
}
