import {
  Anchor,
  Badge,
  Button,
  Collapse,
  Group,
  Paper,
  Select,
  Skeleton,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronUp, Download } from 'lucide-react';
import { useState } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { CodeSamples } from '../../components/code-samples';
import { type Column, DataTable } from '../../components/data-table';
import { Page } from '../../components/page';
import { QueryState } from '../../components/query-state';
import { Bytes } from '../../figures/figure-text';
import { Time } from '../../time/time';
import { useDownloadsTexts } from './downloads-texts';
import classes from './downloads.module.css';
import {
  installCommand,
  type Platform,
  platformKey,
  platformName,
  platformOf,
  platformOfBrowser,
  PLATFORMS,
  programOf,
} from './release-assets';
import { type Asset, type Component, COMPONENTS, type Release, releaseQuery } from './release-queries';

/** The program for one platform, by a click or by a command. */
function PlatformDownload({
  component,
  release,
  platform,
}: {
  component: Component;
  release: Release;
  platform: Platform;
}) {
  const t = useDownloadsTexts();
  const name = platformName(platform);
  const program = programOf(release.assets, platform);
  if (!program) return <Text size="md">{t('notFor', { platform: name })}</Text>;
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Button component="a" href={program.url} rel="noreferrer" leftSection={<Download size={16} />}>
          {t('download', { platform: name })}
        </Button>
        <Text size="sm" c="dimmed">
          <Bytes value={program.size} />
        </Text>
      </Group>
      <CodeSamples
        label={t('install')}
        samples={[
          {
            name: platform.system === 'windows' ? 'PowerShell' : 'Shell',
            code: installCommand(component, program, platform),
          },
        ]}
      />
    </Stack>
  );
}

const SKELETON_HEIGHT = 180;

function ComponentRelease({ component, platform }: { component: Component; platform: Platform }) {
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

/** All files of a release, also those for other platforms. */
function ReleaseFiles({ title, release: { assets } }: { title: string; release: Release }) {
  const t = useDownloadsTexts();
  const [isOpen, { toggle }] = useDisclosure();
  const columns: Column<Asset>[] = [
    {
      key: 'name',
      title: t('column.file'),
      cell: ({ name, url }) => (
        <Anchor href={url} rel="noreferrer" inherit>
          {name}
        </Anchor>
      ),
    },
    {
      key: 'platform',
      title: t('column.platform'),
      cell: ({ name }) => {
        const platform = platformOf(name);
        return platform ? platformName(platform) : '–';
      },
    },
    { key: 'size', title: t('column.size'), isNumber: true, cell: ({ size }) => <Bytes value={size} /> },
  ];
  return (
    <Stack gap="sm" align="stretch">
      <div>
        <Button
          variant="subtle"
          size="xs"
          onClick={toggle}
          aria-expanded={isOpen}
          rightSection={isOpen ? <ChevronUp size={14} /> : <ChevronDown size={14} />}
        >
          {t('files', { count: assets.length })}
        </Button>
      </div>
      <Collapse expanded={isOpen}>
        <DataTable
          label={t('files.of', { component: title })}
          columns={columns}
          rows={assets}
          keyOf={({ name }) => name}
        />
      </Collapse>
    </Stack>
  );
}

/** The newest release of each component, first the file for the visitor's own platform. */
export function DownloadsPage() {
  const t = useDownloadsTexts();
  const [platform, setPlatform] = useState(() => platformOfBrowser(navigator.userAgent) ?? PLATFORMS[0]!);
  return (
    <Page title={t('title')} description={t('description')}>
      <Select
        className={classes.platform}
        label={t('platform')}
        description={t('platform.hint')}
        data={PLATFORMS.map((one) => ({ value: platformKey(one), label: platformName(one) }))}
        value={platformKey(platform)}
        onChange={(key) => setPlatform(PLATFORMS.find((one) => platformKey(one) === key) ?? platform)}
        allowDeselect={false}
      />
      <Stack gap="xl">
        {COMPONENTS.map((component) => (
          <ComponentRelease key={component} component={component} platform={platform} />
        ))}
      </Stack>
    </Page>
  );
}
