import { type Area } from './navigation';

/** The pages in the header of visitors. The sign-in loads them at once, and not the areas of accounts with their icons. */
export const PUBLIC_AREAS: Omit<Area, 'icon'>[] = [
  { to: '/models', text: 'area.models' },
  { to: '/pricing', text: 'area.pricing' },
  { to: '/packages', text: 'area.packages' },
  { to: '/downloads', text: 'area.downloads' },
  { to: '/changelog', text: 'area.changelog' },
];
