import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useRef, useState } from 'react';
import { toApiError } from '../../api/api-error';
import { newIdempotencyKey } from '../../api/idempotency-key';
import { ErrorNotice } from '../../components/errors/error-notice';
import { showFieldErrors } from '../../components/errors/form-errors';
import { Figure } from '../../figures/figure';
import { formatPrice, symbolOf } from '../../figures/format-figure';
import { useLanguage } from '../../language/language-context';
import { payableAmount } from '../wallet/top-up/top-up-amount';
import { type AdminPayment, useRefund } from './payment-queries';
import { useAdminPaymentTexts } from './texts/admin-payment-texts';

const LEAST = Figure.of('0.01');
const MAX_REASON_CHARS = 200;
const CONFLICT = 409;

/** Gives the payment back, whole or in part. */
export function RefundDialog({ payment, onClose }: { payment: AdminPayment; onClose: () => void }) {
  const t = useAdminPaymentTexts();
  const { language } = useLanguage();
  const refund = useRefund(payment.id);
  const [failure, setFailure] = useState<unknown>();
  // A second click or a lost answer must not refund twice; a changed form is another attempt.
  const attempt = useRef({ form: '', key: '' });
  const { amount: paid, currency } = payment;
  const most = formatPrice(paid, currency, language);
  const form = useForm({
    initialValues: { amount: paid.toString(), reason: '', isChecked: false },
    validate: {
      amount: (value) => (payableAmount(value, LEAST, paid) ? null : t('refund.amount.invalid', { most })),
    },
  });
  const submit = ({ amount, reason }: typeof form.values) => {
    setFailure(undefined);
    const content = {
      amount: payableAmount(amount, LEAST, paid)!,
      ...(reason.trim() && { reason: reason.trim() }),
    };
    const chosen = `${content.amount.toString()} ${reason.trim()}`;
    if (attempt.current.form !== chosen) attempt.current = { form: chosen, key: newIdempotencyKey() };
    refund.mutate(
      { ...content, idempotencyKey: attempt.current.key },
      {
        onSuccess: () => {
          notifications.show({ message: t('refund.done') });
          onClose();
        },
        onError: (error) => setFailure(showFieldErrors(form, error)),
      },
    );
  };
  const isRefused = failure !== undefined && toApiError(failure).status === CONFLICT;
  return (
    <Modal opened onClose={onClose} title={t('refund.title')} closeOnClickOutside={false}>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack>
          {failure !== undefined && (
            <ErrorNotice error={failure} {...(isRefused && { message: t('refund.refused') })} />
          )}
          <Text size="md">{t('refund.text')}</Text>
          <TextInput
            label={t('refund.amount')}
            description={t('refund.amount.hint', { most })}
            inputMode="decimal"
            autoComplete="off"
            required
            data-autofocus
            leftSection={symbolOf(currency)}
            {...form.getInputProps('amount')}
          />
          <TextInput
            label={t('refund.reason')}
            description={t('refund.reason.hint')}
            maxLength={MAX_REASON_CHARS}
            {...form.getInputProps('reason')}
          />
          <Checkbox label={t('refund.check')} {...form.getInputProps('isChecked', { type: 'checkbox' })} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('cancel')}
            </Button>
            <Button type="submit" color="red" disabled={!form.values.isChecked} loading={refund.isPending}>
              {t('refund.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
