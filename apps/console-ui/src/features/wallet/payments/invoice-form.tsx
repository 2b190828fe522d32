import { Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { showFieldErrors } from '../../../components/errors/form-errors';
import { useWalletTexts } from '../texts/wallet-texts';
import { useOrderInvoice } from '../wallet-queries';

const TYPES = ['company', 'personal'] as const;

export function InvoiceForm({ paymentId, onClose }: { paymentId: string; onClose: () => void }) {
  const t = useWalletTexts();
  const order = useOrderInvoice();
  const [failure, setFailure] = useState<unknown>();
  const form = useForm({
    initialValues: { type: 'company' as (typeof TYPES)[number], title: '', tax_id: '', email: '' },
    validate: {
      title: (value) => (value.trim() ? null : t('invoice.title.missing')),
      tax_id: (value, { type }) => (type === 'personal' || value.trim() ? null : t('invoice.taxId.missing')),
    },
  });
  const submit = ({ type, ...values }: typeof form.values) => {
    setFailure(undefined);
    const [title, taxId, email] = [values.title.trim(), values.tax_id.trim(), values.email.trim()];
    order.mutate(
      {
        payment_id: paymentId,
        type,
        title,
        ...(type === 'company' && { tax_id: taxId }),
        ...(email && { email }),
      },
      { onSuccess: onClose, onError: (error) => setFailure(showFieldErrors(form, error)) },
    );
  };
  return (
    <Modal opened onClose={onClose} title={t('invoice.order')}>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack>
          {failure !== undefined && <ErrorNotice error={failure} />}
          <Radio.Group label={t('invoice.type')} {...form.getInputProps('type')}>
            <Group mt="xs">
              {TYPES.map((type) => (
                <Radio key={type} value={type} label={t(`invoice.type.${type}`)} />
              ))}
            </Group>
          </Radio.Group>
          <TextInput
            label={t('invoice.title')}
            required
            maxLength={200}
            data-autofocus
            {...form.getInputProps('title')}
          />
          {form.values.type === 'company' && (
            <TextInput label={t('invoice.taxId')} required {...form.getInputProps('tax_id')} />
          )}
          <TextInput
            label={t('invoice.email')}
            description={t('invoice.email.hint')}
            type="email"
            autoComplete="email"
            {...form.getInputProps('email')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('cancel')}
            </Button>
            <Button type="submit" loading={order.isPending}>
              {t('invoice.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
