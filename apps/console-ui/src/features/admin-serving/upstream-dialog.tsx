import {
  ActionIcon,
  Button,
  Group,
  MultiSelect,
  PasswordInput,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { FlaskConical, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { FormDialog } from '../../components/dialogs';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { Figure } from '../../figures/figure';
import { useServingTexts } from './admin-serving-texts';
import {
  sendUpstream,
  type Upstream,
  upstreamsQuery,
  useDeleteCredential,
  useRefreshUpstreams,
  useTestSettings,
} from './serving-queries';
import { editedFields } from './setting-changes';
import { SplitPreview } from './split-preview';
import { TestResult } from './test-result';
import { UpstreamReview } from './upstream-review';
import { useReview } from './use-review';

const PROTOCOLS = ['chat', 'responses', 'messages'] as const;
const WHOLE = /^\d{1,15}$/;
const LIMITS = {
  concurrency: 'limit.concurrency',
  requests_per_minute: 'limit.requests',
  tokens_per_minute: 'limit.tokens',
} as const;
const TIMEOUTS = {
  connect_timeout_ms: 'timeout.connect',
  first_byte_timeout_ms: 'timeout.firstByte',
  idle_timeout_ms: 'timeout.idle',
} as const;
const NUMBERS = [...Object.keys(LIMITS), ...Object.keys(TIMEOUTS)] as (
  | keyof typeof LIMITS
  | keyof typeof TIMEOUTS
)[];

const textOf = (figure: Figure | null | undefined) => figure?.toString() ?? '';
const figureOf = (text: string) => (text.trim() === '' ? null : Figure.of(text.trim()));

interface FormValues {
  name: string;
  base_url: string;
  region: string;
  credential: string;
  credential_header: string;
  protocols: Upstream['protocols'];
  state: Upstream['state'];
  models: { model: string; upstream_name: string; weight: string; priority: string }[];
}
type NumberTexts = Record<(typeof NUMBERS)[number], string>;

const isNamed = ({ model }: FormValues['models'][number]) => model.trim() !== '';

/** What the API takes for what was typed. */
const fieldsOf = (values: FormValues & NumberTexts) => ({
  name: values.name.trim(),
  base_url: values.base_url.trim(),
  region: values.region.trim() || null,
  credential_header: values.credential_header.trim(),
  protocols: values.protocols,
  credential: values.credential.trim() || null,
  state: values.state,
  ...(Object.fromEntries(NUMBERS.map((name) => [name, figureOf(values[name])])) as Record<
    (typeof NUMBERS)[number],
    Figure | null
  >),
  models: values.models.filter(isNamed).map(({ model, upstream_name: name, weight, priority }) => ({
    model: model.trim(),
    upstream_name: name.trim() || null,
    weight: Figure.of(weight.trim()),
    priority: Figure.of(priority.trim()),
  })),
});

interface Props {
  /** All upstreams, for the preview of the split. */
  all: readonly Upstream[];
  upstream?: Upstream;
  onClose: () => void;
}

/** Adds or changes an upstream, beside what becomes of the calls. */
export function UpstreamDialog({ all, upstream, onClose }: Props) {
  const t = useServingTexts();
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  const refresh = useRefreshUpstreams();
  const test = useTestSettings();
  const [failure, setFailure] = useState<unknown>();
  const wholeOrEmpty = (text: string) =>
    text.trim() === '' || WHOLE.test(text.trim()) ? null : t('number.wrong');
  const whole = (text: string) => (WHOLE.test(text.trim()) ? null : t('number.wrong'));
  const form = useForm<FormValues & NumberTexts>({
    initialValues: {
      name: upstream?.name ?? '',
      base_url: upstream?.base_url ?? '',
      region: upstream?.region ?? '',
      credential: '',
      credential_header: upstream?.credential_header ?? 'authorization',
      protocols: upstream?.protocols ?? ['chat'],
      state: upstream?.state ?? 'active',
      concurrency: textOf(upstream?.concurrency),
      requests_per_minute: textOf(upstream?.requests_per_minute),
      tokens_per_minute: textOf(upstream?.tokens_per_minute),
      connect_timeout_ms: textOf(upstream?.connect_timeout_ms),
      first_byte_timeout_ms: textOf(upstream?.first_byte_timeout_ms),
      idle_timeout_ms: textOf(upstream?.idle_timeout_ms),
      models: (upstream?.models ?? []).map(({ model, upstream_name: name, weight, priority }) => ({
        model,
        upstream_name: name ?? '',
        weight: weight.toString(),
        priority: priority.toString(),
      })),
    },
    validate: {
      ...(Object.fromEntries(NUMBERS.map((name) => [name, wholeOrEmpty])) as Record<
        (typeof NUMBERS)[number],
        typeof whole
      >),
      models: { weight: whole, priority: whole },
    },
  });
  const { values } = form;
  const rows = values.models.filter(isNamed);
  const review = useReview<Upstream>({
    opened: upstream,
    readAll: async () => (await queryClient.fetchQuery({ ...upstreamsQuery(api), staleTime: 0 })).upstreams,
    send: (base, isDryRun) => {
      const fields = fieldsOf(values);
      return sendUpstream(
        api,
        base,
        base ? editedFields(fieldsOf(form.getInitialValues()), fields) : fields,
        isDryRun,
      );
    },
    onSaved: async () => {
      await refresh();
      notifications.show({ message: t('saved') });
      onClose();
    },
    onRefused: (error) => setFailure(showFieldErrors(form, error)),
  });
  const submit = () => {
    setFailure(undefined);
    review.start();
  };
  const runTest = () => {
    const name = rows
      .map(({ model, upstream_name: own }) => own.trim() || model.trim())
      .find((each) => each !== '*');
    test.mutate({
      base_url: values.base_url.trim(),
      credential_header: values.credential_header.trim(),
      protocols: values.protocols,
      credential: values.credential.trim() || null,
      ...(upstream && { upstream: upstream.id }),
      ...(name !== undefined && { model: name }),
    });
  };
  const preview = {
    name: values.name.trim() || '…',
    state: values.state,
    models: rows
      .filter(({ weight, priority }) => WHOLE.test(weight.trim()) && WHOLE.test(priority.trim()))
      .map(({ model, weight, priority }) => ({
        model: model.trim(),
        weight: Figure.of(weight.trim()),
        priority: Figure.of(priority.trim()),
      })),
  };
  if (review.reviewed)
    return (
      <UpstreamReview
        opened={upstream}
        reviewed={review.reviewed}
        all={all}
        isPending={review.isPending}
        onSave={review.save}
        onBack={review.leave}
      />
    );
  return (
    <FormDialog
      size="56rem"
      title={upstream ? t('edit.title', { name: upstream.name }) : t('add')}
      submitText={t('review')}
      isPending={review.isPending}
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
    >
      {failure !== undefined && <ErrorNotice error={failure} />}
      {!upstream && (
        <TextInput
          label={t('name')}
          description={t('name.hint')}
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
      )}
      <TextInput
        label={t('address')}
        placeholder="https://models.example.com/v1"
        required
        {...form.getInputProps('base_url')}
      />
      <Group align="flex-start" grow>
        <TextInput label={t('region')} maxLength={100} {...form.getInputProps('region')} />
        <Select
          label={t('status')}
          allowDeselect={false}
          data={(['active', 'draining', 'off'] as const).map((value) => ({
            value,
            label: t(`status.${value}`),
          }))}
          {...form.getInputProps('state')}
        />
      </Group>
      <MultiSelect
        label={t('protocols')}
        description={t('protocols.hint')}
        data={PROTOCOLS.map((value) => ({ value, label: t(`protocol.${value}`) }))}
        {...form.getInputProps('protocols')}
      />
      <Group align="flex-start" grow>
        <PasswordInput
          label={upstream ? t('credential.new') : t('credential')}
          description={t('credential.hint')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          autoComplete="off"
          {...form.getInputProps('credential')}
        />
        <TextInput label={t('credential.header')} {...form.getInputProps('credential_header')} />
      </Group>
      {upstream && <StoredCredentials upstream={all.find(({ id }) => id === upstream.id) ?? upstream} />}
      <Stack gap="xs" aria-live="polite">
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<FlaskConical size={14} />}
            loading={test.isPending}
            disabled={values.base_url.trim() === ''}
            onClick={runTest}
          >
            {t('test.settings')}
          </Button>
        </Group>
        {!test.isIdle && <TestResult result={test.data} error={test.error} />}
      </Stack>
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          {t('models.hint')}
        </Text>
        {values.models.map((_row, index) => (
          <Group key={index} align="flex-end">
            <TextInput
              label={t('model.slug')}
              flex="1 1 9rem"
              miw={0}
              {...form.getInputProps(`models.${index}.model`)}
            />
            <TextInput
              label={t('model.name')}
              flex="1 1 9rem"
              miw={0}
              {...form.getInputProps(`models.${index}.upstream_name`)}
            />
            <TextInput
              label={t('model.weight')}
              inputMode="numeric"
              flex="1 1 4rem"
              miw={0}
              {...form.getInputProps(`models.${index}.weight`)}
            />
            <TextInput
              label={t('model.priority')}
              inputMode="numeric"
              flex="1 1 4rem"
              miw={0}
              {...form.getInputProps(`models.${index}.priority`)}
            />
            <ActionIcon
              variant="subtle"
              color="red"
              size="input-sm"
              flex="0 0 auto"
              aria-label={t('model.remove', { number: String(index + 1) })}
              onClick={() => form.removeListItem('models', index)}
            >
              <Trash2 size={16} />
            </ActionIcon>
          </Group>
        ))}
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<Plus size={14} />}
            onClick={() =>
              form.insertListItem('models', { model: '', upstream_name: '', weight: '100', priority: '0' })
            }
          >
            {t('model.add')}
          </Button>
        </Group>
      </Stack>
      <SplitPreview
        title={t('split.after')}
        upstreams={[...all.filter(({ id }) => id !== upstream?.id), preview]}
      />
      <Group align="flex-start">
        {(Object.keys(LIMITS) as (keyof typeof LIMITS)[]).map((name) => (
          <TextInput
            key={name}
            flex="1 1 11rem"
            label={t(LIMITS[name])}
            placeholder={t('limit.none')}
            inputMode="numeric"
            {...form.getInputProps(name)}
          />
        ))}
      </Group>
      <Group align="flex-start">
        {(Object.keys(TIMEOUTS) as (keyof typeof TIMEOUTS)[]).map((name) => (
          <TextInput
            key={name}
            flex="1 1 11rem"
            label={t(TIMEOUTS[name])}
            placeholder={t('timeout.default')}
            inputMode="numeric"
            {...form.getInputProps(name)}
          />
        ))}
      </Group>
    </FormDialog>
  );
}

/** @param upstream as it is stored now: each deletion makes a new version */
function StoredCredentials({ upstream }: { upstream: Upstream }) {
  const t = useServingTexts();
  const deletion = useDeleteCredential(upstream);
  const { credentials } = upstream;
  if (credentials.length === 0 && !deletion.error) return null;
  return (
    <section aria-label={t('credential.stored')}>
      <Text size="sm" fw={500}>
        {t('credential.stored')}
      </Text>
      {deletion.error && <ErrorNotice error={deletion.error} />}
      {credentials.map(({ id, hint }) => (
        <Group key={id} gap="xs">
          <Text size="sm">{t('credential.one', { hint })}</Text>
          <Button
            variant="subtle"
            color="red"
            size="compact-xs"
            loading={deletion.isPending}
            onClick={() => deletion.mutate(id)}
          >
            {t('credential.delete')}
          </Button>
        </Group>
      ))}
    </section>
  );
}
