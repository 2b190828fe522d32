import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Download, FileText } from 'lucide-react';
import { useState } from 'react';
import { useConsoleApi } from '../../../api/console-api';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { QueryState } from '../../../components/query-state';
import { useSite } from '../../../site/site';
import { useWalletTexts } from '../texts/wallet-texts';
import { invoicesQuery, type Payment, useDocumentLink } from '../wallet-queries';
import { InvoiceForm } from './invoice-form';

/** The receipt of a payment, or at the China site its invoice. */
export function PaymentDocuments({ payment }: { payment: Payment }) {
  const t = useWalletTexts();
  const { region } = useSite();
  return (
    <Paper withBorder p="lg" component="section">
      <Stack gap="sm" align="flex-start">
        <Title order={2}>{t('documents')}</Title>
        {region === 'cn' ? (
          <InvoiceOf payment={payment} />
        ) : (
          <DownloadButton kind="receipts" paymentId={payment.id} />
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
              <DownloadButton kind="invoices" paymentId={payment.id} />
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
            {isOrdering && <InvoiceForm paymentId={payment.id} onClose={() => setIsOrdering(false)} />}
          </Stack>
        );
      }}
    </QueryState>
  );
}

function DownloadButton({ kind, paymentId }: { kind: 'receipts' | 'invoices'; paymentId: string }) {
  const t = useWalletTexts();
  const link = useDocumentLink(kind);
  // The answer is a download, which leaves the page where it is.
  const download = () => link.mutate(paymentId, { onSuccess: ({ url }) => window.location.assign(url) });
  return (
    <Stack gap="sm" align="flex-start">
      {link.error && <ErrorNotice error={link.error} />}
      <Group>
        <Button
          variant="default"
          leftSection={<Download size={16} />}
          loading={link.isPending}
          onClick={download}
        >
          {kind === 'receipts' ? t('receipt.download') : t('invoice.download')}
        </Button>
      </Group>
    </Stack>
  );
}
