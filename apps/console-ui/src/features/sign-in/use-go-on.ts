import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { HOME } from '../../app/router/layout-routes';

/** Leads from a sign-in to the page that asked for it. */
export function useGoOn(): () => void {
  const navigate = useNavigate();
  const { next }: { next?: string } = useSearch({ strict: false });
  return useCallback(() => void navigate({ href: next ?? HOME, replace: true }), [navigate, next]);
}
