import { Figure } from '../../figures/figure';
import { useServingTexts } from './admin-serving-texts';
import { ReviewDialog, type ShownChange } from './review-dialog';
import { type Upstream } from './serving-queries';
import { changedModels, changedSettings, isSame } from './setting-changes';
import { SplitPreview } from './split-preview';
import { type Reviewed } from './use-review';

/** The settings that a form changes, with their labels, in its order. */
const LABELS = {
  name: 'name',
  base_url: 'address',
  region: 'region',
  state: 'status',
  protocols: 'protocols',
  credentials: 'credential.stored',
  credential_header: 'credential.header',
  concurrency: 'limit.concurrency',
  requests_per_minute: 'limit.requests',
  tokens_per_minute: 'limit.tokens',
  connect_timeout_ms: 'timeout.connect',
  first_byte_timeout_ms: 'timeout.firstByte',
  idle_timeout_ms: 'timeout.idle',
} as const;
type Setting = keyof typeof LABELS;
const SETTINGS = Object.keys(LABELS) as Setting[];

interface Props {
  /** What the form began with. */
  opened: Upstream | undefined;
  reviewed: Reviewed<Upstream>;
  all: readonly Upstream[];
  isPending: boolean;
  onSave: () => void;
  onBack: () => void;
}

/** Shows how an upstream and the split of calls would change. */
export function UpstreamReview({ opened, reviewed: { base, after }, all, ...dialog }: Props) {
  const t = useServingTexts();
  const textOf = useSettingText();
  const theirs =
    opened && base
      ? [
          ...changedSettings(SETTINGS, opened, base).map(({ name }) => name),
          ...changedModels(opened.models, base.models).map(({ model }) => modelKey(model)),
        ]
      : [];
  const changes: ShownChange[] = [
    ...changedSettings(SETTINGS, base, after).map(({ name, ...values }) => ({
      key: name,
      setting: t(LABELS[name]),
      before: base ? textOf(name, values.before as Upstream[Setting]) : '–',
      after: textOf(name, values.after as Upstream[Setting]),
    })),
    ...changedModels(base?.models ?? [], after.models).map(({ model, ...entries }) => ({
      key: modelKey(model),
      setting: t('review.model', { model: model === '*' ? t('split.every') : model }),
      before: textOfEntry(entries.before),
      after: textOfEntry(entries.after),
    })),
  ].map((change) => ({ ...change, isConflict: change.key !== 'credentials' && theirs.includes(change.key) }));
  function textOfEntry(entry: Upstream['models'][number] | undefined): string {
    if (!entry) return t('review.none');
    const values = { weight: entry.weight.toString(), priority: entry.priority.toString() };
    const { upstream_name: name } = entry;
    return name === null ? t('review.model.entry', values) : t('review.model.named', { name, ...values });
  }
  const others = all.filter(({ id }) => id !== base?.id);
  const isSplitChanged = !isSame([base?.state, base?.models], [after.state, after.models]);
  return (
    <ReviewDialog {...dialog} changes={changes} isRebased={theirs.some((key) => key !== 'credentials')}>
      {isSplitChanged && <SplitPreview title={t('split.after')} upstreams={[...others, after]} />}
    </ReviewDialog>
  );
}

const modelKey = (model: string) => `models.${model}`;

function useSettingText(): (name: Setting, value: Upstream[Setting]) => string {
  const t = useServingTexts();
  return (name, value) => {
    if (name === 'state') return t(`status.${value as Upstream['state']}`);
    if (name === 'protocols')
      return (value as Upstream['protocols']).map((protocol) => t(`protocol.${protocol}`)).join(', ');
    if (name === 'credentials')
      return (
        (value as Upstream['credentials']).map(({ hint }) => t('credential.one', { hint })).join(', ') ||
        t('review.none')
      );
    if (value === null)
      return LABELS[name].startsWith('limit.')
        ? t('limit.none')
        : LABELS[name].startsWith('timeout.')
          ? t('timeout.default')
          : t('review.none');
    return value instanceof Figure ? value.toString() : (value as string);
  };
}
