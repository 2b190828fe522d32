import { Button, Group } from '@mantine/core';
import { Link, Outlet } from '@tanstack/react-router';
import { Menu as MenuIcon } from 'lucide-react';
import { lazy } from 'react';
import { useSessionState } from '../api/session';
import { fileLoader, OptionalPart } from '../components/lazy-file';
import { Announcements } from '../features/announcements/announcements';
import { MenuButton, PreferencesButton } from './header-buttons';
import { OfflineBanner, SiteMark, SkipLink } from './layout-parts';
import { useLayoutTexts } from './layout-texts';
import classes from './layout.module.css';
import { PUBLIC_AREAS } from './public-areas';
import { SiteFooter } from './site-footer';

const AccountMenu = lazy(
  fileLoader(() => import('./account-menu').then((module) => ({ default: module.AccountMenu }))),
);

/** Frame of the pages that everybody may see. */
export function PublicLayout() {
  const t = useLayoutTexts();
  const { status } = useSessionState();
  return (
    <div className={classes.page}>
      <SkipLink />
      <header className={classes.header}>
        <Group justify="space-between" wrap="nowrap" gap="md">
          <SiteMark />
          <Group gap="xs" wrap="nowrap">
            <PublicNavigation />
            <Group gap={4} wrap="nowrap">
              <PreferencesButton />
              {status === 'signed-in' ? (
                <OptionalPart isLoadedAtOnce>
                  <AccountMenu />
                </OptionalPart>
              ) : (
                <Button component={Link} to="/sign-in" variant="default" size="xs" data-for="visitors">
                  {t('header.signIn')}
                </Button>
              )}
            </Group>
          </Group>
        </Group>
      </header>
      <OfflineBanner />
      <Announcements />
      <main id="main" tabIndex={-1} className={classes.main}>
        <Outlet />
      </main>
      <SiteFooter />
    </div>
  );
}

const PublicMenu = lazy(fileLoader(() => import('./public-menu')));

/** Links to the public pages; a menu on a narrow screen. */
function PublicNavigation() {
  const t = useLayoutTexts();
  return (
    <nav aria-label={t('navigation.public')}>
      <Group gap="md" wrap="nowrap" visibleFrom="sm">
        {PUBLIC_AREAS.map(({ to, text }) => (
          <Link key={to} to={to} className={classes.links}>
            {t(text)}
          </Link>
        ))}
      </Group>
      <MenuButton
        label={t('navigation.open')}
        icon={<MenuIcon size={20} />}
        hiddenFrom="sm"
        menu={PublicMenu}
      />
    </nav>
  );
}
