import { stemOf } from './stemming';
import { tokenize } from './tokenizer';

/** The index terms of a text in order, with repetitions. */
export function termsOf(text: string, language: string): string[] {
  const terms = tokenize(text);
  for (let i = 0; i < terms.length; i++) terms[i] = stemOf(terms[i]!, language);
  return terms;
}
