import { Outlet, useLocation } from '@tanstack/react-router';
import { useAccount } from '../api/account';
import { ErrorNotice } from '../components/error-notice';
import { NotFoundPage } from './failures';
import { areaNeeds } from './navigation';

/** Shows the pages for staff to those whose role opens the route that the page reads. For everybody else they do not exist. */
export function StaffGate() {
  const { data, error, refetch } = useAccount();
  const { pathname } = useLocation();
  const needs = areaNeeds(pathname);
  if (data) return needs !== undefined && data.staff_routes.includes(needs) ? <Outlet /> : <NotFoundPage />;
  return error && <ErrorNotice error={error} onRetry={() => void refetch()} />;
}
