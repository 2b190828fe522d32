import { Settings2 } from 'lucide-react';
import { lazy } from 'react';
import { useLayoutTexts } from '../layout-texts';
import { MenuButton } from './menu-button';

const PreferencesMenu = lazy(() => import('./preferences-menu'));

/** Opens the menu of language, colours and time zone. */
export function PreferencesButton() {
  const t = useLayoutTexts();
  return <MenuButton label={t('settings')} icon={<Settings2 size={18} />} menu={PreferencesMenu} />;
}
