import { Anchor, Button, Checkbox, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { toApiError } from '../../api/api-error';
import { useMay } from '../../api/account';
import { useConsoleApi, newIdempotencyKey } from '../../api/console-api';
import { AmountField, useAmountSyntaxError } from '../../components/amount-field';
import { type Column, DataTable } from '../../components/data-table';
import { FormDialog } from '../../components/dialogs';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Figure } from '../../figures/figure';
import { Amount } from '../../figures/figure-text';
import { formatAmount } from '../../figures/format-figure';
import { PAYMENT_DECIMALS } from '../../figures/typed-amount';
import { useLanguage } from '../../language/language';
import { Time } from '../../time/time';
import { AccountLink, useAccountEmails } from '../admin-accounts/account-link';
import { PaymentDetails } from '../wallet/payment-parts';
import { payableAmount } from '../wallet/wallet-queries';
import { useWalletTexts } from '../wallet/wallet-texts';
import { useAdminPaymentTexts } from './admin-payment-texts';
import { type AdminPayment, anyPaymentQuery, type Refund, useRefund } from './payment-queries';

const LEAST = Figure.of('0.01');
const MAX_REASON_CHARS = 200;
const CONFLICT = 409;

/** Gives the payment back, whole or in part. */
function RefundDialog({ payment, onClose }: { payment: AdminPayment; onClose: () => void }) {
  const t = useAdminPaymentTexts();
  const syntaxError = useAmountSyntaxError();
  const { language } = useLanguage();
  const refund = useRefund(payment.id);
  const [failure, setFailure] = useState<unknown>();
  // A second click or a lost answer must not refund twice; a changed form is another attempt.
  const attempt = useRef({ form: '', key: '' });
  const { amount: paid, currency } = payment;
  const most = formatAmount(paid, currency, language);
  const form = useForm({
    initialValues: { amount: paid.toString(), reason: '', isChecked: false },
    validate: {
      amount: (value) =>
        syntaxError(value, PAYMENT_DECIMALS) ??
        (payableAmount(value, LEAST, paid) ? null : t('refund.amount.invalid', { most })),
    },
  });
  const amount = payableAmount(form.values.amount, LEAST, paid);
  const submit = ({ reason }: typeof form.values) => {
    setFailure(undefined);
    const content = {
      amount: amount!,
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
    <FormDialog
      title={t('refund.title')}
      submitText={
        amount ? t('refund.submit', { amount: formatAmount(amount, currency, language) }) : t('refund')
      }
      isDanger
      isDisabled={!form.values.isChecked}
      isPending={refund.isPending}
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
    >
      {failure !== undefined && (
        <ErrorNotice error={failure} {...(isRefused && { message: t('refund.refused') })} />
      )}
      <Text size="md">{t('refund.text')}</Text>
      <AmountField
        label={t('refund.amount')}
        description={t('refund.amount.hint', { most })}
        required
        data-autofocus
        currency={currency}
        {...form.getInputProps('amount')}
      />
      <TextInput
        label={t('refund.reason')}
        description={t('refund.reason.hint')}
        maxLength={MAX_REASON_CHARS}
        {...form.getInputProps('reason')}
      />
      <Checkbox label={t('refund.check')} {...form.getInputProps('isChecked', { type: 'checkbox' })} />
    </FormDialog>
  );
}

export function AdminPaymentPage() {
  const t = useAdminPaymentTexts();
  const { paymentId } = useParams({ from: '/console/admin/admin/payments/$paymentId' });
  const query = useQuery(anyPaymentQuery(useConsoleApi(), paymentId));
  const [isRefunding, setIsRefunding] = useState(false);
  const mayRefund = useMay()('POST /api/admin/billing/payments/:id/refund');
  return (
    <Page
      title={t('payment')}
      width="narrow"
      description={
        <Anchor component={Link} to="/admin/payments" inherit>
          {t('back')}
        </Anchor>
      }
      actions={
        query.data &&
        mayRefund &&
        mayBeRefunded(query.data) && <Button onClick={() => setIsRefunding(true)}>{t('refund')}</Button>
      }
    >
      <QueryState query={query}>
        {(payment) => (
          <Stack gap="lg">
            <PaymentDetails payment={payment} />
            <Group gap="lg">
              <PaymentAccount id={payment.account_id} />
              {payment.document_number !== null && (
                <span>
                  {t('document')}: {payment.document_number}
                </span>
              )}
            </Group>
            {payment.refunds.length > 0 && <Refunds refunds={payment.refunds} />}
            {isRefunding && <RefundDialog payment={payment} onClose={() => setIsRefunding(false)} />}
          </Stack>
        )}
      </QueryState>
    </Page>
  );
}

function PaymentAccount({ id }: { id: string }) {
  const t = useAdminPaymentTexts();
  const emails = useAccountEmails([id]);
  return (
    <span>
      {t('account.named')}
      <AccountLink id={id} emails={emails} />
    </span>
  );
}

/** Once, unless the attempt failed. */
const mayBeRefunded = ({ status, refunds }: AdminPayment): boolean =>
  status === 'paid' && refunds.every((refund) => refund.status === 'failed');

function Refunds({ refunds }: { refunds: Refund[] }) {
  const [t, walletText] = [useAdminPaymentTexts(), useWalletTexts()];
  const columns: Column<Refund>[] = [
    { key: 'time', title: walletText('payment.created'), cell: ({ created_at: at }) => <Time value={at} /> },
    {
      key: 'status',
      title: t('status'),
      place: 'status',
      cell: ({ status }) => walletText(`refund.status.${status}`),
    },
    { key: 'reason', title: walletText('refund.reason'), cell: ({ reason }) => reason ?? '–' },
    { key: 'failure', title: t('refund.failure'), cell: ({ failure }) => failure ?? '–' },
    {
      key: 'amount',
      title: walletText('amount'),
      isNumber: true,
      cell: ({ amount, currency }) => <Amount value={amount} currency={currency} />,
    },
  ];
  return (
    <Stack component="section" gap="sm">
      <Title order={2}>{walletText('refunds')}</Title>
      <DataTable label={walletText('refunds')} columns={columns} rows={refunds} keyOf={({ id }) => id} />
    </Stack>
  );
}
