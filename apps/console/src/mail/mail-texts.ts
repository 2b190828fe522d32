import { type MailKind, type TokenMailKind } from './mail-kinds';

/** Lines of text, or something that stands by itself so that it can be copied. */
export type Paragraph = string | { link: string } | { token: string };

interface SharedFacts {
  siteName: string;
}

export interface TokenFacts extends SharedFacts {
  /** Opens the page with the token filled in. */
  link: string;
  token: string;
  /** Of the token. */
  validHours: number;
  /** Whether using it is the first proof that the address is the account's owner's. */
  isFirstProof: boolean;
}

export interface NoticeFacts extends SharedFacts {
  /** `2026-11-21 15:05:01`, in UTC. */
  at: string;
  /** Where the change came from, null when it is not known. */
  address: string | null;
  /** Where people use the console. */
  consoleUrl: string;
}

export type FactsOf<Kind extends MailKind> = Kind extends TokenMailKind ? TokenFacts : NoticeFacts;

export interface MailText<Facts> {
  subject: (facts: Facts) => string;
  paragraphs: (facts: Facts) => Paragraph[];
}

/** All mails in one language. */
export type MailTexts = { [Kind in MailKind]: MailText<FactsOf<Kind>> };
