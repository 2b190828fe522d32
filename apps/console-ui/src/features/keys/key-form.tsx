import {
  Button,
  Group,
  Input,
  SegmentedControl,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { type UseMutationResult, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { AmountField, useAmountSyntaxError } from '../../components/amount-field';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { fileLoader } from '../../components/lazy-file';
import { Figure } from '../../figures/figure';
import { LEDGER_DECIMALS, readAmount } from '../../figures/typed-amount';
import { useSite } from '../../api/site';
import { useLanguage } from '../../language/language';
import { formatTime } from '../../time/format-time';
import { useTimeZone } from '../../time/time-zone-context';
import { pricingQuery } from '../pricing/pricing-queries';
import { type ApiKey, type KeyMaker, type NewApiKey } from './key-queries';
import { useKeyTexts } from './key-texts';
import { makerText } from './key-view';

/** The calendar is larger than the page. */
const MomentField = lazy(fileLoader(() => import('../../components/moment-field')));

interface Props<Saved> {
  /** The key to edit; absent for a new one. */
  apiKey?: ApiKey;
  save: UseMutationResult<Saved, Error, NewApiKey>;
  submitText: string;
  onSaved: (key: Saved) => void;
  onCancel: () => void;
}

export function KeyForm<Saved>({ apiKey, save, submitText, onSaved, onCancel }: Props<Saved>) {
  const t = useKeyTexts();
  const syntaxError = useAmountSyntaxError();
  const { currency } = useSite();
  const { data: pricing } = useQuery(pricingQuery(useConsoleApi()));
  // A key keeps models that are not offered any more.
  const models = [
    ...new Set([...(apiKey?.allowed_models ?? []), ...(pricing?.models ?? []).map(({ slug }) => slug)]),
  ];
  const [failure, setFailure] = useState<unknown>();
  const [kind, setKind] = useState(apiKey?.kind ?? 'api');
  const isManagement = kind === 'management';
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: {
      name: apiKey?.name ?? '',
      spend_limit: apiKey?.spend_limit?.toString() ?? '',
      allowed_models: apiKey?.allowed_models ?? [],
      reports_cost: apiKey?.reports_cost ?? true,
      period: apiKey?.period ?? 'total',
      description: apiKey?.description ?? '',
      tags: apiKey?.tags ?? [],
      disabled: apiKey?.disabled ?? false,
      expires_at: localMinute(apiKey?.expires_at ?? null),
      allowed_ips: apiKey?.allowed_ips ?? [],
      rpm: apiKey?.rpm?.toString() ?? '',
      tpm: apiKey?.tpm?.toString() ?? '',
      max_concurrency: apiKey?.max_concurrency?.toString() ?? '',
    },
    validate: {
      rpm: (value) => (isPace(value) ? null : t('pace.invalid')),
      tpm: (value) => (isPace(value) ? null : t('pace.invalid')),
      max_concurrency: (value) => (isPace(value) ? null : t('pace.invalid')),
      name: (value) => (value.trim() ? null : t('name.missing')),
      spend_limit: (value) =>
        syntaxError(value, LEDGER_DECIMALS) ??
        (value.trim() === '' || limitIn(value) ? null : t('limit.invalid')),
    },
  });
  const submit = (values: typeof form.values) => {
    const {
      name,
      spend_limit: limit,
      allowed_models: allowed,
      allowed_ips: ips,
      expires_at: expires,
    } = values;
    setFailure(undefined);
    save.mutate(
      {
        ...(!apiKey && { kind }),
        name: name.trim(),
        spend_limit: limit.trim() === '' ? null : limitIn(limit)!,
        period: values.period,
        allowed_models: allowed.length > 0 ? allowed : null,
        ...(!isManagement && { reports_cost: values.reports_cost }),
        description: values.description.trim(),
        tags: values.tags,
        disabled: values.disabled,
        // An end that has passed stays, unless another one is chosen.
        ...(expires !== form.getInitialValues().expires_at && {
          expires_at: expires === '' ? null : new Date(expires).toISOString(),
        }),
        allowed_ips: ips.length > 0 ? ips : null,
        rpm: paceIn(values.rpm),
        tpm: paceIn(values.tpm),
        max_concurrency: paceIn(values.max_concurrency),
      },
      { onSuccess: onSaved, onError: (error) => setFailure(showFieldErrors(form, error)) },
    );
  };
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack>
        {failure !== undefined && <ErrorNotice error={failure} />}
        {apiKey ? (
          <KeyHistory apiKey={apiKey} />
        ) : (
          <Input.Wrapper label={t('kind')} description={t('kind.hint')}>
            <SegmentedControl
              mt={6}
              aria-label={t('kind')}
              data={KINDS.map((value) => ({ value, label: t(`kind.${value}`) }))}
              value={kind}
              onChange={setKind}
            />
          </Input.Wrapper>
        )}
        <TextInput
          label={t('name')}
          description={t('name.hint')}
          maxLength={100}
          required
          data-autofocus
          {...form.getInputProps('name')}
          key={form.key('name')}
        />
        {isManagement && <Text size="md">{t('kind.rules')}</Text>}
        <AmountField
          label={t('limit')}
          description={t('limit.hint')}
          currency={currency}
          {...form.getInputProps('spend_limit')}
          key={form.key('spend_limit')}
        />
        <Select
          label={t('period')}
          description={t('period.hint')}
          data={PERIODS.map((period) => ({ value: period, label: t(`period.${period}`) }))}
          allowDeselect={false}
          {...form.getInputProps('period')}
          key={form.key('period')}
        />
        <TagsInput
          label={t('models')}
          description={t('models.hint')}
          data={models}
          clearable
          {...form.getInputProps('allowed_models')}
          key={form.key('allowed_models')}
        />
        {!isManagement && (
          <Switch
            label={t('reportsCost')}
            description={t('reportsCost.hint')}
            {...form.getInputProps('reports_cost', { type: 'checkbox' })}
            key={form.key('reports_cost')}
          />
        )}
        <Suspense fallback={<TextInput label={t('expires')} description={t('expires.hint')} disabled />}>
          <MomentField
            label={t('expires')}
            description={t('expires.hint')}
            {...form.getInputProps('expires_at')}
            key={form.key('expires_at')}
          />
        </Suspense>
        <TagsInput
          label={t('ips')}
          description={t('ips.hint')}
          clearable
          {...form.getInputProps('allowed_ips')}
          key={form.key('allowed_ips')}
        />
        <Text size="sm" c="dimmed">
          {t('pace.hint')}
        </Text>
        <Group grow align="flex-start">
          {(['rpm', 'tpm', 'max_concurrency'] as const).map((name) => (
            <TextInput
              key={form.key(name)}
              label={t(name)}
              inputMode="numeric"
              {...form.getInputProps(name)}
            />
          ))}
        </Group>
        <Textarea
          label={t('notes')}
          maxLength={500}
          autosize
          {...form.getInputProps('description')}
          key={form.key('description')}
        />
        <TagsInput
          label={t('tags')}
          description={t('tags.hint')}
          clearable
          {...form.getInputProps('tags')}
          key={form.key('tags')}
        />
        {apiKey && (
          <Switch
            label={t('disabled')}
            description={t('disabled.hint')}
            {...form.getInputProps('disabled', { type: 'checkbox' })}
            key={form.key('disabled')}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {submitText}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const KINDS = ['api', 'management'] as const;
const PERIODS = ['total', 'day', 'week', 'month'] as const;

/** Who made the key, and who replaced its secret last. */
function KeyHistory({ apiKey }: { apiKey: ApiKey }) {
  const t = useKeyTexts();
  const { language } = useLanguage();
  const { timeZone } = useTimeZone();
  const { created_at: createdAt, created_by: creator, rotated_at: rotatedAt, rotated_by: rotator } = apiKey;
  const facts = (at: string, maker: KeyMaker) => ({
    made: formatTime(at, { language, timeZone }),
    maker: makerText(maker, t),
  });
  return (
    <Text size="sm" c="dimmed">
      {t('made.history', facts(createdAt, creator))}
      {rotatedAt !== null && rotator && ` ${t('made.rotated', facts(rotatedAt, rotator))}`}
    </Text>
  );
}

/** Empty: no limit. */
const isPace = (text: string): boolean => /^\s*([1-9]\d{0,8}|1000000000)?\s*$/.test(text);
const paceIn = (text: string): Figure | null => (text.trim() === '' ? null : Figure.of(text.trim()));

/** As a field for a date and a time holds it, in the zone of the browser; empty for none. */
function localMinute(instant: string | null): string {
  if (instant === null) return '';
  const date = new Date(instant);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Undefined unless the text is an amount above zero. */
function limitIn(text: string): Figure | undefined {
  const amount = readAmount(text, LEDGER_DECIMALS);
  return amount?.isZero ? undefined : amount;
}
