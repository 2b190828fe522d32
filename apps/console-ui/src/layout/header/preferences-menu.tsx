import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { Check, Settings2 } from 'lucide-react';
import { type ReactNode } from 'react';
import { LANGUAGE_NAMES, LANGUAGES } from '../../language/language';
import { useLanguage } from '../../language/language-context';
import { TIME_ZONE_CHOICES, useTimeZone } from '../../time/time-zone-context';
import { useLayoutTexts } from '../texts/layout-texts';

const COLOR_SCHEMES = ['light', 'dark', 'auto'] as const;

/** Language, colours and time zone. They are remembered in this browser. */
export function PreferencesMenu() {
  const t = useLayoutTexts();
  const { language, setLanguage } = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { choice, setChoice, zones } = useTimeZone();
  return (
    <Menu position="bottom-end" closeOnItemClick={false} width={260}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('settings')}>
          <Settings2 size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('settings.language')}</Menu.Label>
        {LANGUAGES.map((one) => (
          <Choice key={one} isChosen={one === language} onChoose={() => setLanguage(one)}>
            <span lang={one}>{LANGUAGE_NAMES[one]}</span>
          </Choice>
        ))}
        <Menu.Divider />
        <Menu.Label>{t('settings.colors')}</Menu.Label>
        {COLOR_SCHEMES.map((scheme) => (
          <Choice key={scheme} isChosen={scheme === colorScheme} onChoose={() => setColorScheme(scheme)}>
            {t(`settings.colors.${scheme}`)}
          </Choice>
        ))}
        <Menu.Divider />
        <Menu.Label>{t('settings.timeZone')}</Menu.Label>
        {TIME_ZONE_CHOICES.map((zone) => (
          <Choice key={zone} isChosen={zone === choice} onChoose={() => setChoice(zone)}>
            {zone === 'utc'
              ? t('settings.timeZone.utc')
              : t(`settings.timeZone.${zone}`, { zone: zones[zone] })}
          </Choice>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface ChoiceProps {
  isChosen: boolean;
  onChoose: () => void;
  children: ReactNode;
}

function Choice({ isChosen, onChoose, children }: ChoiceProps) {
  return (
    <Menu.Item
      role="menuitemradio"
      aria-checked={isChosen}
      onClick={onChoose}
      rightSection={isChosen ? <Check size={16} /> : null}
    >
      {children}
    </Menu.Item>
  );
}
