import { parseExact, stringifyFigures } from '../api/exact-json';
import { type RuntimeConfig } from '../api/site';

/** What a page that the console has rendered brings along, so that its scripts ask for nothing again. */
export interface ServedPage {
  config: RuntimeConfig;
  /** Keys of queries with their data. */
  queries: [key: readonly unknown[], data: unknown][];
}

const ELEMENT_ID = 'served-page';

/** A data block is no script: the policy of the pages does not concern it. */
export const servedPageElement = (page: ServedPage): string =>
  `<script type="application/json" id="${ELEMENT_ID}">${stringifyFigures(page).replaceAll('<', '\\u003c')}</script>`;

/** Undefined if the page came without content. */
export function readServedPage(): ServedPage | undefined {
  const text = document.getElementById(ELEMENT_ID)?.textContent;
  return text ? (parseExact(text) as ServedPage) : undefined;
}
