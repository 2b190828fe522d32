import { PasswordInput, TextInput } from '@mantine/core';
import { type ChangeEvent, type ReactNode } from 'react';
import { useAccount } from '../../../session/account';
import { useAdminAccountTexts } from '../admin-account-texts';

/** What the signed-in admin confirms a change with: the password; without one a code; without both a recent sign-in. */
export type ConfirmationKind = 'password' | 'code' | 'recent';

export interface Confirmation {
  password?: string;
  code?: string;
}

export function useConfirmationKind(): ConfirmationKind {
  const { data } = useAccount();
  if (!data || data.has_password) return 'password';
  return data.two_factor_enabled ? 'code' : 'recent';
}

export const confirmationOf = (kind: ConfirmationKind, secret: string): Confirmation =>
  kind === 'recent' ? {} : { [kind]: kind === 'code' ? secret.trim() : secret };

interface Props {
  kind: ConfirmationKind;
  value?: string;
  onChange?: (event: ChangeEvent<HTMLInputElement>) => void;
  error?: ReactNode;
}

export function ConfirmationField({ kind, ...input }: Props) {
  const t = useAdminAccountTexts();
  if (kind === 'recent') return null;
  return kind === 'password' ? (
    <PasswordInput label={t('confirm.password')} autoComplete="current-password" required {...input} />
  ) : (
    <TextInput
      label={t('confirm.code')}
      autoComplete="one-time-code"
      spellCheck={false}
      required
      {...input}
    />
  );
}
