import '@fontsource-variable/inter/wght.css';
import './app/first-styles';
import 'virtual:theme-variables.css';
import './layout/shell.css';
import { StrictMode } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { createConsoleApi } from './api/console-api';
import { createQueryClient } from './api/query-client';
import { Session } from './api/session';
import { loadRuntimeConfig, siteQuery } from './api/site';
import { App } from './app/app';
import { replacePage } from './app/early-input';
import { Appearance } from './app/appearance';
import { createAppRouter, preloadPage } from './app/router';
import { readServedPage } from './app/served-page';
import { FailedPage } from './layout/failures';
import { chooseLanguage } from './language/language';

const element = document.getElementById('root')!;
const root = createRoot(element);

/** Shows again what `early.js` has hidden from whoever was signed in at the last visit. */
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
  // Nothing of a page for visitors is shown to an account, which is led elsewhere.
  const isSame = served && (location.pathname !== '/' || session.getState().status === 'signed-out');
  // With its page loaded, the first rendering is the same as what the console has rendered.
  if (isSame) await router.load();
  const siteLanguage = chooseLanguage(queryClient.getQueryData(site.queryKey)?.languages ?? []);
  showAll();
  const app = (
    <StrictMode>
      <Appearance wanted={navigator.languages} otherwise={siteLanguage}>
        <App {...{ config, session, api, queryClient, router }} />
      </Appearance>
    </StrictMode>
  );
  if (isSame) replacePage(element, () => flushSync(() => root.render(app)));
  else root.render(app);
} catch (error) {
  showAll();
  root.render(
    <Appearance wanted={navigator.languages}>
      <FailedPage error={error} />
    </Appearance>,
  );
}
