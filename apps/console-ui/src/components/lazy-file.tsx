import { lazyRouteComponent as lazyOfRouter } from '@tanstack/react-router';
import { Button } from '@mantine/core';
import { Component, type ReactNode, Suspense, useState, useSyncExternalStore } from 'react';
import { connectionOrPause } from '../api/session';
import { useComponentTexts } from './component-texts';

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

/** A file of the pages is gone, as after an update of the site. A document that is loaded anew names the files of today. */
class MissingFileError extends Error {
  constructor(
    readonly file: string,
    cause: unknown,
  ) {
    // With another message than the router reloads the document for, too.
    super('A file of the pages is missing.', { cause });
  }
}

let isReloading = false;

/**
 * Loads the document anew if a file that the page needs is missing, once for each file. False if the error is another one, if that was
 * done before, or if it cannot be remembered.
 */
function reloadOnceFor(error: unknown): boolean {
  if (!(error instanceof MissingFileError)) return false;
  if (isReloading) return true;
  const key = `reloaded-for ${error.file}`;
  try {
    if (sessionStorage.getItem(key) !== null) return false;
    sessionStorage.setItem(key, '');
  } catch {
    return false;
  }
  isReloading = true;
  window.location.reload();
  return true;
}

/** Whether the document is being loaded anew for what stands in place of the page, or of a part of it. */
export const useReloadOnceFor = (error: unknown): boolean => useState(() => reloadOnceFor(error))[0];

/**
 * Loads a file of the pages. While the site is not reached it waits. Throws a MissingFileError if the file is gone: a link that is
 * only pointed at loads its page ahead, so the document is loaded anew by what shows the error.
 *
 * @param load whose source text names the file
 */
export const fileLoader =
  <Module,>(load: () => Promise<Module>) =>
  async (): Promise<Module> => {
    for (;;) {
      try {
        return await load();
      } catch (error) {
        if (await isSiteReached()) throw new MissingFileError(load.toString(), error);
        changeWaiting(1);
        await connectionOrPause(RETRY_MILLIS);
        changeWaiting(-1);
      }
    }
  };

/** The component of a page, whose file is loaded when the page is opened, or a link to it is pointed at. */
export const lazyRouteComponent: typeof lazyOfRouter = (importer, exportName) =>
  lazyOfRouter(fileLoader(importer), exportName);

interface OptionalPartProps {
  /** Stands in its place until it is loaded. */
  fallback?: ReactNode;
  /** It is loaded with the page, before anything can be typed: the document may be loaded anew for it. */
  isLoadedAtOnce?: boolean;
  children: ReactNode;
}

/**
 * A part beside the page, made by `lazy` and `fileLoader`. If its file is gone after an update of the console, the page and what was
 * typed stay.
 */
export class OptionalPart extends Component<OptionalPartProps, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { fallback, isLoadedAtOnce = false, children } = this.props;
    const { error } = this.state;
    if (error !== undefined) return <MissingPart error={isLoadedAtOnce ? error : undefined} />;
    return <Suspense fallback={fallback}>{children}</Suspense>;
  }
}

function MissingPart({ error }: { error: unknown }) {
  const t = useComponentTexts();
  if (useReloadOnceFor(error)) return null;
  return (
    <Button size="xs" variant="default" title={t('part.missing')} onClick={() => window.location.reload()}>
      {t('part.reload')}
    </Button>
  );
}
