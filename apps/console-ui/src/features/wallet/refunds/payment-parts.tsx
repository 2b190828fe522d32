import { Link } from '@tanstack/react-router';
import { PartLinks } from '../../../components/part-links';
import { useWalletTexts } from '../wallet-texts';

export function PaymentParts() {
  const t = useWalletTexts();
  return (
    <PartLinks label={t('payments')}>
      <Link to="/payments" activeOptions={{ exact: true }}>
        {t('payments')}
      </Link>
      <Link to="/payments/refunds">{t('refunds')}</Link>
    </PartLinks>
  );
}
