import { Badge, Button, Code, Group } from '@mantine/core';
import { type Column } from '../../components/table/column';
import { DataTable } from '../../components/table/data-table';
import { Time } from '../../time/time';
import { type AdminRelease } from './release-queries';
import { useAdminReleasesTexts } from './texts/admin-releases-texts';

export type ReleaseAction = 'publish' | 'withdraw' | 'delete';

interface Props {
  releases: AdminRelease[];
  onAct: (action: ReleaseAction, release: AdminRelease) => void;
  onMore: (() => void) | undefined;
  isLoadingMore: boolean;
}

const keyOfRelease = ({ component, tag_name, source }: AdminRelease) => `${component} ${tag_name} ${source}`;

export function ReleaseTable({ releases, onAct, onMore, isLoadingMore }: Props) {
  const t = useAdminReleasesTexts();
  const button = (action: ReleaseAction, release: AdminRelease) => (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={t(`${action}.named`, { name: `${release.component} ${release.tag_name}` })}
      onClick={() => onAct(action, release)}
    >
      {t(action)}
    </Button>
  );
  const columns: Column<AdminRelease>[] = [
    { key: 'component', title: t('component'), cell: ({ component }) => <Code>{component}</Code> },
    { key: 'tag', title: t('tag'), cell: ({ tag_name: tag }) => <Code>{tag}</Code> },
    { key: 'name', title: t('name'), cell: ({ name }) => name },
    { key: 'source', title: t('column.source'), cell: ({ source }) => t(`source.${source}`) },
    {
      key: 'state',
      title: t('column.state'),
      cell: ({ draft, prerelease }) => (
        <Group gap={4} wrap="nowrap">
          <Badge miw="max-content" variant="light" color={draft ? 'gray' : 'teal'} tt="none">
            {t(draft ? 'state.hidden' : 'state.published')}
          </Badge>
          {prerelease && (
            <Badge miw="max-content" variant="light" color="orange" tt="none">
              {t('prerelease')}
            </Badge>
          )}
        </Group>
      ),
    },
    { key: 'files', title: t('files'), isNumber: true, cell: ({ assets }) => assets.length },
    {
      key: 'published',
      title: t('column.published'),
      cell: ({ published_at: at }) => (at ? <Time value={at} detail="day" /> : '–'),
    },
    {
      key: 'actions',
      title: t('column.actions'),
      isTitleHidden: true,
      cell: (release) => (
        <Group gap="xs" wrap="nowrap" justify="flex-end">
          {!release.draft && button('withdraw', release)}
          {release.draft && release.assets.length > 0 && button('publish', release)}
          {release.source === 'admin' && button('delete', release)}
        </Group>
      ),
    },
  ];
  return (
    <DataTable
      label={t('title')}
      columns={columns}
      rows={releases}
      keyOf={keyOfRelease}
      onMore={onMore}
      isLoadingMore={isLoadingMore}
    />
  );
}
