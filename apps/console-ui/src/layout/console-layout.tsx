import '@mantine/notifications/styles.layer.css';
import { Burger, Drawer, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Notifications } from '@mantine/notifications';
import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { AccountMenu } from './header/account-menu';
import { PaletteButton } from './header/palette-button';
import { PreferencesButton } from './header/preferences-button';
import classes from './layout.module.css';
import { OfflineBanner } from './offline-banner';
import { SessionEndedDialog } from './session-ended-dialog';
import { Sidebar } from './sidebar';
import { SiteMark } from './site-mark';
import { SkipLink } from './skip-link';
import { useLayoutTexts } from './texts/layout-texts';

const PaymentBanner = lazy(() => import('../features/wallet/banner/payment-banner'));
const ActivityTray = lazy(() =>
  import('../activities/activity-tray').then((module) => ({ default: module.ActivityTray })),
);

/** Frame of the pages of a signed-in account. */
export function ConsoleLayout() {
  const t = useLayoutTexts();
  const [isOpen, { toggle, close }] = useDisclosure();
  return (
    <>
      <SkipLink />
      <header className={classes.header}>
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <Group gap="xs" wrap="nowrap" miw={0}>
            <Burger
              opened={isOpen}
              onClick={toggle}
              size="sm"
              hiddenFrom="sm"
              aria-label={t('navigation.open')}
              aria-expanded={isOpen}
            />
            <SiteMark />
          </Group>
          <Group gap={4} wrap="nowrap">
            <PaletteButton />
            <Suspense>
              <ActivityTray />
            </Suspense>
            <PreferencesButton />
            <AccountMenu />
          </Group>
        </Group>
      </header>
      <OfflineBanner />
      <Suspense>
        <PaymentBanner />
      </Suspense>
      <Drawer
        opened={isOpen}
        onClose={close}
        size="16rem"
        title={t('navigation')}
        closeButtonProps={{ 'aria-label': t('navigation.close') }}
      >
        <Sidebar onNavigate={close} />
      </Drawer>
      <div className={classes.body}>
        <div className={classes.sidebar}>
          <Sidebar />
        </div>
        <main id="main" tabIndex={-1} className={classes.main}>
          <Outlet />
        </main>
      </div>
      <SessionEndedDialog />
      <Notifications position="bottom-right" />
    </>
  );
}
