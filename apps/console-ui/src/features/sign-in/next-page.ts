import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/** Where a sign-in leads unless a page asked for it. */
export const HOME = '/overview';

interface NextPage {
  /** Path of the page that asked for the sign-in. */
  next?: string;
}

/** Reads `?next=`. Only a path of these pages is accepted, never another host. */
export function nextPageIn({ next }: Record<string, unknown>): NextPage {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? { next } : {};
}

/** The page that asked for a sign-in through a provider, which comes back in the fragment as `return_to`. */
export const nextPageInFragment = (fragment: string): string | undefined =>
  nextPageIn({ next: new URLSearchParams(fragment.replace(/^#/, '')).get('return_to') }).next;

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
