import { Anchor, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useConsoleApi } from '../../../api/console-api';
import { Page } from '../../../components/page';
import { QueryState } from '../../../components/query-state';
import { useWalletTexts } from '../texts/wallet-texts';
import { type Payment, paymentQuery, useMarkSeen, useRefreshWallet } from '../wallet-queries';
import { PaymentDetails } from './payment-details';
import { PaymentDocuments } from './payment-documents';
import { PaymentProgress } from './payment-progress';
import { isLate } from './payment-state';
import { RefundTable } from './refund-table';

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
