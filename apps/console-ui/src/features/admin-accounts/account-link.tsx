import { Anchor, TextInput } from '@mantine/core';
import { useQueries, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { SupportFacts, useErrorMessage } from '../../components/error-notice';
import { toApiError } from '../../api/api-error';
import { useMay } from '../../api/account';
import { useConsoleApi } from '../../api/console-api';
import { ACCOUNT_NUMBER } from '../admin-payments/payment-search';
import { accountEmailsQuery, accountByIdentifierQuery } from './account-queries';
import { useAdminAccountTexts } from './admin-account-texts';

/** The most accounts that one call names. */
const MOST_IDS = 100;
const ACCOUNTS_ROUTE = 'GET /api/admin/accounts';

/** E-mail addresses of accounts by their ids; those that are not read yet are absent. The ids of a list that grows keep their order. */
export function useAccountEmails(ids: (string | null)[]): Map<string, string> {
  const api = useConsoleApi();
  const wanted = [...new Set(ids.filter((id) => id !== null))];
  const chunks = Array.from({ length: Math.ceil(wanted.length / MOST_IDS) }, (_, index) =>
    wanted.slice(index * MOST_IDS, (index + 1) * MOST_IDS),
  );
  const isAllowed = useMay()(ACCOUNTS_ROUTE);
  return useQueries({
    queries: chunks.map((chunk) => ({ ...accountEmailsQuery(api, chunk), enabled: isAllowed })),
    combine: (results) => new Map(results.flatMap(({ data }) => [...(data ?? [])])),
  });
}

/** Names an account by its address and leads to its page. For a role that may not read accounts, and until the address is known, it is the id. */
export function AccountLink({ id, emails }: { id: string; emails: Map<string, string> }) {
  if (!useMay()(ACCOUNTS_ROUTE)) return <span translate="no">{emails.get(id) ?? id}</span>;
  return (
    <Anchor component={Link} to={`/admin/accounts/${id}`} inherit translate="no" title={id}>
      {emails.get(id) ?? id}
    </Anchor>
  );
}

interface FieldProps {
  /** The name of the field, unless it is the account that a row belongs to. */
  label?: string;
  /** The id of the chosen account. */
  account: string | undefined;
  onChange: (account: string | undefined) => void;
}

/** Limits a list to one account, by its e-mail address, another name that it signs in with, or its id. An empty field shows all. */
export function AccountField({ account, ...input }: FieldProps) {
  const emails = useAccountEmails([account ?? null]);
  const name = account && (emails.get(account) ?? account);
  return <AccountInput key={name} name={name ?? ''} {...input} />;
}

function AccountInput({ name, label, onChange }: { name: string } & Omit<FieldProps, 'account'>) {
  const t = useAdminAccountTexts();
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  const messageOf = useErrorMessage();
  const [text, setText] = useState(name);
  const [fault, setFault] = useState<ReactNode>();
  const apply = async () => {
    const typed = text.trim();
    if (typed === name) return;
    if (typed === '' || ACCOUNT_NUMBER.test(typed)) return onChange(typed || undefined);
    try {
      const found = await queryClient.fetchQuery(accountByIdentifierQuery(api, typed));
      if (found) onChange(found.id);
      else setFault(t('field.unknown'));
    } catch (thrown) {
      const error = toApiError(thrown);
      setFault(
        <>
          {messageOf(error)}
          <SupportFacts requestId={error.requestId} />
        </>,
      );
    }
  };
  return (
    <TextInput
      label={label ?? t('account')}
      placeholder={t('field.placeholder')}
      spellCheck={false}
      value={text}
      error={fault}
      onChange={(event) => {
        setText(event.currentTarget.value);
        setFault(undefined);
      }}
      onBlur={() => void apply()}
      onKeyDown={(event) => event.key === 'Enter' && void apply()}
    />
  );
}
