import '@fontsource-variable/inter/wght.css';
import './app/theme/first-styles';
import 'virtual:theme-variables.css';
import './layout/shell.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Appearance } from './app/appearance';
import { App } from './app/app';
import { loadRuntimeConfig } from './app/runtime-config';
import { FailedPage } from './layout/failures/failed-page';
import { Session } from './session/session';

const root = createRoot(document.getElementById('root')!);

try {
  const config = await loadRuntimeConfig();
  const session = new Session(config.apiUrl);
  await session.start();
  root.render(
    <StrictMode>
      <Appearance>
        <App config={config} session={session} />
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
