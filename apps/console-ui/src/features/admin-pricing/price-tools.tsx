import { Alert, Button, FileButton, Group, MultiSelect, Paper, Stack, Text, TextInput } from '@mantine/core';
import { Download, Upload } from 'lucide-react';
import { type SyntheticEvent, useState } from 'react';
import { downloadText } from '../../components/csv-button';
import { Figure } from '../../figures/figure';
import { useAdminPricingTexts } from './admin-pricing-texts';
import { useLineName } from './change-table';
import { csvOfLines, linesFromCsv } from './price-csv';
import { changedByPercent } from './price-line';
import { type PriceKind } from './price-list-queries';
import { type PriceDraft } from './use-price-draft';

/** Changes many prices of the draft at once: by a percentage, or by a file. Nothing is published before it was reviewed. */
export function PriceTools({ kind, draft }: { kind: PriceKind; draft: PriceDraft }) {
  const t = useAdminPricingTexts();
  const [faults, setFaults] = useState<number[]>();
  const read = async (file: File | null) => {
    if (!file) return;
    const prices = linesFromCsv(await file.text(), kind);
    setFaults(prices.faults);
    if (prices.lines) draft.take(prices.lines);
  };
  return (
    <Paper withBorder p="md" component="section" aria-label={t('tools')}>
      <Stack gap="sm">
        <PercentForm draft={draft} />
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<Download size={16} />}
            disabled={draft.base.lines.length === 0}
            onClick={() =>
              downloadText(csvOfLines(draft.base.lines), { fileName: `prices-${kind}.csv`, type: 'text/csv' })
            }
          >
            {t('tools.export')}
          </Button>
          <FileButton accept=".csv,text/csv" onChange={(file) => void read(file)}>
            {(props) => (
              <Button variant="default" leftSection={<Upload size={16} />} {...props}>
                {t('tools.import')}
              </Button>
            )}
          </FileButton>
          <Text size="sm" c="dimmed">
            {t('tools.import.hint')}
          </Text>
        </Group>
        {faults && (
          <Alert role="alert" color="red" variant="light">
            {t('tools.import.faults', { rows: faults.slice(0, 10).join(', ') })}
          </Alert>
        )}
      </Stack>
    </Paper>
  );
}

const PERCENT = /^[+-]?\d{1,4}(\.\d{1,4})?$/;

function PercentForm({ draft }: { draft: PriceDraft }) {
  const t = useAdminPricingTexts();
  const nameOf = useLineName();
  const [names, setNames] = useState<string[]>([]);
  const [filter, setFilter] = useState('');
  const [percent, setPercent] = useState('');
  const [fault, setFault] = useState<string>();
  const selected = draft.lines.filter(
    (line) =>
      line.before &&
      !line.isRemoved &&
      (names.length === 0 || names.includes(line.name)) &&
      nameOf(line).toLowerCase().includes(filter.trim().toLowerCase()),
  );
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const typed = percent.trim();
    const by = PERCENT.test(typed) ? Figure.parse(typed.replace(/^\+/, '')) : undefined;
    const changed = selected.map((line) => ({
      line,
      price: by && changedByPercent(line.before!, by, line.unit),
    }));
    if (!by || changed.some(({ price }) => !price)) return setFault(t('tools.percent.invalid'));
    setFault(undefined);
    setPercent('');
    for (const { line, price } of changed) draft.setText(line, price!.toString());
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-start">
        <MultiSelect
          label={t('tools.names')}
          placeholder={names.length === 0 ? t('tools.names.hint') : ''}
          data={[...new Set(draft.lines.map(({ name }) => name))].sort()}
          value={names}
          onChange={setNames}
          searchable
          clearable
          flex="1 1 14rem"
        />
        <TextInput
          label={t('tools.filter')}
          placeholder={t('tools.filter.hint')}
          spellCheck={false}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
        <TextInput
          label={t('tools.percent')}
          placeholder="-10"
          inputMode="decimal"
          value={percent}
          error={fault}
          onChange={(event) => {
            setPercent(event.currentTarget.value);
            setFault(undefined);
          }}
        />
        <Button
          type="submit"
          variant="default"
          mt="calc(1.55 * var(--mantine-font-size-sm))"
          disabled={selected.length === 0}
        >
          {t('tools.percent.apply', { count: selected.length })}
        </Button>
      </Group>
    </form>
  );
}
