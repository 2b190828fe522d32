import { Button, Group, Paper, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Plus } from 'lucide-react';
import { symbolOf } from '../../figures/format-figure';
import { useSite } from '../../site/site';
import { keyOfLine, type LineUnit, parsePrice } from './lines/price-line';
import { useAdminPricingTexts } from './texts/admin-pricing-texts';
import { type PriceDraft } from './use-price-draft';

const MODEL_UNITS = [
  'per_million_input_tokens',
  'per_million_output_tokens',
  'per_million_tokens',
  'per_request',
] as const;

/** Adds a price to the draft. */
export function NewLineForm({ kind, draft }: { kind: 'models' | 'gpus'; draft: PriceDraft }) {
  const t = useAdminPricingTexts();
  const { currency } = useSite();
  const form = useForm<{ name: string; unit: LineUnit; price: string }>({
    initialValues: { name: '', unit: kind === 'gpus' ? 'hour' : MODEL_UNITS[0], price: '' },
    validate: {
      name: (name, { unit }) => {
        if (!name.trim()) return t('add.name.missing');
        const isThere = draft.lines.some(
          (line) => keyOfLine(line) === keyOfLine({ name: name.trim(), unit }),
        );
        return isThere ? t('add.name.there') : null;
      },
      price: (price, { unit }) => (parsePrice(price, unit) ? null : t('price.invalid')),
    },
  });
  const submit = ({ name, unit, price }: typeof form.values) => {
    draft.add({ name: name.trim(), unit, price: parsePrice(price, unit)! });
    form.setValues({ name: '', price: '' });
  };
  return (
    <Paper withBorder p="md">
      <form onSubmit={form.onSubmit(submit)} noValidate aria-label={t('add.title')}>
        <Group align="flex-start" gap="sm">
          <TextInput
            label={t(kind === 'gpus' ? 'add.gpu' : 'add.model')}
            maxLength={100}
            flex="1 1 12rem"
            {...form.getInputProps('name')}
          />
          {kind === 'models' && (
            <Select
              label={t('add.unit')}
              allowDeselect={false}
              flex="1 1 12rem"
              data={MODEL_UNITS.map((unit) => ({ value: unit, label: t(`unit.${unit}`) }))}
              {...form.getInputProps('unit')}
            />
          )}
          <TextInput
            label={t('add.price')}
            inputMode="decimal"
            leftSection={symbolOf(currency)}
            flex="1 1 8rem"
            {...form.getInputProps('price')}
          />
          <Button type="submit" variant="default" leftSection={<Plus size={16} />} mt={21}>
            {t('add')}
          </Button>
        </Group>
      </form>
    </Paper>
  );
}
