import { createHash } from 'node:crypto';

const SUBJECT_DIGITS = 24;

export interface Account {
  email: string;
  verified: boolean;
}

/** The accounts that have signed in, each with the data of its last sign-in. */
export class Accounts {
  private readonly bySubject = new Map<string, Account>();

  /** Returns the subject, which is the same for the same address, in every run. */
  add(person: Account): string {
    const subject = createHash('sha256').update(person.email).digest('hex').slice(0, SUBJECT_DIGITS);
    this.bySubject.set(subject, person);
    return subject;
  }

  find(subject: string): Account | undefined {
    return this.bySubject.get(subject);
  }
}
