import { Alert, Button, Group, Mark, Modal, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession } from '../../../api/session';
import { useSite } from '../../../api/site';
import { QueryState } from '../../../components/query-state';
import { type Figure } from '../../../figures/figure';
import { Quantity } from '../../../figures/figure-text';
import { useWorkspaceTexts } from '../workspace-texts';
import { documentTextQuery, type Span, textAround } from './document-queries';
import classes from './passages.module.css';

/** Characters on either side of a passage at first; each "show more" shows ten times as many. */
const FIRST_MARGIN = 5_000;

export interface Passage {
  version: Figure;
  start: Figure;
  end: Figure;
  /** What it says, for a version whose text is not there any more. */
  quote: string;
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

/** The text of a document with a passage of it highlighted. */
export function PassageDialog({ workspaceId, source, onClose }: Props) {
  const { urls } = useSite();
  const place = { memoUrl: urls.memo, workspaceId, documentId: source.documentId };
  const query = useQuery(documentTextQuery(useSession(), place));
  return (
    <Modal opened onClose={onClose} title={source.title} size="xl">
      <QueryState query={query} skeleton={<Skeleton height={320} />}>
        {({ text, version }) => <DocumentText text={text} version={version} passage={source.passage} />}
      </QueryState>
    </Modal>
  );
}

const numberOf = (offset: Figure) => Number(offset.toString());

function DocumentText({
  text,
  version,
  passage,
}: {
  text: string;
  version: Figure;
  passage: Passage | undefined;
}) {
  const t = useWorkspaceTexts();
  const [margin, setMargin] = useState(FIRST_MARGIN);
  const isSameVersion = passage?.version.equals(version) ?? true;
  const span: Span =
    passage && isSameVersion
      ? { start: numberOf(passage.start), end: numberOf(passage.end) }
      : { start: 0, end: 0 };
  const { before, marked, after, isCut } = textAround(text, span, margin);
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t('column.version')} <Quantity value={version} />
      </Text>
      {passage && !isSameVersion && (
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
