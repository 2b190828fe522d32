import { ActionIcon, Menu } from '@mantine/core';
import '@mantine/core/styles.layer.css';
import { Link } from '@tanstack/react-router';
import { Menu as MenuIcon } from 'lucide-react';
import { useLayoutTexts } from './layout-texts';
import { PUBLIC_AREAS } from './public-areas';

/** Links to the public pages on a narrow screen. */
export default function PublicMenu() {
  const t = useLayoutTexts();
  return (
    <Menu defaultOpened position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" hiddenFrom="sm" aria-label={t('navigation.open')}>
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
  );
}
