import { type Dimension } from './usage-search';
import { useUsageTexts } from './usage-texts';

const ENTRYPOINTS = ['gateway', 'agent', 'memo', 'console', 'training'] as const;

export const KNOWN_ENTRYPOINTS: readonly string[] = ENTRYPOINTS;
export const NO_KEY = 'none';

/** Names where calls came from; a name that a client gave stays as it is. */
export function useEntrypointName(): (entrypoint: string) => string {
  const t = useUsageTexts();
  return (entrypoint) => {
    const known = ENTRYPOINTS.find((one) => one === entrypoint);
    return known ? t(`entrypoint.${known}`) : entrypoint;
  };
}

/** Names a group of the report for people. */
export function useGroupName(): (
  dimension: Dimension,
  group: { id: string; name: string | undefined },
) => string {
  const t = useUsageTexts();
  const entrypointName = useEntrypointName();
  return (dimension, { id, name }) => {
    if (dimension === 'entrypoint') return entrypointName(id);
    if (dimension === 'api_key') return id === NO_KEY ? t('filter.noKey') : (name ?? id);
    return id;
  };
}
