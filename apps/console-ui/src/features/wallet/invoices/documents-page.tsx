import { useSite } from '../../../site/site';
import { InvoicesPage } from './invoices-page';
import { ReceiptsPage } from './receipts-page';

/** The China site has invoices, the international one has receipts. */
export function DocumentsPage() {
  const { region } = useSite();
  return region === 'cn' ? <InvoicesPage /> : <ReceiptsPage />;
}
