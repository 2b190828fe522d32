import { createSpotlight, Spotlight } from '@mantine/spotlight';
import '@mantine/spotlight/styles.layer.css';
import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useEffect } from 'react';
import { useLayoutTexts } from '../layout-texts';
import { useAreaGroups } from '../use-area-groups';
import { usePaletteTargets } from './palette-targets';

const TARGET_GROUPS = ['area.keys', 'area.models', 'area.agents', 'area.payments'] as const;
const [store, palette] = createSpotlight();

/** Finds a page, key, model, agent session or payment by a part of its name. It opens whenever `openings` grows. */
export default function CommandPalette({ openings }: { openings: number }) {
  const t = useLayoutTexts();
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
