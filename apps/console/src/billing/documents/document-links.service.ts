import { ForbiddenException, Inject, Injectable } from '@nestjs/common';
import { SealedTokens } from '../../identity/sealed-tokens';
import { SITE_CONFIG, type SiteConfig } from '../../site.config';
import { type DownloadLinkResponse } from './download';

const PURPOSE = 'document-link';
/** Chosen: a click follows at once. Twice lets a copied link work longer, half may expire while a browser asks where to save. */
const LINK_TTL_SECONDS = 300;

type DocumentKind = 'receipts' | 'invoices';

/** Links to an account's documents that a browser can open without a credential, for a few minutes. */
@Injectable()
export class DocumentLinksService {
  constructor(
    private readonly sealedTokens: SealedTokens,
    @Inject(SITE_CONFIG) private readonly site: SiteConfig,
  ) {}

  /** Returns a link to the document of the account's payment. The caller has to know that there is one. */
  async create(kind: DocumentKind, accountId: string, paymentId: string): Promise<DownloadLinkResponse> {
    const expiresAt = new Date(Date.now() + LINK_TTL_SECONDS * 1_000);
    const claims = { account_id: accountId };
    const link = await this.sealedTokens.seal(PURPOSE, `${kind} ${paymentId}`, claims, LINK_TTL_SECONDS);
    const url = `${this.site.consoleUrl}/api/billing/${kind}/${paymentId}/file?link=${link}`;
    return { url, expires_at: expiresAt.toISOString() };
  }

  /** Returns the account for which the link to this document was made. Throws 403 for a link that is invalid or has expired. */
  async accountOf(kind: DocumentKind, paymentId: string, link: string): Promise<string> {
    const claims = await this.sealedTokens.open(PURPOSE, `${kind} ${paymentId}`, link);
    if (typeof claims?.account_id !== 'string')
      throw new ForbiddenException('the link is not valid or has expired: ask for another one');
    return claims.account_id;
  }
}
