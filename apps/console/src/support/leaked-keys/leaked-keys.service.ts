import { createHash } from 'node:crypto';
import { Database } from '@inference/database';
import { isApiKey, isSecretKey, KEY_KINDS, possibleHashes } from '@inference/guards';
import { Inject, Injectable } from '@nestjs/common';
import { type Origin } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import { isKnownLeak } from '../../accounts/audit-log/audit-log.repository';
import { deleteLeakedWorkspaceKey } from '../../accounts/unproven-access.repository';
import { endFormerSecrets, lockApiKey, updateApiKey } from '../../identity/api-keys/api-keys.repository';
import { API_KEYS_CONFIG, type ApiKeysConfig } from '../../identity/identity.config';
import { queueSecurityMail } from '../../notifications/mail/outbox';
import { toOneLine } from '../../notifications/mail/templates/message';
import { findKeysByHash } from '../account-search/account-search.repository';
import { type LeakedKeyVerdict } from './leaked-keys.dto';

/** What was found in public, as the scanner says it. */
export interface LeakedSecret {
  token: string;
  type: string;
  /** Where it was found; may be empty. */
  url: string;
  source: string;
}

/** A report can name thousands of secrets; other requests have their turn in between. */
const BATCH = 100;
const MAX_STORED_CHARS = 500;

/** The database takes neither a NUL nor half of a surrogate pair, which a cut can leave. */
const storable = (text: string): string => toOneLine(text).slice(0, MAX_STORED_CHARS).toWellFormed();

const WORKSPACE_KEY_START = 'sk_';

const isAnyKey = (token: string) => KEY_KINDS.some((kind) => isApiKey(token, kind));

/** Keys that were found in public places no longer work, and their owners are told. */
@Injectable()
export class LeakedKeysService {
  constructor(
    private readonly database: Database,
    @Inject(API_KEYS_CONFIG) private readonly config: ApiKeysConfig,
  ) {}

  /** Once for each secret, as it is named first. A report that comes again changes nothing, and sends no mail. */
  async report(secrets: LeakedSecret[], origin: Origin): Promise<LeakedKeyVerdict[]> {
    const tokens = new Set<string>();
    const distinct = secrets.filter(({ token }) => !tokens.has(token) && tokens.add(token));
    const verdicts: LeakedKeyVerdict[] = [];
    for (let from = 0; from < distinct.length; from += BATCH) {
      for (const secret of distinct.slice(from, from + BATCH)) {
        const isKnown = await this.stopAny(secret, origin);
        verdicts.push({
          token_hash: createHash('sha256').update(secret.token).digest('base64'),
          token_type: secret.type,
          label: isKnown ? 'true_positive' : 'false_positive',
        });
      }
      await new Promise(setImmediate);
    }
    return verdicts;
  }

  private async stopAny(secret: LeakedSecret, origin: Origin): Promise<boolean> {
    if (isAnyKey(secret.token)) return this.stop(secret, origin);
    return isSecretKey(WORKSPACE_KEY_START, secret.token) && this.deleteWorkspaceKey(secret, origin);
  }

  /** The memo service asks the database for the key of each request, so it stops at once. */
  private deleteWorkspaceKey({ token, url, source }: LeakedSecret, origin: Origin): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const key = await deleteLeakedWorkspaceKey(transaction, this.hashesOf(token));
      if (!key) return false;
      const { accountId, name, prefix } = key;
      const place = { url: storable(url), source: storable(source) };
      const details = {
        ...{ workspace_id: key.workspaceId, workspace_key_id: key.id, prefix, leaked: true },
        ...place,
      };
      const event = { type: 'workspace_key.deleted', accountId, actorId: null, origin, details } as const;
      await recordAuditEvent(transaction, event);
      const leaked = { name, prefix, url: place.url, isFormerSecret: false };
      await queueSecurityMail(transaction, 'workspace_key_leaked', accountId, null, { leaked });
      return true;
    });
  }

  private hashesOf(token: string): Buffer[] {
    const { hashSecret: API_KEY_HASH_SECRET, otherHashSecret: API_KEY_HASH_OTHER_SECRET } = this.config;
    return possibleHashes(token, { API_KEY_HASH_SECRET, API_KEY_HASH_OTHER_SECRET });
  }

  /** Disables the key, or ends the former secret of a key that has another one. Returns false for a secret of no key. */
  private async stop({ token, url, source }: LeakedSecret, origin: Origin): Promise<boolean> {
    const hashes = this.hashesOf(token);
    const [found] = await findKeysByHash(this.database, hashes);
    if (!found) return false;
    const { id, accountId } = found;
    return this.database.transaction(async (transaction) => {
      const key = await lockApiKey(transaction, { accountId, id });
      if (!key) return false;
      const isCurrent = hashes.some((hash) => key.keyHash?.equals(hash));
      // Its owner may have disabled it for another reason, and would enable it again.
      if (isCurrent && key.disabledAt && (await isKnownLeak(transaction, key))) return true;
      if (isCurrent && !key.disabledAt) await updateApiKey(transaction, id, { disabledAt: new Date() });
      if (!isCurrent && !(await endFormerSecrets(transaction, id, hashes))) return true;
      const place = { url: storable(url), source: storable(source) };
      const details = { api_key_id: id, prefix: key.prefix, former_secret: !isCurrent, ...place };
      const event = { type: 'api_key.leaked', accountId, actorId: null, origin, details } as const;
      await recordAuditEvent(transaction, event);
      const leaked = { name: key.name, prefix: key.prefix, url: place.url, isFormerSecret: !isCurrent };
      await queueSecurityMail(transaction, 'api_key_leaked', accountId, null, { leaked });
      return true;
    });
  }
}
