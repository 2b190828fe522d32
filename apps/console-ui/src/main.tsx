import '@fontsource-variable/inter/wght.css';
import './app/first-styles';
import 'virtual:theme-variables.css';
import './layout/shell.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createConsoleApi } from './api/console-api';
import { createQueryClient } from './api/query-client';
import { Session } from './api/session';
import { loadRuntimeConfig, siteQuery } from './api/site';
import { App } from './app/app';
import { replacePage } from './app/replace-page';
import { Appearance } from './app/appearance';
import { createAppRouter, preloadPage } from './app/router';
import { readServedPage } from './app/served-page';
import { FailedPage } from './layout/failures';
import { chooseLanguage } from './language/language';

const place = document.getElementById('root')!;

/** Shows again what `early.js` has hidden from whoever was signed in at the last visit. */
const showAll = () => document.documentElement.removeAttribute('data-returning');

// Not awaited: the files of pages import this one, and are not executed before it ends.
void start().catch((error: unknown) => {
  showAll();
  createRoot(place).render(
    <Appearance wanted={navigator.languages}>
      <FailedPage error={error} />
    </Appearance>,
  );
});

async function start(): Promise<void> {
  const served = readServedPage();
  const config = served?.config ?? (await loadRuntimeConfig());
  const session = new Session(config.apiUrl);
  const api = createConsoleApi(config.apiUrl, session);
  const queryClient = createQueryClient();
  for (const [key, data] of served?.queries ?? []) queryClient.setQueryData(key, data);
  const router = createAppRouter(session);
  preloadPage(router);
  const site = siteQuery(api);
  await Promise.all([session.start(), queryClient.prefetchQuery(site)]);
  const siteLanguage = chooseLanguage(queryClient.getQueryData(site.queryKey)?.languages ?? []);
  const app = (
    <StrictMode>
      <Appearance wanted={navigator.languages} otherwise={siteLanguage}>
        <App {...{ config, session, api, queryClient, router }} />
      </Appearance>
    </StrictMode>
  );
  // The start page leads an account elsewhere.
  const isSame = served && (location.pathname !== '/' || session.getState().status === 'signed-out');
  if (isSame) {
    await replacePage(place, app, router);
  } else {
    place.replaceChildren();
    createRoot(place).render(app);
  }
  showAll();
}
