import { Outlet } from '@tanstack/react-router';
import { ErrorNotice } from '../components/error-notice';
import { type Role, useAccount } from '../api/account';
import { NotFoundPage } from './failures';

export const AdminGate = () => <RoleGate roles={['admin']} />;
export const AnalystGate = () => <RoleGate roles={['analyst', 'admin']} />;

/** Shows pages to the roles that may use them. For everybody else they do not exist. */
function RoleGate({ roles }: { roles: Role[] }) {
  const { data, error, refetch } = useAccount();
  if (data) return roles.includes(data.role) ? <Outlet /> : <NotFoundPage />;
  return error && <ErrorNotice error={error} onRetry={() => void refetch()} />;
}
