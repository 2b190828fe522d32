import { Alert, Anchor, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { CircleCheck, FileText, Info } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { type Column, DataTable } from '../../components/data-table';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Amount } from '../../figures/figure-text';
import { useSite } from '../../api/site';
import { Time } from '../../time/time';
import { CodeCheckout } from './code-checkout';
import { DownloadButton, InvoiceForm } from './payment-documents';
import { PaymentDetails } from './payment-parts';
import {
  invoicesQuery,
  isLate,
  type Payment,
  paymentQuery,
  type PaymentRefund,
  timeLeft,
  useMarkSeen,
  useRefreshWallet,
} from './wallet-queries';
import { useWalletTexts } from './wallet-texts';

export function PaymentPage() {
  const t = useWalletTexts();
  const { paymentId } = useParams({ from: '/console/payments/$paymentId' });
  const query = useQuery(paymentQuery(useConsoleApi(), paymentId));
  useRefreshOnChange(query.data);
  useSeenHere(query.data);
  return (
    <Page
      title={t('payment')}
      width="narrow"
      description={
        <Anchor component={Link} to="/payments" inherit>
          {t('payments.back')}
        </Anchor>
      }
    >
      <QueryState query={query}>
        {(payment) => (
          <Stack gap="lg">
            <PaymentProgress payment={payment} />
            <PaymentDetails payment={payment} />
            {payment.refunds.length > 0 && <RefundTable payment={payment} />}
            {payment.status === 'paid' && <PaymentDocuments payment={payment} />}
          </Stack>
        )}
      </QueryState>
    </Page>
  );
}

/** The balance changes with the status and with the refunds. */
function useRefreshOnChange(payment: Payment | undefined) {
  const refresh = useRefreshWallet();
  const state = payment && `${payment.id} ${payment.status} ${payment.refunded_amount.toString()}`;
  const previous = useRef(state);
  useEffect(() => {
    if (previous.current !== undefined && state !== previous.current) refresh();
    previous.current = state;
  });
}

/** This page tells that the money came late: no banner has to. */
function useSeenHere(payment: Payment | undefined) {
  const { mutate } = useMarkSeen();
  const unseenId = payment && isLate(payment) && payment.seen_at === null ? payment.id : undefined;
  useEffect(() => {
    if (unseenId !== undefined) mutate(unseenId);
  }, [unseenId, mutate]);
}

function RefundTable({ payment }: { payment: Payment }) {
  const t = useWalletTexts();
  const columns: Column<PaymentRefund>[] = [
    { key: 'time', title: t('payment.created'), cell: ({ created_at }) => <Time value={created_at} /> },
    {
      key: 'status',
      title: t('payment.status'),
      place: 'status',
      cell: ({ status }) => t(`refund.status.${status}`),
    },
    { key: 'reason', title: t('refund.reason'), cell: ({ reason }) => reason ?? '–' },
    {
      key: 'amount',
      title: t('amount'),
      isNumber: true,
      cell: ({ amount }) => <Amount value={amount} currency={payment.currency} />,
    },
  ];
  return (
    <Stack component="section" gap="sm">
      <Title order={2}>{t('refunds')}</Title>
      <DataTable label={t('refunds')} columns={columns} rows={payment.refunds} keyOf={({ id }) => id} />
    </Stack>
  );
}

/** The receipt of a payment, or at the China site its invoice. */
function PaymentDocuments({ payment }: { payment: Payment }) {
  const t = useWalletTexts();
  const { region } = useSite();
  return (
    <Paper withBorder p="lg" component="section">
      <Stack gap="sm" align="flex-start">
        <Title order={2}>{t('documents')}</Title>
        {region === 'cn' ? (
          <InvoiceOf payment={payment} />
        ) : (
          <DownloadButton kind="receipts" paymentId={payment.id} text={t('receipt.download')} />
        )}
      </Stack>
    </Paper>
  );
}

function InvoiceOf({ payment }: { payment: Payment }) {
  const t = useWalletTexts();
  const query = useQuery(invoicesQuery(useConsoleApi()));
  const [isOrdering, setIsOrdering] = useState(false);
  return (
    <QueryState query={query}>
      {(invoices) => {
        const invoice = invoices.find(({ payment_id: id }) => id === payment.id);
        if (invoice)
          return (
            <Stack gap="xs" align="flex-start">
              <Text size="md" fw={500}>
                {t('invoice.number', { number: invoice.number })}
              </Text>
              <Text size="sm" c="dimmed">
                {t(`invoice.status.${invoice.status}`)} · {invoice.title}
              </Text>
              <DownloadButton kind="invoices" paymentId={payment.id} text={t('invoice.download')} />
            </Stack>
          );
        return (
          <Stack gap="xs" align="flex-start">
            <Text size="md">{t('invoice.text')}</Text>
            <Button
              variant="default"
              leftSection={<FileText size={16} />}
              disabled={!payment.refunded_amount.isZero}
              onClick={() => setIsOrdering(true)}
            >
              {t('invoice.order')}
            </Button>
            {isOrdering && <InvoiceForm payments={[payment]} onClose={() => setIsOrdering(false)} />}
          </Stack>
        );
      }}
    </QueryState>
  );
}

const TICK_MILLIS = 1000;

/** What the payer does now, or what came of it. */
function PaymentProgress({ payment }: { payment: Payment }) {
  const t = useWalletTexts();
  const { status } = payment;
  return (
    <div aria-live="polite">
      {status === 'pending' && <Pending payment={payment} />}
      {status === 'paid' && (
        <Alert variant="default" icon={<CircleCheck size={18} />} title={t('paid.title')}>
          <Stack gap="sm" align="flex-start">
            <Text size="md">{t(isLate(payment) ? 'paid.late' : 'paid.text')}</Text>
            <Button component={Link} to="/overview" size="xs" variant="default">
              {t('paid.overview')}
            </Button>
          </Stack>
        </Alert>
      )}
      {(status === 'failed' || status === 'expired') && (
        <Alert variant="default" icon={<Info size={18} />} title={t('ended.title')}>
          <Stack gap="sm" align="flex-start">
            <Text size="md">{t('ended.text')}</Text>
            <Button component={Link} to="/top-up" size="xs" variant="default">
              {t('ended.again')}
            </Button>
          </Stack>
        </Alert>
      )}
    </div>
  );
}

function Pending({ payment: { checkout, provider } }: { payment: Payment }) {
  const t = useWalletTexts();
  return (
    <Paper withBorder p="lg" component="section">
      <Stack align="center" gap="sm" ta="center">
        <Title order={2}>{t('pending.title')}</Title>
        {checkout?.type === 'qr' && <CodeCheckout provider={provider} code={checkout.url} />}
        {checkout?.type === 'redirect' && (
          <Button component="a" href={checkout.url}>
            {t('pending.pay')}
          </Button>
        )}
        {checkout && <TimeLeft until={checkout.expires_at} />}
        <Text size="sm" c="dimmed">
          {t('pending.text')}
        </Text>
      </Stack>
    </Paper>
  );
}

function TimeLeft({ until }: { until: string }) {
  const t = useWalletTexts();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MILLIS);
    return () => clearInterval(timer);
  }, []);
  const left = timeLeft(until, now);
  if (left === undefined) return <Text size="md">{t('pending.late')}</Text>;
  return (
    // A screen reader would say every second.
    <Group gap={4} aria-live="off" role="timer">
      <Text span size="md">
        {t('pending.left')}
      </Text>
      <Text span size="md" fw={600} className="figure">
        {left}
      </Text>
    </Group>
  );
}
