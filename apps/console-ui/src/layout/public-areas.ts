import { type PlainTextKey } from '../language/define-texts';
import { type en } from './layout-texts';

/** The pages in the header of visitors. The sign-in loads them at once, and not the areas of accounts with their icons. */
export const PUBLIC_AREAS: { to: string; text: PlainTextKey<typeof en> }[] = [
  { to: '/models', text: 'area.models' },
  { to: '/pricing', text: 'area.pricing' },
  { to: '/packages', text: 'area.packages' },
  { to: '/downloads', text: 'area.downloads' },
  { to: '/changelog', text: 'area.changelog' },
];
