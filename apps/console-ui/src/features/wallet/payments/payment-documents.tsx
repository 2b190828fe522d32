import { Button, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { FileText } from 'lucide-react';
import { useState } from 'react';
import { useConsoleApi } from '../../../api/console-api';
import { QueryState } from '../../../components/query-state';
import { useSite } from '../../../site/site';
import { useWalletTexts } from '../texts/wallet-texts';
import { invoicesQuery, type Payment } from '../wallet-queries';
import { DownloadButton } from './download-button';
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
