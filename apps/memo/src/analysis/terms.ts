import { stemOf } from './stems';
import { tokensOf } from './tokens';

/** What a text in that language is found by, in its order, each term as often as it stands there. */
export function termsOf(text: string, language: string): string[] {
  const terms = tokensOf(text);
  for (let i = 0; i < terms.length; i++) terms[i] = stemOf(terms[i]!, language);
  return terms;
}
