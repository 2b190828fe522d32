import { TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { PartLinks } from '../../components/part-links';
import { useWalletTexts } from '../wallet/wallet-texts';
import { useAdminPaymentTexts } from './admin-payment-texts';
import { ACCOUNT_NUMBER } from './payment-search';

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

/** Limits a list to one account. A whole account number takes effect at once, an empty field shows all. */
export function AccountField({
  account,
  onChange,
}: {
  account: string | undefined;
  onChange: (account: string | undefined) => void;
}) {
  const t = useAdminPaymentTexts();
  const [text, setText] = useState(account ?? '');
  const isValid = text === '' || ACCOUNT_NUMBER.test(text);
  const apply = () => {
    if (isValid && text !== (account ?? '')) onChange(text || undefined);
  };
  return (
    <TextInput
      label={t('account')}
      placeholder="acct_…"
      spellCheck={false}
      value={text}
      error={!isValid && t('account.invalid')}
      onChange={(event) => setText(event.currentTarget.value.trim())}
      onBlur={apply}
      onKeyDown={(event) => event.key === 'Enter' && apply()}
    />
  );
}
