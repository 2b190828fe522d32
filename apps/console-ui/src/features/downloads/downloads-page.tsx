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
import { type ChineseTexts, defineTexts } from '../../language/define-texts';
import { Time } from '../../time/time';
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

const en = {
  title: 'Downloads',
  description: 'The latest version of every program.',
  platform: 'Your system',
  'platform.hint': 'Detected from your browser. Choose another one if it is wrong.',
  prerelease: 'Preview',
  none: 'Nothing is published yet. Come back later.',
  notFor: 'This version is not available for {{platform}}. See all files.',
  download: 'Download for {{platform}}',
  install: 'Or use the command line',
  files_one: 'All files ({{count}})',
  files_other: 'All files ({{count}})',
  'files.of': 'Files: {{component}}',
  'column.file': 'File',
  'column.platform': 'System',
  'column.size': 'Size',
  'component.engine': 'Engine',
  'component.engine.text': 'Runs models on your own machine.',
  'component.router': 'Router',
  'component.router.text': 'Routes calls to the right model server.',
  'component.agent': 'Agent',
  'component.agent.text': 'Completes tasks with models and tools.',
  'component.memo': 'Memo',
  'component.memo.text': 'Answers questions about your documents.',
} as const;

const zh: ChineseTexts<typeof en> = {
  title: '下载',
  description: '各程序的最新版本。',
  platform: '您的系统',
  'platform.hint': '根据浏览器推测，如不正确请自行选择。',
  prerelease: '预览版',
  none: '暂未发布，请稍后再来。',
  notFor: '此版本没有适用于 {{platform}} 的程序，请查看全部文件。',
  download: '下载 {{platform}} 版',
  install: '或使用命令行',
  files_other: '全部文件（{{count}}）',
  'files.of': '{{component}}的文件',
  'column.file': '文件',
  'column.platform': '系统',
  'column.size': '大小',
  'component.engine': '引擎（Engine）',
  'component.engine.text': '在您自己的机器上运行模型。',
  'component.router': '路由（Router）',
  'component.router.text': '将调用转发到合适的模型服务器。',
  'component.agent': '智能体（Agent）',
  'component.agent.text': '借助模型和工具完成任务。',
  'component.memo': '知识库（Memo）',
  'component.memo.text': '根据您的文档回答问题。',
};

const useDownloadsTexts = defineTexts('downloads', en, zh);

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
