import { ActionIcon, Menu } from '@mantine/core';
import '@mantine/core/styles.layer.css';
import { Link } from '@tanstack/react-router';
import { Menu as MenuIcon } from 'lucide-react';
import { useLayoutTexts } from './layout-texts';
import { type Area } from './navigation';

/** The pages in the header of visitors. The sign-in loads them at once, and not the areas of accounts with their icons. */
export const PUBLIC_AREAS: Omit<Area, 'icon'>[] = [
  { to: '/models', text: 'area.models' },
  { to: '/pricing', text: 'area.pricing' },
  { to: '/packages', text: 'area.packages' },
  { to: '/downloads', text: 'area.downloads' },
  { to: '/changelog', text: 'area.changelog' },
];

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
