import { ActionIcon } from '@mantine/core';
import { Settings2 } from 'lucide-react';
import { lazy, useState } from 'react';
import { OptionalPart } from '../failures/optional-part';
import { useLayoutTexts } from '../texts/layout-texts';

const PreferencesMenu = lazy(() => import('./preferences-menu'));

/** Opens the menu of language, colours and time zone, which is loaded when it is first opened. */
export function PreferencesButton() {
  const t = useLayoutTexts();
  const [isWanted, setIsWanted] = useState(false);
  const button = (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={t('settings')}
      aria-haspopup="menu"
      onClick={() => setIsWanted(true)}
    >
      <Settings2 size={18} />
    </ActionIcon>
  );
  if (!isWanted) return button;
  return (
    <OptionalPart fallback={button}>
      <PreferencesMenu />
    </OptionalPart>
  );
}
