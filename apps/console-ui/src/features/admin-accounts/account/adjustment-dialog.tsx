import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useRef, useState } from 'react';
import { toApiError } from '../../../api/api-error';
import { newIdempotencyKey } from '../../../api/idempotency-key';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { showFieldErrors } from '../../../components/errors/form-errors';
import { Fact, Facts } from '../../../components/facts';
import { Amount } from '../../../figures/amount';
import { formatExactAmount, symbolOf } from '../../../figures/format-figure';
import { useLanguage } from '../../../language/language-context';
import { type Account, adjustmentIn, useAdjustBalance } from '../account-queries';
import { useAdminAccountTexts } from '../admin-account-texts';

const MAX_REASON_CHARS = 500;
const CONFLICT = 409;

export function AdjustmentDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const t = useAdminAccountTexts();
  const { language } = useLanguage();
  const adjustment = useAdjustBalance(account.id);
  const [failure, setFailure] = useState<unknown>();
  // A second click or a lost answer must not adjust twice; a changed form is another adjustment.
  const attempt = useRef({ form: '', key: '' });
  const { balance, currency, email } = account;
  const form = useForm({
    initialValues: { amount: '', description: '' },
    validate: {
      amount: (value) => (adjustmentIn(value) ? null : t('adjust.amount.invalid')),
      description: (value) => (value.trim() ? null : t('adjust.reason.missing')),
    },
  });
  const amount = adjustmentIn(form.values.amount);
  const submit = (values: typeof form.values) => {
    setFailure(undefined);
    const content = { amount: amount!.toString(), description: values.description.trim() };
    const chosen = JSON.stringify(content);
    if (attempt.current.form !== chosen) attempt.current = { form: chosen, key: newIdempotencyKey() };
    adjustment.mutate(
      { ...content, idempotencyKey: attempt.current.key },
      {
        onSuccess: (adjusted) => {
          const text = formatExactAmount(adjusted.balance, adjusted.currency, language);
          notifications.show({ message: t('adjust.done', { balance: text }) });
          onClose();
        },
        onError: (error) => setFailure(showFieldErrors(form, error)),
      },
    );
  };
  const isNotCovered = failure !== undefined && toApiError(failure).status === CONFLICT;
  return (
    <Modal opened onClose={onClose} title={t('adjust.title', { name: email })} closeOnClickOutside={false}>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack>
          {failure !== undefined && (
            <ErrorNotice error={failure} {...(isNotCovered && { message: t('adjust.notCovered') })} />
          )}
          <TextInput
            label={t('adjust.amount')}
            description={t('adjust.amount.hint')}
            inputMode="text"
            autoComplete="off"
            required
            data-autofocus
            leftSection={symbolOf(currency)}
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
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('cancel')}
            </Button>
            <Button type="submit" loading={adjustment.isPending}>
              {t('adjust')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
