import { Group, TextInput } from '@mantine/core';
import { useUncontrolled } from '@mantine/hooks';
import { type ReactNode, useRef, useState } from 'react';
import { type ChineseTexts, defineTexts } from '../language/define-texts';
import { typedTime } from '../time/typed-day';
import { DayField } from './day-field';
import { useHeldForm } from './held-form';

const en = {
  time: 'Time',
  timeOf: '{{label}}: time',
  unread: 'Enter the time as {{example}}.',
} as const;

const zh: ChineseTexts<typeof en> = {
  time: '时间',
  timeOf: '{{label}}：时间',
  unread: '请按 {{example}} 的格式输入时间。',
};

const useMomentTexts = defineTexts('moment-field', en, zh);

const EXAMPLE = '09:30';
const MIDNIGHT = '00:00';

interface Props {
  label: string;
  description?: string;
  /** Such as `2026-03-08T09:30`, in a time zone that the label or the description names; empty: none. */
  value?: string;
  defaultValue?: string;
  onChange?: (moment: string) => void;
  error?: ReactNode;
  flex?: string;
}

/** A day and a time, as the language of the page writes them; a day alone begins at midnight. */
export default function MomentField({ label, description, error, flex, ...input }: Props) {
  const t = useMomentTexts();
  const [moment, setMoment] = useUncontrolled({ ...input, finalValue: '' });
  const [day = '', time = ''] = moment.split('T');
  /** What is typed as the time, until it is left. */
  const [typed, setTyped] = useState<string>();
  const [isUnread, setIsUnread] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const isUnreadable = typed !== undefined && typedTime(typed) === null;
  useHeldForm(field, () => {
    if (isUnreadable) setIsUnread(true);
    // Without a day there is no time to mend.
    return day !== '' && (isUnread || isUnreadable);
  });
  const change = (changed: { day?: string; time?: string }) => {
    const next = { day, time, ...changed };
    setMoment(next.day && `${next.day}T${next.time || MIDNIGHT}`);
  };
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap" {...(flex !== undefined && { flex })}>
      <DayField
        flex={1}
        // Both fields stand on one line.
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        label={label}
        {...(description !== undefined && { description })}
        value={day}
        onChange={(chosen) => change({ day: chosen })}
        error={error}
        isClearable
      />
      <TextInput
        ref={field}
        flex="0 0 6rem"
        label={t('time')}
        aria-label={t('timeOf', { label })}
        placeholder={EXAMPLE}
        maxLength={EXAMPLE.length}
        disabled={day === ''}
        value={typed ?? time}
        error={isUnread && t('unread', { example: EXAMPLE })}
        onChange={({ currentTarget: { value: text } }) => {
          setTyped(text);
          setIsUnread(false);
          const read = typedTime(text);
          if (read !== null) change({ time: read });
        }}
        onBlur={() => {
          setIsUnread(isUnreadable);
          setTyped(undefined);
        }}
      />
    </Group>
  );
}
