import { createInstance } from 'i18next';
import { LANGUAGES } from './language';

/** Each feature adds its own texts (`defineTexts`). */
export const i18n = createInstance();

void i18n.init({
  lng: LANGUAGES[0],
  supportedLngs: LANGUAGES,
  fallbackLng: false,
  initAsync: false,
  resources: {},
  // Keys are flat: `create.title`.
  keySeparator: false,
  nsSeparator: false,
  // React escapes.
  interpolation: { escapeValue: false },
});
