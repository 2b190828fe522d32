declare global {
  interface Window {
    /** Of `public/early.js`: the place of the button that was pressed last, or -1. */
    earlyPress?: number;
  }
}

const FOCUSABLE = 'a, button, input, textarea, [tabindex]';

/**
 * Replaces a page that the console has rendered by the same page, whose elements answer. What a visitor has typed, pressed and focused
 * before is done again in the new elements, which have the same places.
 */
export function replacePage(root: HTMLElement, render: () => void): void {
  const all = <Kind extends HTMLElement>(selector: string) => [...root.querySelectorAll<Kind>(selector)];
  const focused = all(FOCUSABLE).indexOf(document.activeElement as HTMLElement);
  const typed = all<HTMLInputElement>('input').map(({ value, defaultValue }) =>
    value === defaultValue ? undefined : value,
  );
  render();
  all(FOCUSABLE)[focused]?.focus({ preventScroll: true });
  all<HTMLInputElement>('input').forEach((field, index) => {
    const value = typed[index];
    if (value !== undefined) enter(field, value);
  });
  all<HTMLButtonElement>('button')[window.earlyPress ?? -1]?.click();
}

/** As a person types it: React does not see what is assigned to `value`. */
function enter(field: HTMLInputElement, value: string): void {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')!.set!.call(field, value);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
