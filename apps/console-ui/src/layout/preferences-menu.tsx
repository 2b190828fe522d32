import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import '@mantine/core/styles.layer.css';
import { Settings2 } from 'lucide-react';
import { chooseLanguage, LANGUAGE_NAMES, LANGUAGES, useLanguage } from '../language/language';
import { TIME_ZONE_CHOICES, useTimeZone } from '../time/time-zone-context';
import { useLayoutTexts } from './layout-texts';

const COLOR_SCHEMES = ['light', 'dark', 'auto'] as const;

/** Language, colours and time zone. They are remembered in this browser. */
export default function PreferencesMenu() {
  const t = useLayoutTexts();
  const { language, setLanguage } = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { choice, setChoice, zones } = useTimeZone();
  return (
    <Menu defaultOpened position="bottom-end" width={260}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('settings')}>
          <Settings2 size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('settings.language')}</Menu.Label>
        <Menu.RadioGroup value={language} onChange={(value) => setLanguage(chooseLanguage([value]))}>
          {LANGUAGES.map((one) => (
            <Menu.RadioItem key={one} value={one} lang={one}>
              {LANGUAGE_NAMES[one]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{t('settings.colors')}</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(value) => setColorScheme(COLOR_SCHEMES.find((one) => one === value) ?? 'auto')}
        >
          {COLOR_SCHEMES.map((scheme) => (
            <Menu.RadioItem key={scheme} value={scheme}>
              {t(`settings.colors.${scheme}`)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{t('settings.timeZone')}</Menu.Label>
        <Menu.RadioGroup
          value={choice}
          onChange={(value) => setChoice(TIME_ZONE_CHOICES.find((one) => one === value) ?? 'site')}
        >
          {TIME_ZONE_CHOICES.map((zone) => (
            <Menu.RadioItem key={zone} value={zone}>
              {zone === 'utc'
                ? t('settings.timeZone.utc')
                : t(`settings.timeZone.${zone}`, { zone: zones[zone] })}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
