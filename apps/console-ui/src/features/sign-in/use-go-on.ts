import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { HOME } from '../../app/router/layout-routes';

/**
 * Leads from a sign-in to the page that asked for it.
 * @param returnPage that page, if a provider's sign-in has brought it back; otherwise the address tells it
 */
export function useGoOn(returnPage?: string): () => void {
  const navigate = useNavigate();
  const { next }: { next?: string } = useSearch({ strict: false });
  return useCallback(
    () => void navigate({ href: returnPage ?? next ?? HOME, replace: true }),
    [navigate, next, returnPage],
  );
}
