import { useEffect } from 'react';
import { useSite } from '../api/site';

/** The title of the tab. */
export function usePageTitle(title: string): void {
  const { name } = useSite();
  useEffect(() => {
    document.title = `${title} · ${name}`;
  }, [title, name]);
}
