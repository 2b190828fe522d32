import { ActionIcon, type MantineBreakpoint } from '@mantine/core';
import { Settings2 } from 'lucide-react';
import { type ComponentType, lazy, type ReactNode, useState } from 'react';
import { fileLoader, OptionalPart } from '../components/lazy-file';
import { useLayoutTexts } from './layout-texts';

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
