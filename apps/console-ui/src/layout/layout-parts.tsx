import { Group, Text } from '@mantine/core';
import { useNetwork } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useSite } from '../api/site';
import { useLayoutTexts } from './layout-texts';
import classes from './layout.module.css';

/** The name of the site, which leads to the start page. */
export function SiteMark() {
  const { name } = useSite();
  return (
    <Link to="/" className={classes.mark}>
      <Group gap="xs" wrap="nowrap">
        <img src="/favicon.svg" alt="" width={24} height={24} />
        <Text fw={600} size="md" truncate>
          {name}
        </Text>
      </Group>
    </Link>
  );
}

/** The first thing that the keyboard reaches: it leads past the navigation. */
export function SkipLink() {
  const t = useLayoutTexts();
  return (
    <a href="#main" className={classes.skip}>
      {t('skip')}
    </a>
  );
}

/** Says that the connection is lost. Calls wait meanwhile and go on afterwards (TanStack Query). */
export function OfflineBanner() {
  const t = useLayoutTexts();
  const { online } = useNetwork();
  return <div role="status">{!online && <div className={classes.banner}>{t('offline')}</div>}</div>;
}
