import { type Page } from 'playwright-core';

/** Below it each row of a table is a card. */
const PHONE_PIXELS = 768;
/** A usual screen, where every table fits. */
const SCREEN_PIXELS = 1440;

/**
 * What of the page nobody reaches without scrolling sideways: on a phone and on a usual screen any part of a table that is shown, and
 * everywhere the buttons, links and fields.
 */
export const outOfReach = (tab: Page): Promise<string[]> =>
  tab.evaluate<string[]>(`(() => {
    const width = document.documentElement.clientWidth;
    const found = [];
    const name = (element) => (element.getAttribute('aria-label') ?? element.textContent).trim().slice(0, 60);
    const check = (element, what) => {
      const { left, right, width: own } = element.getBoundingClientRect();
      if (own > 0 && (left < -0.5 || right > width + 0.5))
        found.push(what + ' ' + name(element) + ': from ' + Math.round(left) + ' to ' + Math.round(right));
    };
    if (document.documentElement.scrollWidth > width) found.push('the page is ' + document.documentElement.scrollWidth + ' px wide');
    for (const table of document.querySelectorAll('[role=table]')) {
      const region = table.closest('[role=region]') ?? table;
      const fits = width < ${PHONE_PIXELS} || width >= ${SCREEN_PIXELS};
      if (fits && region.scrollWidth > region.clientWidth) found.push(name(table) + ' scrolls sideways');
      for (const cell of table.querySelectorAll(width < ${PHONE_PIXELS} ? 'tbody td' : 'tbody td[data-place=actions]'))
        check(cell, name(table) + ', ' + cell.dataset.place);
    }
    const controls = [...document.querySelectorAll('main :is(button, a, input, [role=combobox]), [role=dialog] :is(button, a)')];
    for (const control of controls) {
      const cell = control.closest('td');
      // On a wide screen a table with many columns scrolls; the buttons of its rows stay in sight.
      if (!cell || width < ${PHONE_PIXELS} || cell.dataset.place === 'actions') check(control, control.localName);
    }
    return found;
  })()`);

/** The places of a card that are in sight in each row of the table: what they show without the card being unfolded. */
export const shownPlaces = (tab: Page, label: string): Promise<string[][]> =>
  tab
    .getByRole('table', { name: label, exact: true })
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...row.querySelectorAll('td')]
          .filter(
            (cell) =>
              cell.getBoundingClientRect().width > 0 &&
              (cell.textContent !== '' || cell.querySelector('button, input') !== null),
          )
          .map((cell) => cell.getAttribute('data-place')!),
      ),
    );
