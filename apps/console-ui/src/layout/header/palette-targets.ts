import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useConsoleApi } from '../../api/console-api';
import { agentSessionsQuery } from '../../features/agents/agent-queries';
import { useAgentClients } from '../../features/agents/use-agent-clients';
import { keysQuery } from '../../features/keys/key-queries';
import { modelsQuery } from '../../features/models/model-queries';
import { paymentsQuery } from '../../features/wallet/wallet-queries';
import { formatPrice } from '../../figures/format-figure';
import { useLanguage } from '../../language/language-context';
import { useSite } from '../../site/site';
import { formatTime } from '../../time/format-time';
import { useTimeZone } from '../../time/time-zone-context';

export interface PaletteTarget {
  id: string;
  label: string;
  description?: string;
  to: string;
}

type TargetGroup = 'area.keys' | 'area.models' | 'area.agents' | 'area.payments';

/** What the account has beside pages: all keys and models, the newest agent sessions and payments. */
export function usePaletteTargets(): { isLoading: boolean; groups: Record<TargetGroup, PaletteTarget[]> } {
  const api = useConsoleApi();
  const { calls } = useAgentClients();
  const { language } = useLanguage();
  const { timeZone } = useTimeZone();
  const { features } = useSite();
  const keys = useQuery(keysQuery(api));
  const models = useQuery(modelsQuery(api));
  const sessions = useInfiniteQuery({ ...agentSessionsQuery(calls), enabled: features.agents });
  const payments = useInfiniteQuery(paymentsQuery(api));
  return {
    isLoading: [keys, models, sessions, payments].some(({ isLoading }) => isLoading),
    groups: {
      'area.keys': (keys.data ?? []).map(({ id, name, prefix }) => ({
        id: `key ${id}`,
        label: name,
        description: `${prefix}…`,
        to: '/keys',
      })),
      'area.models': (models.data ?? []).map(({ slug, name }) => ({
        id: `model ${slug}`,
        label: name,
        description: slug,
        to: `/models/${slug}`,
      })),
      'area.agents': (sessions.data?.pages.flatMap((page) => page.sessions) ?? []).map(({ id, model }) => ({
        id: `session ${id}`,
        label: id,
        description: model,
        to: `/agents/${encodeURIComponent(id)}`,
      })),
      'area.payments': (payments.data ?? []).map(({ id, amount, currency, created_at: at }) => ({
        id: `payment ${id}`,
        label: `${formatPrice(amount, currency, language)} · ${id}`,
        description: formatTime(at, { language, timeZone }),
        to: `/payments/${id}`,
      })),
    },
  };
}
