import { Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Menu as MenuIcon } from 'lucide-react';
import { lazy } from 'react';
import { useLayoutTexts } from '../layout-texts';
import classes from '../layout.module.css';
import { MenuButton } from './menu-button';
import { PUBLIC_AREAS } from './public-areas';

const PublicMenu = lazy(() => import('./public-menu'));

/** Links to the public pages; a menu on a narrow screen. */
export function PublicNavigation() {
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
