import { ActionIcon, Group, Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Menu as MenuIcon } from 'lucide-react';
import classes from '../layout.module.css';
import { PUBLIC_AREAS } from '../navigation';
import { useLayoutTexts } from '../texts/layout-texts';

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
      <Menu position="bottom-end" width={200}>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            hiddenFrom="sm"
            aria-label={t('navigation.open')}
          >
            <MenuIcon size={20} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {PUBLIC_AREAS.map(({ to, text }) => (
            <Menu.Item key={to} component={Link} to={to}>
              {t(text)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </nav>
  );
}
