import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { type ChineseTexts, defineTexts } from '../language/define-texts';
import { ErrorNotice } from './error-notice';

const en = {
  download: 'Download CSV',
} as const;

const zh: ChineseTexts<typeof en> = {
  download: '下载 CSV',
};

const useCsvTexts = defineTexts('csv-button', en, zh);

/** What openapi-fetch needs to read a list as CSV. */
export const AS_CSV = { headers: { Accept: 'text/csv' }, parseAs: 'text' } as const;

interface Props {
  fileName: string;
  /** Reads the whole list, with `AS_CSV`. */
  read: () => Promise<{ data?: unknown }>;
}

/** Saves a whole list as a file. */
export function CsvButton({ fileName, read }: Props) {
  const t = useCsvTexts();
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
        {t('download')}
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
