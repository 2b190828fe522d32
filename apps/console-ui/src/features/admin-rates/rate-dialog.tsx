import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { ErrorNotice } from '../../components/errors/error-notice';
import { Figure } from '../../figures/figure';
import { RateDifference } from './rate-difference';
import { type Rate, useStoreRate } from './rate-queries';
import { useAdminRatesTexts } from './texts/admin-rates-texts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DECIMALS = 10;

const isRate = (text: string): boolean => {
  const rate = Figure.parse(text.trim());
  if (!rate || rate.isNegative || rate.isZero) return false;
  return (rate.toString().split('.')[1] ?? '').length <= DECIMALS;
};

/** Asks for a rate, shows the difference, and stores it when that is confirmed. `rates`: newest day first. */
export function RateDialog({ rates, onClose }: { rates: Rate[]; onClose: () => void }) {
  const t = useAdminRatesTexts();
  const store = useStoreRate();
  const [isChecked, setIsChecked] = useState(false);
  const form = useForm({
    initialValues: { date: new Date().toISOString().slice(0, 10), rate: '' },
    validate: {
      date: (date) => (DAY.test(date) ? null : t('date.invalid')),
      rate: (rate) => (isRate(rate) ? null : t('rate.invalid')),
    },
  });
  const submit = ({ date, rate }: typeof form.values) => {
    if (!isChecked) return setIsChecked(true);
    store.mutate(
      { date, usd_per_unit: Figure.of(rate.trim()) },
      {
        onSuccess: () => {
          notifications.show({ message: t('stored', { date }) });
          onClose();
        },
      },
    );
  };
  const { date, rate } = form.values;
  return (
    <Modal opened onClose={onClose} title={t('set')} closeOnClickOutside={false}>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack>
          {store.error && <ErrorNotice error={store.error} />}
          {isChecked ? (
            <>
              <Text>{t('confirm.text', { date })}</Text>
              <RateDifference
                before={rates.find((one) => one.date <= date)?.usd_per_unit}
                after={Figure.of(rate.trim())}
              />
            </>
          ) : (
            <>
              <TextInput
                type="date"
                label={t('date')}
                description={t('date.hint')}
                required
                {...form.getInputProps('date')}
              />
              <TextInput
                label={t('rate')}
                description={t('rate.hint')}
                inputMode="decimal"
                required
                data-autofocus
                {...form.getInputProps('rate')}
              />
            </>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={isChecked ? () => setIsChecked(false) : onClose}>
              {isChecked ? t('back') : t('cancel')}
            </Button>
            <Button type="submit" loading={store.isPending}>
              {isChecked ? t('confirm') : t('check')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
