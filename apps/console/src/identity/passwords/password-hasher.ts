import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { hash, type Options, verify } from '@node-rs/argon2';

/** argon2id, the default of the library, with the parameters of the OWASP Password Storage Cheat Sheet. */
const STRENGTH: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Keyboards encode the same visible password in different ways; NFKC makes them equal. */
const normalized = (password: string) => password.normalize('NFKC');

export function hashPassword(password: string): Promise<string> {
  return hash(normalized(password), STRENGTH);
}

@Injectable()
export class PasswordHasher {
  /** Hash of a random password, compared when an account has none. */
  private readonly decoy = hashPassword(randomBytes(32).toString('base64'));

  /** Takes the same time whether or not there is a password. @param stored hash; null if there is no password */
  async matches(stored: string | null, password: string): Promise<boolean> {
    const same = await verify(stored ?? (await this.decoy), normalized(password));
    return same && stored !== null;
  }
}
