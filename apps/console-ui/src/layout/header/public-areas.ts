import { type Area } from '../navigation';

/** The pages in the header of visitors. */
export const PUBLIC_AREAS: Omit<Area, 'icon'>[] = [
  { to: '/models', text: 'area.models' },
  { to: '/pricing', text: 'area.pricing' },
  { to: '/downloads', text: 'area.downloads' },
  { to: '/changelog', text: 'area.changelog' },
];
