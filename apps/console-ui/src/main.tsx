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
import { FailedPage } from './layout/failures';

const root = createRoot(document.getElementById('root')!);

try {
  const config = await loadRuntimeConfig();
  const session = new Session(config.apiUrl);
  const api = createConsoleApi(config.apiUrl, session);
  const queryClient = createQueryClient();
  const router = createAppRouter(session);
  preloadPage(router);
  await Promise.all([session.start(), queryClient.prefetchQuery(siteQuery(api))]);
  root.render(
    <StrictMode>
      <Appearance>
        <App {...{ config, session, api, queryClient, router }} />
      </Appearance>
    </StrictMode>,
  );
} catch (error) {
  root.render(
    <Appearance>
      <FailedPage error={error} />
    </Appearance>,
  );
}
