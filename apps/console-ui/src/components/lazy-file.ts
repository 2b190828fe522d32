import { lazyRouteComponent as lazyOfRouter } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { connectionOrPause } from '../api/connection';

/** How soon it is tried again if the browser does not say that the connection is back. */
const RETRY_MILLIS = 3_000;

let waiting = 0;
const listeners = new Set<() => void>();

function changeWaiting(by: number): void {
  waiting += by;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether a file of the pages cannot be loaded because the site is not reached. */
export const useIsWaitingForSite = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => waiting > 0,
    () => false,
  );

/** Asks for a small file of the console, past the cache of the browser. */
const isSiteReached = () =>
  fetch('/config.json', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Loads the document anew, once for each file. False if that was done before, or cannot be remembered. */
function reloadOnceFor(file: string): boolean {
  const key = `reloaded-for ${file}`;
  try {
    if (sessionStorage.getItem(key) !== null) return false;
    sessionStorage.setItem(key, '');
  } catch {
    return false;
  }
  window.location.reload();
  return true;
}

/**
 * Loads a file of the pages. While the site is not reached it waits. A file that is gone after an update of the site loads the
 * document anew, which names the files of today; if that does not help, the error is thrown.
 *
 * @param load whose source text names the file
 */
export const fileLoader =
  <Module>(load: () => Promise<Module>) =>
  async (): Promise<Module> => {
    for (;;) {
      try {
        return await load();
      } catch (error) {
        if (await isSiteReached()) {
          // With another message than the router reloads the document for, too.
          if (!reloadOnceFor(load.toString()))
            throw new Error('A file of the pages is missing.', { cause: error });
          // Until the document is gone.
          return new Promise<Module>(() => undefined);
        }
        changeWaiting(1);
        await connectionOrPause(RETRY_MILLIS);
        changeWaiting(-1);
      }
    }
  };

/** The component of a page, whose file is loaded when the page is opened. */
export const lazyRouteComponent: typeof lazyOfRouter = (importer, exportName) =>
  lazyOfRouter(fileLoader(importer), exportName);
