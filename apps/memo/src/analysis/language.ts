import { classOf, HAN, HANGUL } from './character-class';
import { DEFAULT_LANGUAGE, LANGUAGES } from './languages';

/** Of the text that is looked at; more of it tells no more. */
const CHARACTERS = 400;
/** Of them Chinese, Japanese or Korean, from which on no rules are needed but for what is quoted in between. */
const EAST_ASIAN_SHARE = 0.2;

/** Text that is as likely in the default language as in another one, to within this share, is names or of both. */
const CLOSE_SHARE = 0.97;

/** The language by whose rules a text's words are shortened. */
export type DetectLanguage = (text: string) => string;

/** Takes a quarter of a second and 90 MB, so only who indexes texts does it. */
export async function loadLanguageDetector(): Promise<DetectLanguage> {
  const { eld } = await import('eld/extrasmall');
  return (text) => {
    const beginning = text.slice(0, CHARACTERS);
    if (isEastAsian(beginning)) return DEFAULT_LANGUAGE;
    const detected = eld.detect(beginning);
    const { [detected.language]: best = 0, [DEFAULT_LANGUAGE]: usual = 0 } = detected.getScores();
    if (usual >= CLOSE_SHARE * best || !Object.hasOwn(LANGUAGES, detected.language)) return DEFAULT_LANGUAGE;
    return detected.language;
  };
}

function isEastAsian(text: string): boolean {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const kind = classOf(text.charCodeAt(at));
    if (kind === HAN || kind === HANGUL) count += 1;
  }
  return count > EAST_ASIAN_SHARE * text.length;
}
