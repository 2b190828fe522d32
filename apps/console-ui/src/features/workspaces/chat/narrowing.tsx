import { Group, Select, TextInput } from '@mantine/core';
import { DayField } from '../../../components/day-field';
import { useChatTexts } from './chat-texts';
import { type Conditions, isPeriodReversed } from './conditions';

const TIMES = ['created', 'updated'] as const;

interface Props {
  conditions: Conditions;
  onChange: (conditions: Conditions) => void;
}

/** Restricts a question to documents of a time or with a value in their metadata. Loaded when it is opened: the calendar is large. */
export default function Narrowing({ conditions, onChange }: Props) {
  const t = useChatTexts();
  const change = (part: Partial<Conditions>) => onChange({ ...conditions, ...part });
  return (
    <>
      <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
        <Select
          label={t('narrow.time')}
          data={TIMES.map((value) => ({ value, label: t(`narrow.${value}`) }))}
          value={conditions.time}
          onChange={(time) => change({ time: time === 'updated' ? 'updated' : 'created' })}
          allowDeselect={false}
        />
        <DayField
          label={t('narrow.from')}
          value={conditions.from}
          onChange={(from) => change({ from })}
          isClearable
        />
        <DayField
          label={t('narrow.to')}
          value={conditions.to}
          onChange={(to) => change({ to })}
          error={isPeriodReversed(conditions) && t('narrow.reversed')}
          isClearable
        />
      </Group>
      <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
        <TextInput
          label={t('narrow.name')}
          placeholder="team"
          maxLength={64}
          value={conditions.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
        />
        <TextInput
          label={t('narrow.value')}
          description={t('narrow.value.hint')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          placeholder="sales"
          maxLength={512}
          value={conditions.value}
          onChange={(event) => change({ value: event.currentTarget.value })}
        />
      </Group>
    </>
  );
}
