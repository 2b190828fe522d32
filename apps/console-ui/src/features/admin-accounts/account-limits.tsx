import { Autocomplete, Button, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../api/account';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { AS_CSV, CsvButton } from '../../components/csv-button';
import { type Column, DataTable } from '../../components/data-table';
import { ConfirmDialog, FormDialog } from '../../components/dialogs';
import { EmptyState } from '../../components/empty-state';
import MomentField from '../../components/moment-field';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { QueryState } from '../../components/query-state';
import { Figure } from '../../figures/figure';
import { formatNumber } from '../../figures/format-figure';
import { type ChineseTexts, defineTexts } from '../../language/define-texts';
import { useLanguage } from '../../language/language';
import { Time } from '../../time/time';
import { LimitHistory } from '../limits/limit-history';
import { pricingQuery } from '../pricing/pricing-queries';

const en = {
  title: 'Limits set by staff',
  'tier.name': 'Without them the limits of the tier “{{name}}” apply.',
  'tier.none': 'Without them nothing limits the account: this site has no tiers.',
  set: 'Set limits',
  'set.title': 'Set limits of the account',
  'set.text':
    'They replace those of the tier for the model, and what was set for it before. Every gateway obeys within two seconds. An empty field is no limit.',
  'set.done': 'The limits are set.',
  'empty.title': 'No limits set by staff',
  'empty.text': 'Set limits for a launch, a load test or a customer who causes trouble.',
  model: 'Model',
  'model.hint': 'Leave empty for each model without limits of its own.',
  'model.others': 'Each other model',
  limits: 'Limits',
  'limits.none': 'None',
  reason: 'Reason',
  'reason.missing': 'Enter a reason.',
  ends: 'Ends',
  'ends.hint': 'In your local time; then the tier applies again. Leave empty until somebody removes them.',
  'ends.past': 'Choose a time in the future.',
  'ends.never': 'When removed',
  setAt: 'Set',
  actions: 'Actions',
  change: 'Change',
  'change.named': 'Change the limits for {{model}}',
  remove: 'Remove',
  'remove.named': 'Remove the limits for {{model}}',
  'remove.title': 'Remove the limits for {{model}}?',
  'remove.text': 'Within two seconds the limits of the account’s tier apply again.',
  'remove.done': 'The limits are removed.',
  invalid: 'Enter a whole number above zero without separators, such as 6000, or leave it empty.',
  rpm: 'Requests a minute',
  tpm: 'Tokens a minute',
  tpd: 'Tokens a day',
  max_concurrency: 'Requests at a time',
  fact: '{{name}}: {{value}}',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '人工设置的限制',
  'tier.name': '未设置时适用等级“{{name}}”的限制。',
  'tier.none': '未设置时该账户没有限制：本站点未配置等级。',
  set: '设置限制',
  'set.title': '设置账户的限制',
  'set.text': '将替换该模型的等级限制以及之前设置的限制，所有网关在两秒内生效。留空表示不限。',
  'set.done': '限制已设置。',
  'empty.title': '没有人工设置的限制',
  'empty.text': '可为产品发布、压力测试或造成问题的客户单独设置限制。',
  model: '模型',
  'model.hint': '留空表示未单独设置限制的每个模型。',
  'model.others': '其他每个模型',
  limits: '限制',
  'limits.none': '不限',
  reason: '原因',
  'reason.missing': '请填写原因。',
  ends: '结束时间',
  'ends.hint': '以您的本地时间为准，到期后恢复等级限制。留空表示直到手动移除。',
  'ends.past': '请选择将来的时间。',
  'ends.never': '手动移除时',
  setAt: '设置时间',
  actions: '操作',
  change: '修改',
  'change.named': '修改 {{model}} 的限制',
  remove: '移除',
  'remove.named': '移除 {{model}} 的限制',
  'remove.title': '移除 {{model}} 的限制？',
  'remove.text': '两秒内恢复为账户等级的限制。',
  'remove.done': '限制已移除。',
  invalid: '请输入大于零的整数，不要使用千位分隔符，例如 6000，或留空。',
  rpm: '每分钟请求数',
  tpm: '每分钟 Token 数',
  tpd: '每日 Token 数',
  max_concurrency: '并发请求数',
  fact: '{{name}}：{{value}}',
};

const useTexts = defineTexts('accountLimits', en, zh);

type Override = Schemas['OverrideResponse'];
type NewOverride = Schemas['SetOverrideDto'];

/** As the fields stand in a dialog. */
const ROWS = [
  ['rpm', 'tpm'],
  ['tpd', 'max_concurrency'],
] as const;
const NAMES = ROWS.flat();
const EACH_OTHER_MODEL = '*';
const PATH = '/api/admin/accounts/{id}/limits';
const keyOf = (id: string) => ['admin', 'account limits', id];

const limitsQuery = (api: ConsoleApi, id: string) =>
  queryOptions({
    queryKey: keyOf(id),
    queryFn: ({ signal }) => bodyOf(api.GET(PATH, { signal, params: { path: { id } } })),
    staleTime: 0,
  });

const historyQuery = (api: ConsoleApi, id: string) =>
  queryOptions({
    queryKey: ['admin', 'account limits', id, 'history'],
    queryFn: ({ signal }) => bodyOf(api.GET(`${PATH}/history`, { signal, params: { path: { id } } })),
    staleTime: 0,
  });

function useSetLimits(id: string) {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: NewOverride) => bodyOf(api.PUT(PATH, { params: { path: { id } }, body })),
    onSuccess: (limits) => queryClient.setQueryData(keyOf(id), limits),
  });
}

function useRemoveLimits(id: string) {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (model: string) =>
      api.DELETE(PATH, { params: { path: { id }, query: model === EACH_OTHER_MODEL ? {} : { model } } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: keyOf(id) }),
  });
}

/** The limits that staff has set for an account in place of those of its tier. */
export function AccountLimits({ accountId }: { accountId: string }) {
  const t = useTexts();
  const { language } = useLanguage();
  const api = useConsoleApi();
  const query = useQuery(limitsQuery(api, accountId));
  const history = useQuery(historyQuery(api, accountId));
  const may = useMay();
  const [chosen, setChosen] = useState<Override | 'new'>();
  const [removed, setRemoved] = useState<Override>();
  const nameOf = ({ model }: Override) => (model === EACH_OTHER_MODEL ? t('model.others') : model);
  const factsOf = (override: Override) =>
    NAMES.flatMap((name) => {
      const value = override[name];
      return value === null ? [] : [t('fact', { name: t(name), value: formatNumber(value, language) })];
    });
  const columns: Column<Override>[] = [
    { key: 'model', title: t('model'), cell: nameOf },
    {
      key: 'limits',
      title: t('limits'),
      place: 'line',
      cell: (override) => {
        const facts = factsOf(override);
        return facts.length === 0 ? t('limits.none') : facts.map((fact) => <div key={fact}>{fact}</div>);
      },
    },
    { key: 'reason', title: t('reason'), place: 'line', cell: ({ reason }) => reason },
    { key: 'set', title: t('setAt'), cell: ({ set_at: at }) => <Time value={at} /> },
    {
      key: 'ends',
      title: t('ends'),
      place: 'line',
      cell: ({ ends_at: at }) => (at === null ? t('ends.never') : <Time value={at} />),
    },
  ];
  if (may('PUT /api/admin/accounts/:id/limits'))
    columns.push({
      key: 'actions',
      title: t('actions'),
      isTitleHidden: true,
      cell: (override) => (
        <Group gap="xs" wrap="nowrap" justify="flex-end">
          <Button
            size="xs"
            variant="default"
            aria-label={t('change.named', { model: nameOf(override) })}
            onClick={() => setChosen(override)}
          >
            {t('change')}
          </Button>
          <Button
            size="xs"
            variant="default"
            aria-label={t('remove.named', { model: nameOf(override) })}
            onClick={() => setRemoved(override)}
          >
            {t('remove')}
          </Button>
        </Group>
      ),
    });
  return (
    <Stack component="section" gap="sm">
      <Group justify="space-between">
        <Title order={2}>{t('title')}</Title>
        {may('PUT /api/admin/accounts/:id/limits') && (
          <Button variant="default" onClick={() => setChosen('new')}>
            {t('set')}
          </Button>
        )}
      </Group>
      <QueryState query={query}>
        {({ overrides, tier }) => (
          <Stack>
            <Text c="dimmed">{tier ? t('tier.name', { name: tier.name }) : t('tier.none')}</Text>
            {overrides.length === 0 ? (
              <EmptyState title={t('empty.title')}>{t('empty.text')}</EmptyState>
            ) : (
              <DataTable label={t('title')} columns={columns} rows={overrides} keyOf={({ model }) => model} />
            )}
          </Stack>
        )}
      </QueryState>
      <LimitHistory query={history} />
      <Group>
        <CsvButton
          fileName="limits-history.csv"
          read={() => api.GET(`${PATH}/history`, { ...AS_CSV, params: { path: { id: accountId } } })}
        />
      </Group>
      {chosen && (
        <SetLimitsDialog
          accountId={accountId}
          {...(chosen !== 'new' && { override: chosen })}
          onClose={() => setChosen(undefined)}
        />
      )}
      {removed && (
        <RemoveDialog
          accountId={accountId}
          model={removed.model}
          name={nameOf(removed)}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </Stack>
  );
}

interface DialogProps {
  accountId: string;
  onClose: () => void;
}

const isLimit = (text: string): boolean => /^\s*([1-9]\d{0,11})?\s*$/.test(text);
const limitIn = (text: string): Figure | null => (text.trim() === '' ? null : Figure.of(text.trim()));

/** As a field for a date and a time holds it, in the zone of the browser. */
function localMinute(instant: string | null | undefined): string {
  if (!instant) return '';
  const date = new Date(instant);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** @param override what is set now; absent: for a model of choice */
function SetLimitsDialog({ accountId, override, onClose }: DialogProps & { override?: Override }) {
  const t = useTexts();
  const set = useSetLimits(accountId);
  const { data: pricing } = useQuery(pricingQuery(useConsoleApi()));
  const [failure, setFailure] = useState<unknown>();
  const validateLimit = (value: string) => (isLimit(value) ? null : t('invalid'));
  const form = useForm({
    initialValues: {
      model: override && override.model !== EACH_OTHER_MODEL ? override.model : '',
      rpm: override?.rpm?.toString() ?? '',
      tpm: override?.tpm?.toString() ?? '',
      tpd: override?.tpd?.toString() ?? '',
      max_concurrency: override?.max_concurrency?.toString() ?? '',
      reason: override?.reason ?? '',
      ends_at: localMinute(override?.ends_at),
    },
    validate: {
      rpm: validateLimit,
      tpm: validateLimit,
      tpd: validateLimit,
      max_concurrency: validateLimit,
      reason: (value) => (value.trim() ? null : t('reason.missing')),
      ends_at: (value) => (value === '' || new Date(value).getTime() > Date.now() ? null : t('ends.past')),
    },
  });
  const submit = ({ model, reason, ends_at: end, ...limits }: typeof form.values) => {
    setFailure(undefined);
    set.mutate(
      {
        ...(model.trim() !== '' && { model: model.trim() }),
        rpm: limitIn(limits.rpm),
        tpm: limitIn(limits.tpm),
        tpd: limitIn(limits.tpd),
        max_concurrency: limitIn(limits.max_concurrency),
        reason: reason.trim(),
        ends_at: end === '' ? null : new Date(end).toISOString(),
      },
      {
        onSuccess: () => {
          notifications.show({ message: t('set.done') });
          onClose();
        },
        onError: (error) => setFailure(showFieldErrors(form, error)),
      },
    );
  };
  return (
    <FormDialog
      title={t('set.title')}
      submitText={t('set')}
      isPending={set.isPending}
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
    >
      {failure !== undefined && <ErrorNotice error={failure} />}
      <Text size="md">{t('set.text')}</Text>
      <Autocomplete
        label={t('model')}
        description={t('model.hint')}
        data={[...new Set((pricing?.models ?? []).map(({ slug }) => slug))]}
        disabled={override !== undefined}
        {...form.getInputProps('model')}
      />
      {ROWS.map((names) => (
        <Group key={names[0]} grow align="flex-start">
          {names.map((name) => (
            <TextInput key={name} label={t(name)} inputMode="numeric" {...form.getInputProps(name)} />
          ))}
        </Group>
      ))}
      <Textarea label={t('reason')} maxLength={500} autosize required {...form.getInputProps('reason')} />
      <MomentField label={t('ends')} description={t('ends.hint')} {...form.getInputProps('ends_at')} />
    </FormDialog>
  );
}

function RemoveDialog({ accountId, model, name, onClose }: DialogProps & { model: string; name: string }) {
  const t = useTexts();
  const removal = useRemoveLimits(accountId);
  const confirm = () =>
    removal.mutate(model, {
      onSuccess: () => {
        notifications.show({ message: t('remove.done') });
        onClose();
      },
    });
  return (
    <ConfirmDialog
      title={t('remove.title', { model: name })}
      text={t('remove.text')}
      confirmText={t('remove')}
      doing={removal}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}
