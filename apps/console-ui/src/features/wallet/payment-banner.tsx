import { Button, CloseButton, Group, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { accountKey } from '../../api/account-storage';
import { useConsoleApi } from '../../api/console-api';
import { formatAmount } from '../../figures/format-figure';
import { useLanguage } from '../../language/language';
import { useAccount } from '../../api/account';
import { newestPaymentsQuery, useMarkSeen, useRefreshWallet } from './wallet-queries';
import { useWalletTexts } from './wallet-texts';
import classes from './payment-banner.module.css';
import {
  comparePayments,
  parseRemembered,
  type PaymentNotice,
  type RememberedPayment,
  withoutNotice,
} from './remembered-payments';

const PAYMENT_PAGE = /^\/payments\/([^/]+)/;
const NOTHING: RememberedPayment[] = [];

/** Tells on all pages that a payment waits for its payer, and that its money has arrived. */
export default function PaymentBanner() {
  const { data: account } = useAccount();
  return account && <BannerOf key={account.id} accountId={account.id} />;
}

function BannerOf({ accountId }: { accountId: string }) {
  const t = useWalletTexts();
  const [remembered, setRemembered] = useLocalStorage({
    key: accountKey(accountId, 'payments'),
    defaultValue: NOTHING,
    getInitialValueInEffect: false,
    deserialize: parseRemembered,
  });
  const { pathname } = useLocation();
  const { data } = useQuery(newestPaymentsQuery(useConsoleApi()));
  const markSeen = useMarkSeen();
  const openId = PAYMENT_PAGE.exec(pathname)?.[1];
  const compared = data && comparePayments(remembered, data, openId);
  const next = compared ? JSON.stringify(compared.remembered) : undefined;
  useEffect(() => {
    if (next !== undefined && next !== JSON.stringify(remembered)) setRemembered(parseRemembered(next));
  }, [next, remembered, setRemembered]);
  const arrived = compared?.notices.filter(({ kind }) => kind !== 'pending') ?? [];
  useRefreshOn(arrived.map(({ payment }) => payment.id).join(' '));
  return (
    <section aria-label={t('banner')}>
      <div role="status">
        {compared?.notices.map((notice) => (
          <Notice
            key={notice.payment.id}
            notice={notice}
            onClose={() =>
              notice.kind === 'late'
                ? markSeen.mutate(notice.payment.id)
                : setRemembered(withoutNotice(compared.remembered, notice))
            }
          />
        ))}
      </div>
    </section>
  );
}

/** The money of the payments has arrived: the balance on the screen is old. */
function useRefreshOn(arrivedIds: string) {
  const refresh = useRefreshWallet();
  useEffect(() => {
    if (arrivedIds !== '') refresh();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `refresh` is a new function each time
  }, [arrivedIds]);
}

function Notice({ notice: { kind, payment }, onClose }: { notice: PaymentNotice; onClose: () => void }) {
  const t = useWalletTexts();
  const { language } = useLanguage();
  const amount = formatAmount(payment.amount, payment.currency, language);
  return (
    <div className={classes.notice} data-kind={kind}>
      <Group gap="sm" wrap="nowrap" justify="space-between">
        <Group gap="xs">
          <Text size="md">{t(`banner.${kind}`, { amount })}</Text>
          <Button component={Link} to={`/payments/${payment.id}`} size="compact-md" variant="default">
            {t(kind === 'pending' ? 'banner.goOn' : 'banner.show')}
          </Button>
        </Group>
        <CloseButton aria-label={t('banner.close', { amount })} onClick={onClose} />
      </Group>
    </div>
  );
}
