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
import { Appearance } from './app/appearance';
import { createAppRouter, preloadPage } from './app/router';
import { readServedPage } from './app/served-page';
import { FailedPage } from './layout/failures';
import { chooseLanguage } from './language/language';

const root = createRoot(document.getElementById('root')!);

/** Shows again what `color-scheme.js` has hidden from whoever was signed in at the last visit. */
const showAll = () => document.documentElement.removeAttribute('data-returning');

try {
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
  // With its page loaded, the first rendering replaces what the console has rendered by the same.
  if (served) await router.load();
  const siteLanguage = chooseLanguage(queryClient.getQueryData(site.queryKey)?.languages ?? []);
  showAll();
  root.render(
    <StrictMode>
      <Appearance wanted={navigator.languages} otherwise={siteLanguage}>
        <App {...{ config, session, api, queryClient, router }} />
      </Appearance>
    </StrictMode>,
  );
} catch (error) {
  showAll();
  root.render(
    <Appearance wanted={navigator.languages}>
      <FailedPage error={error} />
    </Appearance>,
  );
}
