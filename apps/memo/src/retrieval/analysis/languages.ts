import { stemmer as arabic } from '@orama/stemmers/arabic';
import { stemmer as armenian } from '@orama/stemmers/armenian';
import { stemmer as bulgarian } from '@orama/stemmers/bulgarian';
import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as greek } from '@orama/stemmers/greek';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as hindi } from '@orama/stemmers/indian';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as lithuanian } from '@orama/stemmers/lithuanian';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as tamil } from '@orama/stemmers/tamil';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import { stemmer as ukrainian } from '@orama/stemmers/ukrainian';
import english from 'wink-porter2-stemmer';

type Script = 'latin' | 'cyrillic' | 'greek' | 'armenian' | 'arabic' | 'devanagari' | 'tamil';

export interface Language {
  script: Script;
  /** Returns the stem of a lower-case word. */
  stem: (word: string) => string;
}

/** Used for texts in unknown languages. */
export const DEFAULT_LANGUAGE = 'en';

const latin = (stem: Language['stem']): Language => ({ script: 'latin', stem });
const cyrillic = (stem: Language['stem']): Language => ({ script: 'cyrillic', stem });

/** By ISO 639-1 code. */
export const LANGUAGES: Readonly<Record<string, Language>> = {
  ar: { script: 'arabic', stem: arabic },
  bg: cyrillic(bulgarian),
  da: latin(danish),
  de: latin(german),
  el: { script: 'greek', stem: greek },
  en: latin(english),
  es: latin(spanish),
  fi: latin(finnish),
  fr: latin(french),
  hi: { script: 'devanagari', stem: hindi },
  hu: latin(hungarian),
  hy: { script: 'armenian', stem: armenian },
  it: latin(italian),
  lt: latin(lithuanian),
  nl: latin(dutch),
  no: latin(norwegian),
  pt: latin(portuguese),
  ro: latin(romanian),
  ru: cyrillic(russian),
  sv: latin(swedish),
  ta: { script: 'tamil', stem: tamil },
  tr: latin(turkish),
  uk: cyrillic(ukrainian),
  vi: latin((word) => word),
};

/** The most common language of each script, for words whose script differs from that of the text's language. */
const SCRIPTS: [script: Script, pattern: RegExp, language: string][] = [
  ['latin', /^\p{Script=Latin}/u, 'en'],
  ['cyrillic', /^\p{Script=Cyrillic}/u, 'ru'],
  ['greek', /^\p{Script=Greek}/u, 'el'],
  ['arabic', /^\p{Script=Arabic}/u, 'ar'],
  ['devanagari', /^\p{Script=Devanagari}/u, 'hi'],
  ['armenian', /^\p{Script=Armenian}/u, 'hy'],
  ['tamil', /^\p{Script=Tamil}/u, 'ta'],
];

/** The language whose stemmer applies to a word in a text of the given language; undefined if there is none. */
export function languageOfWord(word: string, language: string): string | undefined {
  const found = SCRIPTS.find(([, pattern]) => pattern.test(word));
  if (!found) return undefined;
  const [script, , usual] = found;
  return LANGUAGES[language]?.script === script ? language : usual;
}
