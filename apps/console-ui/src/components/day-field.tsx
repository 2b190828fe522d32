import { DateInput } from '@mantine/dates';
import '@mantine/dates/styles.layer.css';
import 'dayjs/locale/zh-cn';
import { type ReactNode } from 'react';
import { type ChineseTexts, defineTexts } from '../language/define-texts';
import { useLanguage } from '../language/language';
import { isDay } from '../time/calendar-day';

const en = {
  previous: 'Previous month',
  next: 'Next month',
  years: 'Choose a month',
  clear: 'Clear the date',
} as const;

const zh: ChineseTexts<typeof en> = {
  previous: '上个月',
  next: '下个月',
  years: '选择月份',
  clear: '清除日期',
};

const useDayTexts = defineTexts('day-field', en, zh);

/** As `formatDay` writes days. */
const FORMATS = { en: 'MMM D, YYYY', 'zh-CN': 'YYYY-MM-DD' } as const;
const MONTH_FORMATS = { en: 'MMMM YYYY', 'zh-CN': 'YYYY年M月' } as const;
const LOCALES = { en: 'en', 'zh-CN': 'zh-cn' } as const;

interface Props {
  label: string;
  description?: string;
  /** Such as `2026-03-08`; empty: none. */
  value?: string;
  onChange: (day: string) => void;
  error?: ReactNode;
  required?: boolean;
  /** Offers a button that empties the field. */
  isClearable?: boolean;
}

/** A day of the calendar in the language of the page. It can be typed as `2026-03-08` in every language. */
export function DayField({ value = '', onChange, isClearable = false, ...input }: Props) {
  const t = useDayTexts();
  const { language } = useLanguage();
  return (
    <DateInput
      {...input}
      value={value || null}
      onChange={(day) => onChange(day ?? '')}
      valueFormat={FORMATS[language]}
      locale={LOCALES[language]}
      monthLabelFormat={MONTH_FORMATS[language]}
      // Days of other months and coloured weekends have too little contrast.
      hideOutsideDates
      weekendDays={[]}
      placeholder="2026-03-08"
      dateParser={(text) => (isDay(text.trim()) ? text.trim() : null)}
      clearable={isClearable}
      clearButtonProps={{ 'aria-label': t('clear') }}
      popoverProps={{ withinPortal: true }}
      ariaLabels={{
        previousMonth: t('previous'),
        nextMonth: t('next'),
        monthLevelControl: t('years'),
      }}
    />
  );
}
