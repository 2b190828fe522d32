import { createSpotlight, Spotlight } from '@mantine/spotlight';
import '@mantine/spotlight/styles.layer.css';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useEffect } from 'react';
import { useConsoleApi } from '../api/console-api';
import { agentSessionsQuery, nameOf, useAgentClients } from '../features/agents/agent-queries';
import { keysQuery } from '../features/keys/key-queries';
import { modelsQuery } from '../features/models/model-queries';
import { paymentsQuery } from '../features/wallet/wallet-queries';
import { formatAmount } from '../figures/format-figure';
import { useLanguage } from '../language/language';
import { useSite } from '../api/site';
import { formatTime } from '../time/format-time';
import { useTimeZone } from '../time/time-zone-context';
import classes from './layout.module.css';
import { useConsoleLayoutTexts } from './console-layout-texts';
import { useAreaGroups } from './navigation';

interface PaletteTarget {
  id: string;
  label: string;
  description?: string;
  to: string;
}

type TargetGroup = 'area.keys' | 'area.models' | 'area.agents' | 'area.payments';

/** What the account has beside pages: all keys and models, the newest conversations and payments. */
function usePaletteTargets(): { isLoading: boolean; groups: Record<TargetGroup, PaletteTarget[]> } {
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
        to: `/packages/${slug}`,
      })),
      'area.agents': (sessions.data?.pages.flatMap((page) => page.sessions) ?? []).map((session) => ({
        id: `session ${session.id}`,
        label: nameOf(session),
        description: `${session.model} · ${session.id}`,
        to: `/agents/${encodeURIComponent(session.id)}`,
      })),
      'area.payments': (payments.data ?? []).map(({ id, amount, currency, created_at: at }) => ({
        id: `payment ${id}`,
        label: `${formatAmount(amount, currency, language)} · ${id}`,
        description: formatTime(at, { language, timeZone }),
        to: `/payments/${id}`,
      })),
    },
  };
}

const TARGET_GROUPS = ['area.keys', 'area.models', 'area.agents', 'area.payments'] as const;
const [store, palette] = createSpotlight();

/** Finds a page, key, model, conversation or payment by a part of its name. It opens whenever `openings` grows. */
export default function CommandPalette({ openings }: { openings: number }) {
  const t = useConsoleLayoutTexts();
  const navigate = useNavigate();
  const groups = useAreaGroups();
  const { isLoading, groups: targets } = usePaletteTargets();
  useEffect(() => palette.open(), [openings]);
  return (
    <Spotlight
      store={store}
      shortcut={null}
      lockScroll={false}
      centered={false}
      attributes={{ content: { 'aria-label': t('header.palette') } }}
      classNames={{ actionBody: classes.found!, actionLabel: classes.found! }}
      scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
      highlightQuery
      scrollable
      maxHeight="60vh"
      nothingFound={t(isLoading ? 'palette.loading' : 'palette.nothing')}
      searchProps={{
        leftSection: <Search size={18} />,
        placeholder: t('palette.placeholder'),
        'aria-label': t('header.palette'),
      }}
      actions={[
        ...groups.map(({ text, areas }) => ({
          group: t(text),
          actions: areas.map(({ to, text: label, icon: Icon }) => ({
            id: to,
            label: t(label),
            leftSection: <Icon size={18} />,
            onClick: () => void navigate({ to }),
          })),
        })),
        ...TARGET_GROUPS.map((text) => ({
          group: t(text),
          actions: targets[text].map(({ to, ...shown }) => ({
            ...shown,
            onClick: () => void navigate({ to }),
          })),
        })).filter(({ actions }) => actions.length > 0),
      ]}
    />
  );
}
