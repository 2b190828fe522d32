import { Alert, Button, Group, List, Mark, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { useMemoApi } from '../../../api/service-apis';
import { useSession } from '../../../api/session';
import { useSite } from '../../../api/site';
import { fileLoader, OptionalPart } from '../../../components/lazy-file';
import { QueryState } from '../../../components/query-state';
import { type Figure } from '../../../figures/figure';
import { Quantity } from '../../../figures/figure-text';
import { formatNumber } from '../../../figures/format-figure';
import { useLanguage } from '../../../language/language';
import { optionsQuery } from '../workspace-queries';
import { useWorkspaceTexts } from '../workspace-texts';
import {
  documentFileQuery,
  documentQuery,
  documentTextQuery,
  type MemoDocument,
  type Span,
  textAround,
} from './document-queries';
import classes from './passages.module.css';

/** Characters on either side of a passage at first; each "show more" shows ten times as many. */
const FIRST_MARGIN = 5_000;
const SCORE_DIGITS = 3;

/** Drawing a PDF takes a large library. */
const PdfPages = lazy(fileLoader(() => import('./pdf-pages')));

export interface Passage {
  version: Figure;
  start: Figure;
  end: Figure;
  /** What it says, for a version whose text is not there any more. */
  quote: string;
  /** How well it fits the question, where that is known. */
  score?: Figure;
}

export interface Source {
  documentId: string;
  title: string;
  /** What is highlighted; absent: the document is shown from its beginning. */
  passage?: Passage;
}

interface Props {
  workspaceId: string;
  source: Source;
  onClose: () => void;
}

/** The text of a document with a passage of it highlighted, beside the page of a PDF. */
export function PassageDialog({ workspaceId, source, onClose }: Props) {
  const { urls } = useSite();
  const place = { memoUrl: urls.memo, workspaceId, documentId: source.documentId };
  const text = useQuery(documentTextQuery(useSession(), place));
  const document = useQuery(documentQuery(useMemoApi(), workspaceId, source.documentId)).data;
  const file = useQuery({
    ...documentFileQuery(useSession(), place),
    enabled: document?.has_file ?? false,
  });
  const hasPages = document?.has_file ?? false;
  return (
    <Modal opened onClose={onClose} title={source.title} size={hasPages ? '90rem' : 'xl'}>
      {document?.report && <ReadingReport report={document.report} />}
      <QueryState query={text} skeleton={<Skeleton height={320} />}>
        {({ text: content, version }) => {
          const { passage } = source;
          const isSame = passage?.version.equals(version) ?? true;
          const shown = <DocumentText text={content} version={version} passage={passage} isSame={isSame} />;
          if (!hasPages) return shown;
          const marked = passage && isSame ? passage : undefined;
          return (
            <div className={classes.sides}>
              <QueryState query={file} skeleton={<Skeleton height={420} />}>
                {(bytes) => (
                  <OptionalPart fallback={<Skeleton height={420} />}>
                    <PdfPages
                      file={bytes}
                      passage={marked && content.slice(numberOf(marked.start), numberOf(marked.end))}
                      place={marked ? numberOf(marked.start) / Math.max(1, content.length) : 0}
                    />
                  </OptionalPart>
                )}
              </QueryState>
              {shown}
            </div>
          );
        }}
      </QueryState>
      {source.passage?.score && <Score workspaceId={workspaceId} value={source.passage.score} />}
    </Modal>
  );
}

/** The score of a passage, and what it means. */
function Score({ workspaceId, value }: { workspaceId: string; value: Figure }) {
  const t = useWorkspaceTexts();
  const { language } = useLanguage();
  const options = useQuery(optionsQuery(useMemoApi(), workspaceId)).data;
  const score = new Intl.NumberFormat(language, { maximumSignificantDigits: SCORE_DIGITS }).format(
    value.toString() as `${number}`,
  );
  return (
    <Text size="sm" c="dimmed" mt="sm">
      <Text component="data" inherit fw={500} value={value.toString()} title={value.toString()}>
        {t('passage.score', { score })}
      </Text>
      {options && ' · '}
      {options && t(options.embedding_model === null ? 'passage.score.words' : 'passage.score.fused')}
    </Text>
  );
}

const numberOf = (offset: Figure) => Number(offset.toString());

interface TextProps {
  text: string;
  version: Figure;
  passage: Passage | undefined;
  /** Whether the passage is one of this version. */
  isSame: boolean;
}

function DocumentText({ text, version, passage, isSame }: TextProps) {
  const t = useWorkspaceTexts();
  const [margin, setMargin] = useState(FIRST_MARGIN);
  const span: Span =
    passage && isSame ? { start: numberOf(passage.start), end: numberOf(passage.end) } : { start: 0, end: 0 };
  const { before, marked, after, isCut } = textAround(text, span, margin);
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t('column.version')} <Quantity value={version} />
      </Text>
      {passage && !isSame && (
        <Alert color="yellow" title={t('passage.replaced')}>
          <Stack gap="xs">
            <Text size="md">
              {t('passage.replaced.text')} <Quantity value={passage.version} />
            </Text>
            <blockquote className={classes.quote}>{passage.quote}</blockquote>
          </Stack>
        </Alert>
      )}
      <pre className={classes.text} tabIndex={0} aria-label={t('passage.text')}>
        {before}
        {marked && <Mark ref={(element) => element?.scrollIntoView({ block: 'center' })}>{marked}</Mark>}
        {after}
      </pre>
      {isCut && (
        <Group>
          <Button size="xs" variant="default" onClick={() => setMargin(margin * 10)}>
            {t('passage.more')}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** What the file of a document holds and its text does not. */
function ReadingReport({ report }: { report: NonNullable<MemoDocument['report']> }) {
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
              t(pages.length === 1 ? 'report.page' : 'report.pages', {
                pages: pages.map((page) => formatNumber(page, language)).join(t('report.pages.separator')),
              })}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
