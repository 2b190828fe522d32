import { DateInput, type DateInputProps } from '@mantine/dates';
import '@mantine/dates/styles.layer.css';
import 'dayjs/locale/zh-cn';
import { type ReactNode, useRef, useState } from 'react';
import { type ChineseTexts, defineTexts } from '../language/define-texts';
import { useLanguage } from '../language/language';
import { formatDay } from '../time/calendar-day';
import { typedDay } from '../time/typed-day';
import { useHeldForm } from './held-form';

const en = {
  previous: 'Previous month',
  next: 'Next month',
  years: 'Choose a month',
  clear: 'Clear the date',
  unread: 'Enter the date as {{example}}.',
} as const;

const zh: ChineseTexts<typeof en> = {
  previous: '上个月',
  next: '下个月',
  years: '选择月份',
  clear: '清除日期',
  unread: '请按 {{example}} 的格式输入日期。',
};

const useDayTexts = defineTexts('day-field', en, zh);

/** As `formatDay` writes days. */
const FORMATS = { en: 'MMM D, YYYY', 'zh-CN': 'YYYY-MM-DD' } as const;
const MONTH_FORMATS = { en: 'MMMM YYYY', 'zh-CN': 'YYYY年M月' } as const;
const LOCALES = { en: 'en', 'zh-CN': 'zh-cn' } as const;

interface Props extends Pick<DateInputProps, 'flex' | 'inputWrapperOrder'> {
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

const EXAMPLE = '2026-03-08';

/**
 * A day of the calendar, chosen or typed: as the language of the page writes days, or as `2026-03-08`. What is no day, or could be
 * two, is refused with an example, and the form around it is not sent.
 */
export function DayField({ value = '', onChange, error, isClearable = false, ...input }: Props) {
  const t = useDayTexts();
  const { language } = useLanguage();
  const [isUnread, setIsUnread] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const example = formatDay(EXAMPLE, language);
  const field = useRef<HTMLInputElement>(null);
  const isUnreadable = (typed: string) => typed.trim() !== '' && typedDay(typed, language) === null;
  useHeldForm(field, (typed) => {
    if (isUnreadable(typed)) setIsUnread(true);
    return isUnread || isUnreadable(typed);
  });
  return (
    <DateInput
      {...input}
      ref={field}
      value={value || null}
      onChange={(day) => {
        setIsUnread(false);
        onChange(day ?? '');
      }}
      // The field shows its former day again.
      onBlur={({ currentTarget: { value: typed } }) => setIsUnread(isUnreadable(typed))}
      error={error ?? (isUnread ? t('unread', { example }) : undefined)}
      valueFormat={FORMATS[language]}
      locale={LOCALES[language]}
      monthLabelFormat={MONTH_FORMATS[language]}
      // Days of other months and coloured weekends have too little contrast.
      hideOutsideDates
      weekendDays={[]}
      // In red it would look like a day that was entered.
      {...(!isUnread && { placeholder: example })}
      dateParser={(text) => typedDay(text, language)}
      clearable={isClearable}
      clearButtonProps={{ 'aria-label': t('clear') }}
      popoverProps={{
        withinPortal: true,
        onOpen: () => setIsOpen(true),
        onClose: () => setIsOpen(false),
      }}
      // Escape closes the calendar, and not the dialog around it.
      {...(isOpen && { 'data-mantine-stop-propagation': 'true' })}
      ariaLabels={{
        previousMonth: t('previous'),
        nextMonth: t('next'),
        monthLevelControl: t('years'),
      }}
    />
  );
}
