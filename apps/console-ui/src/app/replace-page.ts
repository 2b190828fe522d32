import { type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { type AppRouter } from './router';

declare global {
  interface Window {
    /** Of `public/early.js`: the button that was pressed last. */
    earlyPress?: HTMLElement;
  }
}

/** A page that does not answer would be worse than one that jumps. Chosen: its scripts are there already. */
const MOST_RENDERING_MILLIS = 3_000;
const FOCUSABLE = 'a, button, input, textarea, [tabindex]';

/**
 * Puts the app in the place of a page that the console has rendered, in one step and once its page is whole, so that nothing is seen of
 * it. What a visitor has typed, pressed and focused before is done again in the new elements of the same names; not in one that is not
 * there any more, since the frame of an account differs from that of a visitor.
 */
export async function replacePage(place: HTMLElement, app: ReactNode, router: AppRouter): Promise<void> {
  const page = place.cloneNode(false) as HTMLElement;
  await new Promise<void>((resolve) => {
    router.subscribe('onRendered', () => resolve());
    setTimeout(resolve, MOST_RENDERING_MILLIS);
    createRoot(page).render(app);
  });
  const before = new Map(named(place).map(([name, element]) => [element, name]));
  const focused = document.activeElement as HTMLElement;
  const typed = all<HTMLInputElement>(place, 'input').filter(
    ({ value, defaultValue }) => value !== defaultValue,
  );
  place.replaceWith(page);
  const after = new Map(named(page));
  const counterpartOf = (element: HTMLElement | undefined) => element && after.get(before.get(element) ?? '');
  counterpartOf(focused)?.focus({ preventScroll: true });
  for (const field of typed) {
    const counterpart = counterpartOf(field);
    if (counterpart) enter(counterpart as HTMLInputElement, field.value);
  }
  counterpartOf(window.earlyPress)?.click();
}

/** Names by what a person reads, since ids differ: the third button "Copy". */
function named(root: HTMLElement): [string, HTMLElement][] {
  const counts = new Map<string, number>();
  return all<HTMLElement>(root, FOCUSABLE).map((element) => {
    const label = (element as HTMLInputElement).labels?.[0]?.textContent;
    const name = `${element.tagName} ${element.getAttribute('aria-label') ?? label ?? element.textContent}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return [`${name} ${count}`, element];
  });
}

const all = <Kind extends HTMLElement>(root: HTMLElement, selector: string) => [
  ...root.querySelectorAll<Kind>(selector),
];

/** As a person types it: React does not see what is assigned to `value`. */
function enter(field: HTMLInputElement, value: string): void {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(field, value);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
