import { Paper, Text, Title } from '@mantine/core';
import { useServingTexts } from './admin-serving-texts';
import { namedModels, splitOf, type Weighted } from './split';

interface Props {
  upstreams: readonly Weighted[];
  /** What it shows: the split as it is, or as it would be. */
  title: string;
}

/** Says of each model which upstreams get which part of its calls. */
export function SplitPreview({ upstreams, title }: Props) {
  const t = useServingTexts();
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Title order={2} size="h5" mb="xs">
        {title}
      </Title>
      {namedModels(upstreams).map((model) => (
        <Text key={model} size="sm">
          <Text span inherit fw={500}>
            {model === '*' ? t('split.every') : model}
          </Text>
          {': '}
          {splitOf(model, upstreams)
            .map(({ name, permille }) => `${name} ${permille.dividedByTenTo(1).toString()}%`)
            .join(', ') || t('split.none')}
        </Text>
      ))}
    </Paper>
  );
}
