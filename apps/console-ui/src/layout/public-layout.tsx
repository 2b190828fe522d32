import { Button, Group } from '@mantine/core';
import { Link, Outlet } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useSessionState } from '../session/session-context';
import { PreferencesButton } from './header/preferences-button';
import { PublicNavigation } from './header/public-navigation';
import { useLayoutTexts } from './layout-texts';
import classes from './layout.module.css';
import { OfflineBanner } from './offline-banner';
import { SiteMark } from './site-mark';
import { SkipLink } from './skip-link';

const AccountMenu = lazy(() =>
  import('./header/account-menu').then((module) => ({ default: module.AccountMenu })),
);

/** Frame of the pages that everybody may see. */
export function PublicLayout() {
  const t = useLayoutTexts();
  const { status } = useSessionState();
  return (
    <>
      <SkipLink />
      <header className={classes.header}>
        <Group justify="space-between" wrap="nowrap" gap="md">
          <SiteMark />
          <Group gap="xs" wrap="nowrap">
            <PublicNavigation />
            <Group gap={4} wrap="nowrap">
              <PreferencesButton />
              {status === 'signed-in' ? (
                <Suspense>
                  <AccountMenu />
                </Suspense>
              ) : (
                <Button component={Link} to="/sign-in" variant="default" size="xs">
                  {t('header.signIn')}
                </Button>
              )}
            </Group>
          </Group>
        </Group>
      </header>
      <OfflineBanner />
      <main id="main" tabIndex={-1} className={classes.main}>
        <Outlet />
      </main>
    </>
  );
}
