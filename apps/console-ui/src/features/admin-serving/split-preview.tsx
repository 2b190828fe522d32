import { Paper, Text, Title } from '@mantine/core';
import { Figure } from '../../figures/figure';
import { useServingTexts } from './admin-serving-texts';

/** What the split of calls follows from. */
interface Weighted {
  name: string;
  state: string;
  models: { model: string; weight: Figure; priority: Figure }[];
}

/** The part of the calls of one model that an upstream gets, while all upstreams work. */
interface Part {
  name: string;
  /** In tenths of a percent, rounded down. */
  permille: Figure;
}

const EVERY_MODEL = '*';

/** How the calls of a model are split among the upstreams: those with the lowest priority share them by weight. */
export function splitOf(model: string, upstreams: readonly Weighted[]): Part[] {
  const serving = upstreams.flatMap(({ name, state, models }) => {
    if (state !== 'active') return [];
    const entry =
      models.find((served) => served.model === model) ??
      models.find((served) => served.model === EVERY_MODEL);
    return entry && !entry.weight.isZero ? [{ name, ...entry }] : [];
  });
  const lowest = serving.map(({ priority }) => priority).sort((a, b) => a.compare(b))[0];
  const first = serving.filter(({ priority }) => priority.equals(lowest!));
  const total = BigInt(Figure.sum(first.map(({ weight }) => weight)).toString());
  return first.map(({ name, weight }) => ({
    name,
    permille: Figure.of((BigInt(weight.toString()) * 1000n) / total),
  }));
}

/** The models that upstreams name, in the order of their names. */
export const namedModels = (upstreams: readonly Weighted[]): string[] =>
  [...new Set(upstreams.flatMap(({ models }) => models.map(({ model }) => model)))].sort();

/** Says of each model which upstreams get which part of its calls. */
export function SplitPreview({ upstreams }: { upstreams: readonly Weighted[] }) {
  const t = useServingTexts();
  return (
    <Paper withBorder p="md" component="section" aria-label={t('split')}>
      <Title order={3} size="h5" mb="xs">
        {t('split')}
      </Title>
      {namedModels(upstreams).map((model) => (
        <Text key={model} size="sm">
          <Text span inherit fw={500}>
            {model === '*' ? t('split.every') : model}
          </Text>
          {': '}
          {splitOf(model, upstreams)
            .map(({ name, permille }) => `${name} ${permille.dividedByTenTo(1).toString()} %`)
            .join(', ') || t('split.none')}
        </Text>
      ))}
    </Paper>
  );
}
