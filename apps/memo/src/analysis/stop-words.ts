import { stopwords as arabic } from '@orama/stopwords/arabic';
import { stopwords as armenian } from '@orama/stopwords/armenian';
import { stopwords as bulgarian } from '@orama/stopwords/bulgarian';
import { stopwords as danish } from '@orama/stopwords/danish';
import { stopwords as dutch } from '@orama/stopwords/dutch';
import { stopwords as english } from '@orama/stopwords/english';
import { stopwords as finnish } from '@orama/stopwords/finnish';
import { stopwords as french } from '@orama/stopwords/french';
import { stopwords as german } from '@orama/stopwords/german';
import { stopwords as greek } from '@orama/stopwords/greek';
import { stopwords as hungarian } from '@orama/stopwords/hungarian';
import { stopwords as hindi } from '@orama/stopwords/indian';
import { stopwords as italian } from '@orama/stopwords/italian';
import { stopwords as lithuanian } from '@orama/stopwords/lithuanian';
import { stopwords as norwegian } from '@orama/stopwords/norwegian';
import { stopwords as portuguese } from '@orama/stopwords/portuguese';
import { stopwords as romanian } from '@orama/stopwords/romanian';
import { stopwords as russian } from '@orama/stopwords/russian';
import { stopwords as spanish } from '@orama/stopwords/spanish';
import { stopwords as swedish } from '@orama/stopwords/swedish';
import { stopwords as tamil } from '@orama/stopwords/tamil';
import { stopwords as turkish } from '@orama/stopwords/turkish';
import { stopwords as ukrainian } from '@orama/stopwords/ukrainian';

/** What the lists lack of the words by which people ask, and that say nothing of what they ask for. */
const QUESTION_WORDS = {
  de: 'viele viel welches welchem welchen wann warum wieviele',
  el: 'τι ποιος ποια ποιο ποιοι πόσο πόσα πότε πού ποιες',
  en: 'many much whose',
  es: 'cuántos cuántas cuánto cuándo quiénes',
  fr: 'combien quelles',
  it: 'quanti quante quando quali',
  pt: 'quantos quantas quando quais',
  ru: 'какие какая каком сколько почему',
  tr: 'kaç kim hangisi',
  vi: 'gì ai nào bao nhiêu là của và các có được cho trong với những một không',
};

const asked = (language: keyof typeof QUESTION_WORDS) => QUESTION_WORDS[language].split(' ');

/** Words that stand in every text of a language, in small letters. */
const LISTS: Record<string, readonly string[]> = {
  ar: arabic,
  bg: bulgarian,
  da: danish,
  de: [...german, ...asked('de')],
  el: [...greek, ...asked('el')],
  en: [...english, ...asked('en')],
  es: [...spanish, ...asked('es')],
  fi: finnish,
  fr: [...french, ...asked('fr')],
  hi: hindi,
  hu: hungarian,
  hy: armenian,
  it: [...italian, ...asked('it')],
  lt: lithuanian,
  nl: dutch,
  no: norwegian,
  pt: [...portuguese, ...asked('pt')],
  ro: romanian,
  ru: [...russian, ...asked('ru')],
  sv: swedish,
  ta: tamil,
  tr: [...turkish, ...asked('tr')],
  uk: ukrainian,
  vi: asked('vi'),
};

/**
 * Words by which people ask, too, but that can be part of what they ask for, like "back pain": they are searched for, and
 * do not make a sentence an answer.
 */
export const ASKING_WORDS: ReadonlySet<string> = new Set(
  'a back get getting got long mean means meant need needed needs often take taken takes taking want wants'.split(
    ' ',
  ),
);

/** Chinese characters that join others or ask. */
const FUNCTION_CHARACTERS = '的了是在和与及或有这那个们为于以之而也就都被把对从到不吗呢吧么什哪谁几多少怎';

const stopWords = new Map(Object.entries(LISTS).map(([language, words]) => [language, new Set(words)]));
const functionCharacters = new Set(FUNCTION_CHARACTERS);

/** In how many lists each word is. */
const listings = new Map<string, number>();
for (const words of stopWords.values())
  for (const word of words) listings.set(word, (listings.get(word) ?? 0) + 1);

/**
 * Which words of a question say nothing of what it asks for: those of the language whose stop words make up most of it. A
 * question without any has nothing to lose, in whatever language it is.
 * @param languages those of the texts that are asked
 */
export function stopWordsOf(words: readonly string[], languages: readonly string[]): ReadonlySet<string> {
  let best: ReadonlySet<string> = functionCharacters;
  let most = 0;
  for (const list of languages.flatMap((language) => stopWords.get(language) ?? [])) {
    const votes = words.reduce((sum, word) => sum + (list.has(word) ? 1 / listings.get(word)! : 0), 0);
    if (votes > most) [most, best] = [votes, new Set([...list, ...functionCharacters])];
  }
  return best;
}
