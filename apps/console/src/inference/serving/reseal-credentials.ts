import { type Transaction } from '@inference/database';
import { type CredentialSeal, lockDirectory } from '@inference/serving';
import { readCredentials, updateSealed } from './serving.repository';

/** Encrypts the credentials of upstreams again with the first key. Returns how many; throws if one cannot be decrypted. */
export async function resealCredentials(transaction: Transaction, seal: CredentialSeal): Promise<number> {
  await lockDirectory(transaction);
  let count = 0;
  for (const credential of await readCredentials(transaction)) {
    if (seal.isCurrent(credential.sealed)) continue;
    const text = seal.open(credential.upstreamId, credential.sealed);
    if (text === null) throw new Error(`The credential ${credential.id} is encrypted with another key.`);
    const fresh = seal.seal(credential.upstreamId, text);
    if (await updateSealed(transaction, credential, fresh)) count++;
  }
  return count;
}
