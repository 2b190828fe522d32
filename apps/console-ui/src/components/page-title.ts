import { createContext, use, useEffect } from 'react';
import { useSite } from '../api/site';

/** What the head of a page says, where the console renders it. */
export interface PageHead {
  title: string;
  description: string;
}

const PageHeadContext = createContext<PageHead | undefined>(undefined);

/** Without a browser, effects do not run: the value takes what the page says while it is rendered. */
export const PageHeadProvider = PageHeadContext.Provider;

/** The title of the tab. `description`: for search engines and previews of links. */
export function usePageTitle(title: string, description?: string): void {
  const { name } = useSite();
  const wholeTitle = `${title} · ${name}`;
  const head = use(PageHeadContext);
  if (head) Object.assign(head, { title: wholeTitle, description: description ?? '' } satisfies PageHead);
  useEffect(() => {
    document.title = wholeTitle;
  }, [wholeTitle]);
}
