import '@mantine/core/styles.layer.css';
import { Group, Stack, Text, Title } from '@mantine/core';
import { createContext, type ReactNode, use, useEffect } from 'react';
import { useSite } from '../api/site';
import classes from './page.module.css';
import { WithZoneNote } from '../time/time';

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

interface Props {
  title: string;
  description?: ReactNode;
  /** Buttons beside the title. */
  actions?: ReactNode;
  /** `narrow` for forms and texts. */
  width?: 'normal' | 'narrow';
  children: ReactNode;
}

/** Frame of every page but the sign-in: its width, its heading with actions, and the title of the tab. */
export function Page({ title, description, actions, width = 'normal', children }: Props) {
  usePageTitle(title, typeof description === 'string' ? description : undefined);
  return (
    <Stack gap="lg" className={classes.page} data-width={width}>
      <Group justify="space-between" align="flex-start" gap="md">
        <Stack gap={4} className={classes.heading}>
          <Title order={1}>{title}</Title>
          {description && (
            <Text c="dimmed" size="md" className={classes.description}>
              {description}
            </Text>
          )}
        </Stack>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      <WithZoneNote>{children}</WithZoneNote>
    </Stack>
  );
}
