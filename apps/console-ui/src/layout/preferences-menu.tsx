import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import '@mantine/core/styles.layer.css';
import { Settings2 } from 'lucide-react';
import { chooseLanguage, LANGUAGE_NAMES, LANGUAGES, useLanguage } from '../language/language';
import { TIME_ZONE_CHOICES, useTimeZone } from '../time/time-zone-context';
import { type ChineseTexts, defineTexts } from '../language/define-texts';
import { useLayoutTexts } from './layout-texts';

const en = {
  language: 'Language',
  colors: 'Colours',
  'colors.light': 'Light',
  'colors.dark': 'Dark',
  'colors.auto': 'System default',
  timeZone: 'Time zone',
  'timeZone.site': 'Site ({{zone}})',
  'timeZone.browser': 'Browser ({{zone}})',
  'timeZone.utc': 'UTC',
} as const;

const zh: ChineseTexts<typeof en> = {
  language: '语言',
  colors: '颜色',
  'colors.light': '浅色',
  'colors.dark': '深色',
  'colors.auto': '跟随系统',
  timeZone: '时区',
  'timeZone.site': '站点（{{zone}}）',
  'timeZone.browser': '浏览器（{{zone}}）',
  'timeZone.utc': 'UTC',
};

const usePreferenceTexts = defineTexts('preferences-menu', en, zh);

const COLOR_SCHEMES = ['light', 'dark', 'auto'] as const;

/** Language, colours and time zone. They are remembered in this browser. */
export default function PreferencesMenu() {
  const [label, t] = [useLayoutTexts()('settings'), usePreferenceTexts()];
  const { language, setLanguage } = useLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { choice, setChoice, zones } = useTimeZone();
  return (
    <Menu defaultOpened position="bottom-end" width={260}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label}>
          <Settings2 size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('language')}</Menu.Label>
        <Menu.RadioGroup value={language} onChange={(value) => setLanguage(chooseLanguage([value]))}>
          {LANGUAGES.map((one) => (
            <Menu.RadioItem key={one} value={one} lang={one}>
              {LANGUAGE_NAMES[one]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{t('colors')}</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(value) => setColorScheme(COLOR_SCHEMES.find((one) => one === value) ?? 'auto')}
        >
          {COLOR_SCHEMES.map((scheme) => (
            <Menu.RadioItem key={scheme} value={scheme}>
              {t(`colors.${scheme}`)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{t('timeZone')}</Menu.Label>
        <Menu.RadioGroup
          value={choice}
          onChange={(value) => setChoice(TIME_ZONE_CHOICES.find((one) => one === value) ?? 'site')}
        >
          {TIME_ZONE_CHOICES.map((zone) => (
            <Menu.RadioItem key={zone} value={zone}>
              {zone === 'utc' ? t('timeZone.utc') : t(`timeZone.${zone}`, { zone: zones[zone] })}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
