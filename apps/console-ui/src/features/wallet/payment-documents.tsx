import { Button, Group, Radio, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { FormDialog } from '../../components/dialogs';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { formatAmount } from '../../figures/format-figure';
import { useLanguage } from '../../language/language';
import { formatTime } from '../../time/format-time';
import { useTimeZone } from '../../time/time-zone-context';
import { type Payment, useDocumentLink, useOrderInvoice } from './wallet-queries';
import { useWalletTexts } from './wallet-texts';

const TYPES = ['company', 'personal'] as const;

interface Props {
  /** The payments that may get the invoice. If there are several, the form asks for one. */
  payments: Payment[];
  onClose: () => void;
}

export function InvoiceForm({ payments, onClose }: Props) {
  const t = useWalletTexts();
  const { language } = useLanguage();
  const { timeZone } = useTimeZone();
  const order = useOrderInvoice();
  const choices = payments.map(({ id, amount, currency, created_at }) => ({
    value: id,
    label: `${formatAmount(amount, currency, language)} · ${formatTime(created_at, { language, timeZone })}`,
  }));
  const [failure, setFailure] = useState<unknown>();
  const form = useForm({
    initialValues: {
      payment_id: payments[0]!.id,
      type: 'company' as (typeof TYPES)[number],
      title: '',
      tax_id: '',
      email: '',
    },
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
        payment_id: values.payment_id,
        type,
        title,
        ...(type === 'company' && { tax_id: taxId }),
        ...(email && { email }),
      },
      { onSuccess: onClose, onError: (error) => setFailure(showFieldErrors(form, error)) },
    );
  };
  return (
    <FormDialog
      title={t('invoice.order')}
      closeOnClickOutside
      submitText={t('invoice.submit')}
      isPending={order.isPending}
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
    >
      {failure !== undefined && <ErrorNotice error={failure} />}
      {payments.length > 1 && (
        <Select
          label={t('invoice.payment')}
          data={choices}
          allowDeselect={false}
          required
          {...form.getInputProps('payment_id')}
        />
      )}
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
    </FormDialog>
  );
}

interface DownloadButtonProps {
  kind: 'receipts' | 'invoices';
  paymentId: string;
  text: string;
  /** Name for screen readers where several buttons have the same text. */
  label?: string;
  size?: 'xs' | 'sm';
}

/** Downloads the receipt or the invoice of a payment. */
export function DownloadButton({ kind, paymentId, text, label, size = 'sm' }: DownloadButtonProps) {
  const link = useDocumentLink(kind);
  // The answer is a download, which leaves the page where it is.
  const download = () => link.mutate(paymentId, { onSuccess: ({ url }) => window.location.assign(url) });
  return (
    <Stack gap="sm" align={size === 'xs' ? 'flex-end' : 'flex-start'}>
      {link.error && <ErrorNotice error={link.error} />}
      <Button
        variant="default"
        size={size}
        leftSection={<Download size={16} />}
        loading={link.isPending}
        onClick={download}
        {...(label !== undefined && { 'aria-label': label })}
      >
        {text}
      </Button>
    </Stack>
  );
}
