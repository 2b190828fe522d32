import { Button, Stack } from '@mantine/core';
import { Download } from 'lucide-react';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { useDocumentLink } from '../wallet-queries';

interface Props {
  kind: 'receipts' | 'invoices';
  paymentId: string;
  text: string;
  /** Name for screen readers where several buttons have the same text. */
  label?: string;
  size?: 'xs' | 'sm';
}

/** Downloads the receipt or the invoice of a payment. */
export function DownloadButton({ kind, paymentId, text, label, size = 'sm' }: Props) {
  const link = useDocumentLink(kind);
  // The answer is a download, which leaves the page where it is.
  const download = () => link.mutate(paymentId, { onSuccess: ({ url }) => window.location.assign(url) });
  return (
    <Stack gap="sm" align={size === 'xs' ? 'flex-end' : 'flex-start'}>
      {link.error && <ErrorNotice error={link.error} />}
      <Button
        variant="default"
        size={size}
        leftSection={<Download size={16} />}
        loading={link.isPending}
        onClick={download}
        {...(label !== undefined && { 'aria-label': label })}
      >
        {text}
      </Button>
    </Stack>
  );
}
