import { ActionIcon, Group, type MantineBreakpoint, Menu, Text } from '@mantine/core';
import '@mantine/core/styles.layer.css';
import { useNetwork } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { CircleUser, LogOut, Settings2 } from 'lucide-react';
import { type ComponentType, lazy, type ReactNode, useState } from 'react';
import { useSession, useSessionState } from '../api/session';
import { useSite } from '../api/site';
import { fileLoader, OptionalPart } from '../components/lazy-file';
import { useLayoutTexts } from './layout-texts';
import classes from './layout.module.css';

/** Where sites in China show that they are registered. */
const ICP_REGISTER = 'https://beian.miit.gov.cn/';

/** Who operates the site and by which terms, and where to find help. What the operator has not configured is left out. */
export function SiteFooter() {
  const t = useLayoutTexts();
  const { name, terms, links, icp_number: icpNumber } = useSite();
  const pages: [href: string | null | undefined, label: string][] = [
    [links.support, t('footer.support')],
    [links.status, t('footer.status')],
    [terms?.url, t('footer.terms')],
    [links.privacy, t('footer.privacy')],
    [links.imprint, t('footer.imprint')],
  ];
  const external = (href: string, label: ReactNode) => (
    <a key={href} href={href} className={classes.links} rel="noreferrer">
      {label}
    </a>
  );
  return (
    <footer className={classes.footer}>
      <span>{name}</span>
      <nav aria-label={t('footer')} className={classes.footerLinks}>
        <Link to="/docs" className={classes.links}>
          {t('footer.docs')}
        </Link>
        {pages.map(([href, label]) => href && external(href, label))}
        {icpNumber && external(ICP_REGISTER, icpNumber)}
      </nav>
    </footer>
  );
}

const PreferencesMenu = lazy(fileLoader(() => import('./preferences-menu')));

/** Opens the menu of language, colours and time zone. */
export function PreferencesButton() {
  const t = useLayoutTexts();
  return <MenuButton label={t('settings')} icon={<Settings2 size={18} />} menu={PreferencesMenu} />;
}

interface Props {
  label: string;
  icon: ReactNode;
  hiddenFrom?: MantineBreakpoint;
  /** Made by `lazy` and `fileLoader`. It has a button of its own, and is open at first. */
  menu: ComponentType;
}

/** A button whose menu is loaded when it is first opened: menus would be an eighth of what the sign-in loads. */
export function MenuButton({ label, icon, hiddenFrom, menu: LazyMenu }: Props) {
  const [isWanted, setIsWanted] = useState(false);
  const button = (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={label}
      aria-haspopup="menu"
      onClick={() => setIsWanted(true)}
      {...(hiddenFrom && { hiddenFrom })}
    >
      {icon}
    </ActionIcon>
  );
  if (!isWanted) return button;
  return (
    <OptionalPart fallback={button}>
      <LazyMenu />
    </OptionalPart>
  );
}

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

/** Who is signed in, and the way out. */
export function AccountMenu() {
  const t = useLayoutTexts();
  const session = useSession();
  const state = useSessionState();
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('account')}>
          <CircleUser size={20} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {state.status === 'signed-in' && (
          <>
            <Menu.Label>{t('account.signedInAs')}</Menu.Label>
            <Text size="md" px="sm" pb="xs" truncate title={state.user.email}>
              {state.user.email}
            </Text>
            <Menu.Divider />
          </>
        )}
        <Menu.Item leftSection={<LogOut size={16} />} onClick={() => void session.signOut()}>
          {t('account.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
