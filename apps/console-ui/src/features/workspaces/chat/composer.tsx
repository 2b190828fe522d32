import { Button, Group, MultiSelect, Paper, Skeleton, Stack, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { SendHorizontal, SlidersHorizontal, Square, X } from 'lucide-react';
import { type KeyboardEvent, lazy, Suspense, useState } from 'react';
import { isSendKey } from '../../../components/send-key';
import { useConsoleApi } from '../../../api/console-api';
import { useMemoApi } from '../../../api/service-apis';
import { formatAmountAndCurrency } from '../../../figures/format-figure';
import { useLanguage } from '../../../language/language';
import { groupByModel, pricingQuery } from '../../pricing/pricing-queries';
import { useWorkspace } from '../workspace-context';
import { optionsQuery } from '../workspace-queries';
import { choiceQuery } from './chat-queries';
import { useChatTexts } from './chat-texts';
import { type ChosenDocument, type Conditions, isPeriodReversed, NO_CONDITIONS } from './conditions';

const Narrowing = lazy(() => import('./narrowing'));

const MOST_CHARACTERS = 4_000;
/** Typing pauses this long before the titles are searched. */
const SEARCH_DELAY_MILLIS = 250;

interface Props {
  isBusy: boolean;
  conditions: Conditions;
  onNarrow: (conditions: Conditions) => void;
  /** Resolves with false if the question was refused: it stays in the field then. */
  onAsk: (query: string) => Promise<boolean>;
  onStop: () => void;
}

/** The field of the next question, where its answer is looked for, and what it costs. */
export function Composer({ isBusy, conditions, onNarrow, onAsk, onStop }: Props) {
  const t = useChatTexts();
  const [draft, setDraft] = useState('');
  const [isNarrowing, setIsNarrowing] = useState(false);
  const canAsk = draft.trim() !== '' && !isBusy && !isPeriodReversed(conditions);
  const narrow = () => {
    // What is not in sight restricts nothing.
    if (isNarrowing) onNarrow({ ...NO_CONDITIONS, documents: conditions.documents });
    setIsNarrowing(!isNarrowing);
  };
  const ask = async () => {
    setDraft('');
    if (!(await onAsk(draft.trim()))) setDraft((typed) => typed || draft);
  };
  const askOnEnter = (event: KeyboardEvent) => {
    if (!isSendKey(event)) return;
    event.preventDefault();
    if (canAsk) void ask();
  };
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Textarea
          label={t('question')}
          description={t('question.hint')}
          autosize
          minRows={2}
          maxRows={10}
          maxLength={MOST_CHARACTERS}
          value={draft}
          onChange={(event) => setDraft(event.currentTarget.value)}
          onKeyDown={askOnEnter}
        />
        <DocumentPicker
          chosen={conditions.documents}
          onChoose={(documents) => onNarrow({ ...conditions, documents })}
        />
        <Button
          variant="subtle"
          size="compact-sm"
          w="fit-content"
          aria-expanded={isNarrowing}
          leftSection={isNarrowing ? <X size={14} /> : <SlidersHorizontal size={14} />}
          onClick={narrow}
        >
          {t(isNarrowing ? 'narrow.close' : 'narrow')}
        </Button>
        {isNarrowing && (
          <Suspense fallback={<Skeleton height={140} />}>
            <Narrowing conditions={conditions} onChange={onNarrow} />
          </Suspense>
        )}
        <Group justify="space-between" gap="sm">
          <ModelNote />
          {isBusy ? (
            <Button variant="default" leftSection={<Square size={14} />} onClick={onStop}>
              {t('stop')}
            </Button>
          ) : (
            <Button leftSection={<SendHorizontal size={16} />} disabled={!canAsk} onClick={() => void ask()}>
              {t('ask')}
            </Button>
          )}
        </Group>
      </Stack>
    </Paper>
  );
}

interface PickerProps {
  chosen: ChosenDocument[];
  onChoose: (documents: ChosenDocument[]) => void;
}

function DocumentPicker({ chosen, onChoose }: PickerProps) {
  const t = useChatTexts();
  const api = useMemoApi();
  const { workspace } = useWorkspace();
  const [typed, setTyped] = useState('');
  const [title] = useDebouncedValue(typed.trim(), SEARCH_DELAY_MILLIS);
  const options = useQuery(optionsQuery(api, workspace.id)).data;
  const found =
    useQuery({ ...choiceQuery(api, workspace.id, title), placeholderData: keepPreviousData }).data ?? [];
  const known = new Map([...chosen, ...found].map((document) => [document.id, document.title]));
  return (
    <MultiSelect
      label={t('scope')}
      {...(chosen.length === 0 && { placeholder: t('scope.all') })}
      data={Array.from(known, ([value, label]) => ({ value, label }))}
      value={chosen.map(({ id }) => id)}
      onChange={(ids) => onChoose(ids.map((id) => ({ id, title: known.get(id) ?? id })))}
      searchable
      clearable
      hidePickedOptions
      searchValue={typed}
      onSearchChange={setTyped}
      // The service has searched the titles already, also those that are not in sight.
      filter={({ options: all }) => all}
      nothingFoundMessage={t('scope.none')}
      {...(options && { maxValues: Number(options.max_chosen_documents.toString()) })}
    />
  );
}

const UNITS = [
  'per_million_tokens',
  'per_million_input_tokens',
  'per_million_output_tokens',
  'per_request',
] as const;

/** Which model answers, and its price; that an answer without a model is free. */
function ModelNote() {
  const t = useChatTexts();
  const { language } = useLanguage();
  const { workspace } = useWorkspace();
  const options = useQuery(optionsQuery(useMemoApi(), workspace.id)).data;
  const prices = useQuery(pricingQuery(useConsoleApi())).data;
  if (!options) return <span />;
  const { chat_model: model, embedding_model: embedding } = options;
  const price = prices && groupByModel(prices.models).find(({ slug }) => slug === model);
  return (
    <Text size="sm" c="dimmed" maw="55ch">
      {model !== null
        ? t('model', { model })
        : embedding !== null
          ? t('model.embedding', { model: embedding })
          : t('model.none')}{' '}
      {price &&
        UNITS.flatMap((unit) => {
          const amount = price.prices[unit];
          if (!amount) return [];
          return t(`price.${unit}`, { amount: formatAmountAndCurrency(amount, price.currency, language) });
        }).join(' · ')}
    </Text>
  );
}
