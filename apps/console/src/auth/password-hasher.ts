import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hash, type Options, verify } from '@node-rs/argon2';

/** argon2id (the library's default algorithm) at the strength that OWASP recommends. */
const STRENGTH: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** One form for passwords that look the same, whichever keyboard typed them. */
const normalised = (password: string) => password.normalize('NFKC');

export function hashPassword(password: string): Promise<string> {
  return hash(normalised(password), STRENGTH);
}

@Injectable()
export class PasswordHasher {
  /** Of a password that nobody knows. */
  private readonly decoy = hashPassword(randomBytes(32).toString('base64'));

  /** Takes the same time whether there is a password (`stored` is null otherwise) or not. */
  async matches(stored: string | null, password: string): Promise<boolean> {
    const same = await verify(stored ?? (await this.decoy), normalised(password));
    return same && stored !== null;
  }
}
