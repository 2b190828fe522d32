import { NavLink, Stack, Text } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import { useLayoutTexts } from './texts/layout-texts';
import { useAreaGroups } from './use-area-groups';

/** Links to all areas. `onNavigate`: closes the drawer in which they are on a narrow screen. */
export function Sidebar({ onNavigate }: { onNavigate?: () => void }) {
  const t = useLayoutTexts();
  const { pathname } = useLocation();
  const groups = useAreaGroups();
  return (
    <Stack component="nav" aria-label={t('navigation')} gap="md" p="sm">
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
