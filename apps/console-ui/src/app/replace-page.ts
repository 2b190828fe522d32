import { type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { type AppRouter } from './router';

declare global {
  interface Window {
    /** Of `public/early.js`: the place of the button that was pressed last, or -1. */
    earlyPress?: number;
  }
}

/** A page that does not answer would be worse than one that jumps. Chosen: its scripts are there already. */
const MOST_RENDERING_MILLIS = 3_000;
const FOCUSABLE = 'a, button, input, textarea, [tabindex]';

/**
 * Puts the app in the place of a page that the console has rendered, in one step and once its page is whole, so that nothing is seen of
 * it. What a visitor has typed, pressed and focused before is done again in the new elements, which have the same order.
 */
export async function replacePage(place: HTMLElement, app: ReactNode, router: AppRouter): Promise<void> {
  const page = place.cloneNode(false) as HTMLElement;
  await new Promise<void>((resolve) => {
    router.subscribe('onRendered', () => resolve());
    setTimeout(resolve, MOST_RENDERING_MILLIS);
    createRoot(page).render(app);
  });
  const focused = all(place, FOCUSABLE).indexOf(document.activeElement as HTMLElement);
  const typed = all<HTMLInputElement>(place, 'input').map(({ value, defaultValue }) =>
    value === defaultValue ? undefined : value,
  );
  place.replaceWith(page);
  all(page, FOCUSABLE)[focused]?.focus({ preventScroll: true });
  all<HTMLInputElement>(page, 'input').forEach((field, index) => {
    const value = typed[index];
    if (value !== undefined) enter(field, value);
  });
  all(page, 'button')[window.earlyPress ?? -1]?.click();
}

const all = <Kind extends HTMLElement>(root: HTMLElement, selector: string) => [
  ...root.querySelectorAll<Kind>(selector),
];

/** As a person types it: React does not see what is assigned to `value`. */
function enter(field: HTMLInputElement, value: string): void {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(field, value);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
