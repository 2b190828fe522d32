import { searchForm } from './search-form';
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

/** Question words that the stop word lists do not contain. */
const QUESTION_WORDS: Readonly<Record<string, string>> = {
  ar: 'لماذا لمن أية',
  bg: 'коя кое кои какви кого кому чий чия чие чии откъде накъде',
  da: 'hvem hvornår hvor hvorfor hvordan hvilken hvilket hvilke hvorhen hvorfra',
  de: `wer wen wem wessen wann warum wieso weshalb woher wohin welches welchem welchen viele viel wieviel wieviele
    womit wofür wodurch worauf woran worin wovon wozu wonach worüber`,
  el: 'τι ποιος ποια ποιο ποιοι ποιες ποιον ποιου πόσο πόσα πόση πόσες πόσοι πόσος πότε πού γιατί πώς πως τίνος',
  en: 'many much whose',
  es: 'cuántos cuántas cuánto cuándo quiénes adónde adonde cuanto cuantos cuantas cuales',
  fi: 'milloin minne miten kuinka millainen kumpi montako moni monta paljon paljonko',
  fr: 'combien quelles quoi quand où pourquoi comment lequel laquelle lesquels lesquelles',
  hi: 'किसने किसको किसका किसकी किसके क्या कब कहाँ कहां क्यों कैसे कैसा कैसी कितने कितनी कौनसी',
  hu: 'hová mennyit mennyibe',
  hy: 'ով ովքեր ինչ ինչը երբ որտեղ ուր ինչու ինչպես որքան քանի ինչքան',
  it: 'quanti quante quando quali cosa',
  lt: 'ką kam kodėl kurie kurios kokie kokios',
  nl: 'wanneer waar waarom welk welke hoeveel wiens waarheen waarmee waarvoor waarvan',
  no: 'hvilket mye',
  pt: 'quantos quantas quando quais quê onde aonde porque porquê quanto quanta',
  ro: 'cui câtă câți',
  ru: 'какие какая какое какую каком каких сколько почему кого кому кем чему откуда чей чья чьё чье чьи который',
  sv: 'vems varifrån många',
  ta: 'யாருடைய யாருக்கு எது எவை எப்போது எப்பொழுது எங்கே எங்கு எப்படி எத்தனை எவ்வளவு எவர்',
  tr: 'kaç kim kimin kimler hangisi hangileri neyi neye nedir nereden kaçta mi',
  uk: `хто кого кому ким чому чим де куди звідки навіщо який яка яке які яку яких скільки чий чия чиє чиї
    котрий`,
  vi: 'gì ai nào bao nhiêu mấy khi đâu sao tại vì là của và các có được cho trong với những một không',
};

/** Lower-case stop words. */
const COMMON_WORDS: Readonly<Record<string, readonly string[]>> = {
  ar: arabic,
  bg: bulgarian,
  da: danish,
  de: german,
  el: greek,
  en: english,
  es: spanish,
  fi: finnish,
  fr: french,
  hi: hindi,
  hu: hungarian,
  hy: armenian,
  it: italian,
  lt: lithuanian,
  nl: dutch,
  no: norwegian,
  pt: portuguese,
  ro: romanian,
  ru: russian,
  sv: swedish,
  ta: tamil,
  tr: turkish,
  uk: ukrainian,
};

/**
 * Words of questions that may also be their subject, such as "back pain". They are searched for, but do not make a
 * sentence an answer.
 */
export const CONTEXTUAL_STOP_WORDS: ReadonlySet<string> = new Set(
  'a back get getting got long mean means meant need needed needs often take taken takes taking want wants'.split(
    ' ',
  ),
);

/** Chinese function characters and question characters. */
const FUNCTION_CHARACTERS = '的了是在和与及或有这那个们为于以之而也就都被把对从到不吗呢吧么什哪谁几多少怎';

const stopWords = new Map(
  Object.entries(QUESTION_WORDS).map(([language, words]) => [
    language,
    new Set([...(COMMON_WORDS[language] ?? []), ...words.split(/\s+/)].map(searchForm)),
  ]),
);
const functionCharacters = new Set(FUNCTION_CHARACTERS);

/** How many of the words are stop words of a language. */
export function countStopWords(words: Iterable<string>, language: string): number {
  const list = stopWords.get(language)!;
  return [...words].filter((word) => list.has(word)).length;
}

/** Number of lists that contain each word. */
const listings = new Map<string, number>();
for (const words of stopWords.values())
  for (const word of words) listings.set(word, (listings.get(word) ?? 0) + 1);

/**
 * The stop words of the language that most words of the query belong to. A query without stop words of any language
 * only loses Chinese function characters.
 * @param languages languages of the texts that are searched
 */
export function stopWordsOf(words: readonly string[], languages: readonly string[]): ReadonlySet<string> {
  let best: ReadonlySet<string> = functionCharacters;
  let bestVotes = 0;
  for (const list of languages.flatMap((language) => stopWords.get(language) ?? [])) {
    const votes = words.reduce((sum, word) => sum + (list.has(word) ? 1 / listings.get(word)! : 0), 0);
    if (votes > bestVotes) [bestVotes, best] = [votes, new Set([...list, ...functionCharacters])];
  }
  return best;
}
