import { createInstance } from 'i18next';
import { useMemo } from 'react';
import { LANGUAGES, useLanguage } from './language';

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

/** English texts of a feature by flat keys: `{ 'create.title': 'Create a key', keys_one: '{{count}} key', keys_other: … }`. */
type EnglishTexts = Record<string, string>;

type Singular = `${string}_one`;
type BaseOf<Name> = Name extends `${infer Base}_${'one' | 'other'}` ? Base : Name;

/** Chinese needs every text but the singular forms, which it does not have. */
export type ChineseTexts<Texts> = { readonly [Name in Exclude<keyof Texts, Singular>]: string };

/** The keys for `t`: plural forms have one key together. */
type TextKey<Texts> = BaseOf<keyof Texts & string>;

type NameIn<Placeholder extends string> = Placeholder extends `${infer Name},${string}` ? Name : Placeholder;
type NamesIn<Text> = Text extends `${string}{{${infer Placeholder}}}${infer Rest}`
  ? NameIn<Placeholder> | NamesIn<Rest>
  : never;
type TextsUnder<Texts, Key extends string> = Texts[(Key | `${Key}_one` | `${Key}_other`) & keyof Texts];
type ValueOf<Name> = Name extends 'count' ? number : string | number;

/** What `t` takes after the key: the values of the placeholders, if there are any. */
type ValuesFor<Texts, Key extends string> = [NamesIn<TextsUnder<Texts, Key>>] extends [never]
  ? []
  : [values: { [Name in NamesIn<TextsUnder<Texts, Key>>]: ValueOf<Name> }];

/** The keys of texts without placeholders, for lists of keys. */
export type PlainTextKey<Texts> = {
  [Key in TextKey<Texts>]: ValuesFor<Texts, Key> extends [] ? Key : never;
}[TextKey<Texts>];

/** Returns a text in the chosen language. Keys and placeholders are checked by type. */
type Translate<Texts> = <Key extends TextKey<Texts>>(key: Key, ...values: ValuesFor<Texts, Key>) => string;
