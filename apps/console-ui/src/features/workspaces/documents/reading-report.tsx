import { Alert, List } from '@mantine/core';
import { formatNumber } from '../../../figures/format-figure';
import { useLanguage } from '../../../language/language-context';
import { useWorkspaceTexts } from '../workspace-texts';
import { type MemoDocument } from './document-queries';

/** What the file of a document holds and its text does not. */
export function ReadingReport({ report }: { report: NonNullable<MemoDocument['report']> }) {
  const t = useWorkspaceTexts();
  const { language } = useLanguage();
  if (report.left_out.length === 0) return null;
  return (
    <Alert color="gray" title={t('report.title')} mb="md">
      <List size="sm">
        {report.left_out.map(({ kind, count, pages }) => (
          <List.Item key={kind}>
            {t(`report.${kind}`, { count: Number(count.toString()) })}
            {pages.length > 0 &&
              ` (${t(pages.length === 1 ? 'report.page' : 'report.pages', { pages: pages.map((page) => formatNumber(page, language)).join(t('report.pages.separator')) })})`}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
