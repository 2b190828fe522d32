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
        <Icon />
        <Text fw={600} size="md" truncate>
          {name}
        </Text>
      </Group>
    </Link>
  );
}

/** The same as `favicon.svg`: as a file, every visit would ask for it once more. */
const Icon = () => (
  <svg viewBox="0 0 32 32" width={24} height={24} aria-hidden className={classes.icon}>
    <rect width="32" height="32" rx="7" fill="#39588f" />
    <path d="M8 21V11M16 24V8M24 18v-4" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
  </svg>
);

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
