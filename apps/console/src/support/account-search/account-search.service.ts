import { Database } from '@inference/database';
import { isApiKey, isSecretKey, KEY_KINDS, possibleHashes } from '@inference/guards';
import { Inject, Injectable } from '@nestjs/common';
import { RequestsService } from '../../billing/requests/requests.service';
import { AdminAccountsService } from '../../identity/admin-accounts/admin-accounts.service';
import { API_KEYS_CONFIG, type ApiKeysConfig } from '../../identity/identity.config';
import { type AccountMatchResponse, type MatchKind } from './account-search.dto';
import {
  findDocumentByNumber,
  findKeyById,
  findKeysByHash,
  findKeysByPrefix,
  findPaymentById,
  findWorkspaceKeyByHash,
  type Owned,
} from './account-search.repository';

const MOST_MATCHES = 20;
/** `bfvk-` or `bfvm-` and seven digits, which is what is stored of a key. */
const PREFIX_LENGTH = 12;
const KEY = /^bfv[km]-[0-9A-Za-z]{3,}$/;
const WORKSPACE_KEY_START = 'sk_';
const DOCUMENT_NUMBER = /^(R|INV)-\d{4}-\d{6,}$/i;

/** Finds a customer by anything that names it, or something of it. */
@Injectable()
export class AccountSearchService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AdminAccountsService,
    private readonly requests: RequestsService,
    @Inject(API_KEYS_CONFIG) private readonly config: ApiKeysConfig,
  ) {}

  async search(query: string): Promise<AccountMatchResponse[]> {
    const named = await this.find(query);
    if (!named) {
      const { accounts } = await this.accounts.list({ search: query, limit: MOST_MATCHES });
      if (accounts.length > 0)
        return accounts.map((account) => ({ kind: 'account', id: account.id, account }));
    }
    if (named && named.found.length > 0) return this.withAccounts(named.kind, named.found);
    // A key is sent to no other search.
    if (named?.kind === 'api_key' || named?.kind === 'workspace_key') return [];
    return this.withAccounts('request', await this.requests.findByClientId(query, MOST_MATCHES));
  }

  private async withAccounts(kind: MatchKind, found: Owned[]): Promise<AccountMatchResponse[]> {
    if (found.length === 0) return [];
    const ids = [...new Set(found.map(({ accountId }) => accountId))];
    const { accounts } = await this.accounts.list({ ids: ids.join(','), limit: ids.length });
    const byId = new Map(accounts.map((account) => [account.id, account]));
    return found.flatMap(({ id, accountId }) => {
      const account = byId.get(accountId);
      return account ? [{ kind, id, account }] : [];
    });
  }

  /** Null if the text has not the form of anything but an account. */
  private async find(text: string): Promise<{ kind: MatchKind; found: Owned[] } | null> {
    const { database } = this;
    if (KEY.test(text)) return { kind: 'api_key', found: await this.findKeys(text) };
    if (isSecretKey(WORKSPACE_KEY_START, text))
      return { kind: 'workspace_key', found: await findWorkspaceKeyByHash(database, this.hashesOf(text)) };
    if (/^key_/.test(text)) return { kind: 'api_key', found: await findKeyById(database, text) };
    if (/^pay_/.test(text)) return { kind: 'payment', found: await findPaymentById(database, text) };
    if (DOCUMENT_NUMBER.test(text)) {
      const number = text.toUpperCase();
      return { kind: 'document', found: await findDocumentByNumber(database, number) };
    }
    if (/^(req|trn)_/.test(text)) {
      const accountId = await this.requests.findAccountOf(text);
      return { kind: 'request', found: accountId === null ? [] : [{ id: text, accountId }] };
    }
    return null;
  }

  /** A whole key is looked up by its hash alone, also under a former secret. */
  private findKeys(text: string): Promise<Owned[]> {
    if (KEY_KINDS.some((kind) => isApiKey(text, kind)))
      return findKeysByHash(this.database, this.hashesOf(text));
    return findKeysByPrefix(this.database, text.slice(0, PREFIX_LENGTH), MOST_MATCHES);
  }

  private hashesOf(key: string): Buffer[] {
    const { hashSecret: API_KEY_HASH_SECRET, otherHashSecret: API_KEY_HASH_OTHER_SECRET } = this.config;
    return possibleHashes(key, { API_KEY_HASH_SECRET, API_KEY_HASH_OTHER_SECRET });
  }
}
