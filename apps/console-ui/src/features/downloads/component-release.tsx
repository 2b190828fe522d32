import { Badge, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useConsoleApi } from '../../api/console-api';
import { QueryState } from '../../components/query-state';
import { Time } from '../../time/time';
import { type Platform } from './assets/platform';
import { PlatformDownload } from './platform-download';
import { type Component, releaseQuery } from './release-queries';
import { ReleaseFiles } from './release-files';
import { useDownloadsTexts } from './texts/downloads-texts';

const SKELETON_HEIGHT = 180;

export function ComponentRelease({ component, platform }: { component: Component; platform: Platform }) {
  const t = useDownloadsTexts();
  const query = useQuery(releaseQuery(useConsoleApi(), component));
  const title = t(`component.${component}`);
  const { data: release } = query;
  return (
    <Paper withBorder p="lg" component="section" aria-label={title}>
      <Stack gap="md">
        <div>
          <Group gap="sm">
            <Title order={2}>{title}</Title>
            {release && (
              <Badge variant="light" tt="none">
                {release.tag_name}
              </Badge>
            )}
            {release?.prerelease && (
              <Badge variant="light" color="yellow" tt="none">
                {t('prerelease')}
              </Badge>
            )}
            {release && (
              <Text size="sm" c="dimmed">
                <Time value={release.published_at} detail="day" />
              </Text>
            )}
          </Group>
          <Text size="md" c="dimmed">
            {t(`component.${component}.text`)}
          </Text>
        </div>
        <QueryState
          query={query}
          skeleton={<Skeleton height={SKELETON_HEIGHT} aria-busy />}
          isEmpty={(found) => found === null}
          empty={<Text size="md">{t('none')}</Text>}
        >
          {(found) =>
            found && (
              <>
                <PlatformDownload component={component} release={found} platform={platform} />
                <ReleaseFiles title={title} release={found} />
              </>
            )
          }
        </QueryState>
      </Stack>
    </Paper>
  );
}
