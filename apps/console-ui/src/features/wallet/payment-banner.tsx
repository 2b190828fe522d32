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
import { isLate, newestPaymentsQuery, type Payment, useMarkSeen, useRefreshWallet } from './wallet-queries';
import { useWalletTexts } from './wallet-texts';
import classes from './payment-banner.module.css';

/** A payment that this browser has seen unpaid. */
export interface RememberedPayment {
  id: string;
  /** Its owner wants to hear no more of its waiting. */
  isHidden: boolean;
}

interface PaymentNotice {
  /** `late`: paid after the time to pay was over. It is told in every browser until it is closed in one. */
  kind: 'pending' | 'paid' | 'late';
  payment: Payment;
}

/**
 * Compares the newest payments with what this browser remembers.
 *
 * @param openId the payment whose page is open and tells the same
 * @returns what to tell, and what to remember from now on
 */
export function comparePayments(
  remembered: RememberedPayment[],
  payments: Payment[],
  openId: string | undefined,
): { notices: PaymentNotice[]; remembered: RememberedPayment[] } {
  const known = new Map(remembered.map((payment) => [payment.id, payment]));
  const notices: PaymentNotice[] = [];
  const next: RememberedPayment[] = [];
  for (const payment of payments) {
    const { id, status } = payment;
    const before = known.get(id);
    const isOpen = id === openId;
    if (status === 'pending') {
      const isHidden = before?.isHidden ?? false;
      next.push({ id, isHidden });
      if (payment.checkout && !isHidden && !isOpen) notices.push({ kind: 'pending', payment });
    } else if (isLate(payment)) {
      if (payment.seen_at === null && !isOpen) notices.push({ kind: 'late', payment });
    } else if (before && status === 'paid' && !isOpen) {
      next.push(before);
      notices.push({ kind: 'paid', payment });
    }
  }
  return { notices, remembered: next };
}

/** After its notice was closed: waiting is hidden, and an arrival in time is told once. */
export const withoutNotice = (
  remembered: RememberedPayment[],
  { kind, payment: { id } }: PaymentNotice,
): RememberedPayment[] =>
  kind === 'pending'
    ? remembered.map((payment) => (payment.id === id ? { ...payment, isHidden: true } : payment))
    : remembered.filter((payment) => payment.id !== id);

/** What the storage of the browser holds; anybody may have changed it. */
export function parseRemembered(text: string | undefined): RememberedPayment[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(list) ? list.filter(isRemembered) : [];
  } catch {
    return [];
  }
}

const isRemembered = (value: unknown): value is RememberedPayment =>
  typeof value === 'object' && value !== null && 'id' in value && 'isHidden' in value;

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
