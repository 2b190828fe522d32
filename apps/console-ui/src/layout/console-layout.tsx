import {
  ActionIcon,
  Burger,
  Drawer,
  getDefaultZIndex,
  Group,
  Modal,
  NavLink,
  Stack,
  Text,
  Tooltip,
} from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { Notifications } from '@mantine/notifications';
import '@mantine/notifications/styles.layer.css';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useAccount } from '../api/account';
import { readAccountView } from '../api/account-view';
import { useSessionState } from '../api/session';
import { fileLoader, OptionalPart } from '../components/lazy-file';
import { Announcements } from '../features/announcements/announcements';
import { AccountMenu } from './account-menu';
import { PreferencesButton } from './header-buttons';
import { OfflineBanner, SiteMark, SkipLink } from './layout-parts';
import { SiteFooter } from './site-footer';
import { useConsoleLayoutTexts } from './console-layout-texts';
import classes from './layout.module.css';
import { useAreaGroups } from './navigation';

const SignInSteps = lazy(
  fileLoader(() =>
    import('../features/sign-in/sign-in-steps').then((module) => ({ default: module.SignInSteps })),
  ),
);

let isOpen = false;

// A dialog closes by Escape wherever the focus is. This listener is older than those of the dialogs of all pages.
window.addEventListener(
  'keydown',
  (event) => {
    if (isOpen && event.key === 'Escape') event.stopImmediatePropagation();
  },
  { capture: true },
);

/** Asks for a new sign-in over the page in use and its dialogs, which keep what was typed. */
function SessionEndedDialog() {
  const t = useConsoleLayoutTexts();
  const isEnded = useSessionState().status === 'ended';
  useEffect(() => {
    isOpen = isEnded;
    return () => void (isOpen = false);
  }, [isEnded]);
  return (
    <Modal
      opened={isEnded}
      onClose={() => undefined}
      zIndex={getDefaultZIndex('overlay')}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t('ended.title')}
    >
      <Stack>
        <Text size="md">{t('ended.text')}</Text>
        <OptionalPart>
          <SignInSteps />
        </OptionalPart>
      </Stack>
    </Modal>
  );
}

const CommandPalette = lazy(fileLoader(() => import('./command-palette')));

/**
 * Opens the command palette, as Ctrl-K does; only then it is loaded. Not in a file with what visitors see: its tooltip would be a tenth of
 * what the sign-in loads.
 */
function PaletteButton() {
  const t = useConsoleLayoutTexts();
  const [openings, setOpenings] = useState(0);
  const open = () => setOpenings((count) => count + 1);
  useHotkeys([['mod+K', open]], []);
  return (
    <>
      <Tooltip label={`${t('header.palette')} (Ctrl K)`}>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('header.palette')} onClick={open}>
          <Search size={18} />
        </ActionIcon>
      </Tooltip>
      {openings > 0 && (
        <OptionalPart>
          <CommandPalette openings={openings} />
        </OptionalPart>
      )}
    </>
  );
}

const PaymentBanner = lazy(fileLoader(() => import('../features/wallet/payment-banner')));
const SecondFactorDemand = lazy(fileLoader(() => import('../features/admin-staff/second-factor-demand')));
const AccountViewBar = lazy(fileLoader(() => import('./account-view-bar')));
const TermsDialog = lazy(fileLoader(() => import('../features/sign-in/terms-dialog')));
const ActivityTray = lazy(
  fileLoader(() => import('./activity-tray').then((module) => ({ default: module.ActivityTray }))),
);

/** Frame of the pages of a signed-in account. */
export function ConsoleLayout() {
  const t = useConsoleLayoutTexts();
  const [isOpen, { toggle, close }] = useDisclosure();
  const [isDemanded, setIsDemanded] = useState(false);
  // It stays until the recovery codes are kept, when the second factor is on already.
  if (useAccount().data?.second_factor_required && !isDemanded) setIsDemanded(true);
  // Nothing of the account is shown while the sign-in is loaded.
  if (useSessionState().status === 'signed-out') return null;
  const view = readAccountView();
  return (
    <>
      <SkipLink />
      {view && (
        <Suspense>
          <AccountViewBar view={view} />
        </Suspense>
      )}
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
            {!view && (
              <>
                <PaletteButton />
                <OptionalPart isLoadedAtOnce>
                  <ActivityTray />
                </OptionalPart>
              </>
            )}
            <PreferencesButton />
            <AccountMenu />
          </Group>
        </Group>
      </header>
      <OfflineBanner />
      <Announcements />
      {!isDemanded && !view && (
        <OptionalPart isLoadedAtOnce>
          <PaymentBanner />
        </OptionalPart>
      )}
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
        <div className={classes.column}>
          <main id="main" tabIndex={-1} className={classes.main}>
            {isDemanded ? (
              <Suspense>
                <SecondFactorDemand onDone={() => setIsDemanded(false)} />
              </Suspense>
            ) : (
              <Outlet />
            )}
          </main>
          <SiteFooter />
        </div>
      </div>
      {!view && (
        <OptionalPart isLoadedAtOnce>
          <TermsDialog />
        </OptionalPart>
      )}
      <SessionEndedDialog />
      <Notifications position="bottom-right" />
    </>
  );
}

/** Links to all areas. `onNavigate`: closes the drawer in which they are on a narrow screen. */
function Sidebar({ onNavigate }: { onNavigate?: () => void }) {
  const t = useConsoleLayoutTexts();
  const { pathname } = useLocation();
  const groups = useAreaGroups();
  const nav = useRef<HTMLDivElement>(null);
  const groupCount = groups.length;
  useEffect(() => {
    const { scrollY } = window;
    nav.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest' });
    // Only the navigation scrolls: what is above the page, such as an announcement, stays in sight.
    window.scrollTo(0, scrollY);
    // The groups of an admin come once the account is known.
  }, [pathname, groupCount]);
  return (
    <Stack component="nav" aria-label={t('navigation')} gap="md" p="sm" ref={nav}>
      {groups.map(({ text, areas }) => (
        <div key={text}>
          <Text size="xs" fw={600} c="dimmed" px="sm" pb={4}>
            {t(text)}
          </Text>
          {areas.map(({ to, text: label, icon: Icon }) => {
            const isHere = pathname === to || pathname.startsWith(`${to}/`);
            return (
              <NavLink
                key={to}
                component={Link}
                to={to}
                label={t(label)}
                leftSection={<Icon size={16} />}
                active={isHere}
                aria-current={isHere ? 'page' : undefined}
                onClick={onNavigate}
                variant="light"
              />
            );
          })}
        </div>
      ))}
    </Stack>
  );
}
