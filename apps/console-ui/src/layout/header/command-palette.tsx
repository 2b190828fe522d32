import '@mantine/spotlight/styles.layer.css';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useEffect } from 'react';
import { useLayoutTexts } from '../texts/layout-texts';
import { useAreaGroups } from '../use-area-groups';

const [store, palette] = createSpotlight();

/** Finds a page by a part of its name. It opens whenever `openings` grows. */
export default function CommandPalette({ openings }: { openings: number }) {
  const t = useLayoutTexts();
  const navigate = useNavigate();
  const groups = useAreaGroups();
  useEffect(() => palette.open(), [openings]);
  return (
    <Spotlight
      store={store}
      shortcut={null}
      lockScroll={false}
      centered={false}
      highlightQuery
      nothingFound={t('palette.nothing')}
      searchProps={{
        leftSection: <Search size={18} />,
        placeholder: t('palette.placeholder'),
        'aria-label': t('header.palette'),
      }}
      actions={groups.map(({ text, areas }) => ({
        group: t(text),
        actions: areas.map(({ to, text: label, icon: Icon }) => ({
          id: to,
          label: t(label),
          leftSection: <Icon size={18} />,
          onClick: () => void navigate({ to }),
        })),
      }))}
    />
  );
}
