import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useAdminPaymentTexts } from './admin-payment-texts';
import { ACCOUNT_NUMBER } from './payment-search';

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
