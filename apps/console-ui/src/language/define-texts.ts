import { createInstance } from 'i18next';
import { useMemo } from 'react';
import { LANGUAGES } from './language';
import { useLanguage } from './language-context';
import { type ChineseTexts, type EnglishTexts, type Translate } from './text-types';

/** Each feature adds its own texts (`defineTexts`). */
const i18n = createInstance();

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

/**
 * Registers the texts of a feature, and returns the hook that reads them: `const t = useKeyTexts(); t('create.title')`.
 * They are loaded together with the feature's pages.
 * @param namespace unique, the feature's name
 */
export function defineTexts<const Texts extends EnglishTexts>(
  namespace: string,
  english: Texts,
  chinese: ChineseTexts<Texts>,
): () => Translate<Texts> {
  i18n.addResourceBundle('en', namespace, english);
  i18n.addResourceBundle('zh-CN', namespace, chinese);
  return function useTexts() {
    const { language } = useLanguage();
    return useMemo(() => {
      const translate = i18n.getFixedT(language, namespace);
      return ((key: string, values?: object) => translate(key, { ...values })) as Translate<Texts>;
    }, [language]);
  };
}
