import { ActionIcon, Tooltip } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { Search } from 'lucide-react';
import { lazy, useState } from 'react';
import { fileLoader, OptionalPart } from '../components/lazy-file';
import { useLayoutTexts } from './layout-texts';

const CommandPalette = lazy(fileLoader(() => import('./command-palette')));

/**
 * Opens the command palette, as Ctrl-K does; only then it is loaded. Not in a file with what visitors see: its tooltip would be a tenth of
 * what the sign-in loads.
 */
export function PaletteButton() {
  const t = useLayoutTexts();
  const [openings, setOpenings] = useState(0);
  const open = () => setOpenings((count) => count + 1);
  useHotkeys([['mod+K', open]], []);
  return (
    <>
      <Tooltip label={`${t('header.palette')} (Ctrl K)`}>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('header.palette')} onClick={open}>
          <Search size={18} />
        </ActionIcon>
      </Tooltip>
      {openings > 0 && (
        <OptionalPart>
          <CommandPalette openings={openings} />
        </OptionalPart>
      )}
    </>
  );
}
