import { Alert, PasswordInput, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { type ChangeEvent, type ReactNode, useRef, useState } from 'react';
import { toApiError } from '../../api/api-error';
import { newIdempotencyKey } from '../../api/console-api';
import { FormDialog } from '../../components/dialogs';
import { AmountField, useAmountSyntaxError } from '../../components/amount-field';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { Fact, Facts } from '../../components/facts';
import { Amount } from '../../figures/figure-text';
import { formatAmountAndCurrency, formatAmount } from '../../figures/format-figure';
import { PAYMENT_DECIMALS } from '../../figures/typed-amount';
import { useLanguage } from '../../language/language';
import { useAccount } from '../../api/account';
import {
  type Account,
  adjustmentIn,
  ROLES,
  useAdjustBalance,
  useChangeRole,
  useOpenView,
} from './account-queries';
import { useAdminAccountTexts } from './admin-account-texts';

const MAX_REASON_CHARS = 500;
const CONFLICT = 409;

/** Asks why, and shows the console of the customer in this tab. */
export function ViewDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const t = useAdminAccountTexts();
  const open = useOpenView(account.id);
  const form = useForm({
    initialValues: { reason: '' },
    validate: { reason: (value) => (value.trim() ? null : t('suspend.reason.missing')) },
  });
  return (
    <FormDialog
      title={t('view.title', { name: account.email })}
      submitText={t('view.begin')}
      isPending={open.isPending}
      onSubmit={form.onSubmit(({ reason }) => open.mutate({ reason: reason.trim() }))}
      onClose={onClose}
    >
      {open.error && <ErrorNotice error={open.error} />}
      <Text size="md">{t('view.text')}</Text>
      <Textarea
        label={t('suspend.reason')}
        description={t('suspend.reason.hint')}
        maxLength={MAX_REASON_CHARS}
        autosize
        minRows={2}
        required
        data-autofocus
        {...form.getInputProps('reason')}
      />
    </FormDialog>
  );
}

export function AdjustmentDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const t = useAdminAccountTexts();
  const syntaxError = useAmountSyntaxError();
  const { language } = useLanguage();
  const adjustment = useAdjustBalance(account.id);
  const [failure, setFailure] = useState<unknown>();
  // A second click or a lost answer must not adjust twice; a changed form is another adjustment.
  const attempt = useRef({ form: '', key: '' });
  const { balance, currency, email } = account;
  const form = useForm({
    initialValues: { amount: '', description: '' },
    validate: {
      amount: (value) =>
        syntaxError(value, PAYMENT_DECIMALS) ?? (adjustmentIn(value) ? null : t('adjust.amount.invalid')),
      description: (value) => (value.trim() ? null : t('adjust.reason.missing')),
    },
  });
  const amount = adjustmentIn(form.values.amount);
  const submitText = amount
    ? t(amount.isNegative ? 'adjust.deduct' : 'adjust.add', {
        amount: formatAmount(amount.absolute(), currency, language),
      })
    : t('adjust');
  const submit = (values: typeof form.values) => {
    setFailure(undefined);
    const content = { amount: amount!.toString(), description: values.description.trim() };
    const chosen = JSON.stringify(content);
    if (attempt.current.form !== chosen) attempt.current = { form: chosen, key: newIdempotencyKey() };
    adjustment.mutate(
      { ...content, idempotencyKey: attempt.current.key },
      {
        onSuccess: (adjusted) => {
          const text = formatAmountAndCurrency(adjusted.balance, adjusted.currency, language);
          notifications.show({ message: t('adjust.done', { balance: text }) });
          onClose();
        },
        onError: (error) => setFailure(showFieldErrors(form, error)),
      },
    );
  };
  const isNotCovered = failure !== undefined && toApiError(failure).status === CONFLICT;
  return (
    <FormDialog
      title={t('adjust.title', { name: email })}
      submitText={submitText}
      isPending={adjustment.isPending}
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
    >
      {failure !== undefined && (
        <ErrorNotice error={failure} {...(isNotCovered && { message: t('adjust.notCovered') })} />
      )}
      <AmountField
        label={t('adjust.amount')}
        description={t('adjust.amount.hint')}
        inputMode="text"
        required
        data-autofocus
        currency={currency}
        {...form.getInputProps('amount')}
      />
      <TextInput
        label={t('adjust.reason')}
        description={t('adjust.reason.hint')}
        maxLength={MAX_REASON_CHARS}
        required
        {...form.getInputProps('description')}
      />
      <Facts>
        <Fact name={t('adjust.now')}>
          <Amount value={balance} currency={currency} />
        </Fact>
        <Fact name={t('adjust.after')}>
          {amount ? <Amount value={balance.plus(amount)} currency={currency} /> : '–'}
        </Fact>
      </Facts>
    </FormDialog>
  );
}

/** What the signed-in admin confirms a change with: the password; without one a code; without both a recent sign-in. */
type ConfirmationKind = 'password' | 'code' | 'recent';

interface Confirmation {
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

const FORBIDDEN = 403;

export function RoleDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const t = useAdminAccountTexts();
  const change = useChangeRole(account.id);
  const kind = useConfirmationKind();
  const form = useForm({
    initialValues: { role: account.role, secret: '' },
    validate: { secret: (value) => (value || kind === 'recent' ? null : t(`confirm.${kind}.missing`)) },
  });
  const submit = ({ role, secret }: typeof form.values) =>
    change.mutate(
      { role, ...confirmationOf(kind, secret) },
      {
        onSuccess: () => {
          notifications.show({ message: t('changeRole.done') });
          onClose();
        },
      },
    );
  const status = change.error && toApiError(change.error).status;
  const { role } = form.values;
  const isUnproven = !account.email_verified && role !== 'user';
  return (
    <FormDialog
      title={t('changeRole.title', { name: account.email })}
      submitText={t('changeRole')}
      isDisabled={role === account.role || isUnproven}
      isPending={change.isPending}
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
    >
      {change.error && (
        <ErrorNotice
          error={change.error}
          {...(status === CONFLICT && { message: t('changeRole.last') })}
          {...(status === FORBIDDEN && { message: t(`confirm.${kind}.refused`) })}
        />
      )}
      <Radio.Group label={t('role')} {...form.getInputProps('role')}>
        <Stack gap="xs" mt="xs">
          {ROLES.map((value) => (
            <Radio
              key={value}
              value={value}
              label={t(`role.${value}`)}
              description={t(`role.${value}.hint`)}
            />
          ))}
        </Stack>
      </Radio.Group>
      <Text size="md">{t('changeRole.text')}</Text>
      {isUnproven && <Alert color="yellow">{t('changeRole.unverified')}</Alert>}
      <ConfirmationField kind={kind} {...form.getInputProps('secret')} />
    </FormDialog>
  );
}
