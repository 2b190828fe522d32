import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useComponentTexts } from './component-texts';
import { ErrorNotice } from './error-notice';

/** What openapi-fetch needs to read a list as CSV. */
export const AS_CSV = { headers: { Accept: 'text/csv' }, parseAs: 'text' } as const;

interface Props {
  fileName: string;
  /** Reads the whole list, with `AS_CSV`. */
  read: () => Promise<{ data?: unknown }>;
}

/** Saves a whole list as a file. */
export function CsvButton({ fileName, read }: Props) {
  const t = useComponentTexts();
  const csv = useMutation({
    mutationFn: async () => String((await read()).data ?? ''),
    onSuccess: (text) => downloadText(text, { fileName, type: 'text/csv' }),
    // It may be large, and is saved at once.
    gcTime: 0,
  });
  return (
    <>
      {csv.error && <ErrorNotice error={csv.error} />}
      <Button
        variant="default"
        leftSection={<Download size={16} />}
        loading={csv.isPending}
        onClick={() => csv.mutate()}
      >
        {t('csv')}
      </Button>
    </>
  );
}

/** Saves a text as a file of the visitor. */
export function downloadText(text: string, { fileName, type }: { fileName: string; type: string }): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
