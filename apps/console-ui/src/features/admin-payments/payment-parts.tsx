import { Link } from '@tanstack/react-router';
import { PartLinks } from '../../components/part-links';
import { useWalletTexts } from '../wallet/wallet-texts';
import { useAdminPaymentTexts } from './admin-payment-texts';

const EXACT = { exact: true, includeSearch: false };

export function AdminPaymentParts() {
  const [t, walletText] = [useAdminPaymentTexts(), useWalletTexts()];
  return (
    <PartLinks label={t('title')}>
      <Link to="/admin/payments" activeOptions={EXACT}>
        {walletText('payments')}
      </Link>
      <Link to="/admin/payments/refunds" activeOptions={EXACT}>
        {walletText('refunds')}
      </Link>
    </PartLinks>
  );
}
