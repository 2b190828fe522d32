import { Button, Group, Stack, Text } from '@mantine/core';
import { Download } from 'lucide-react';
import { CodeSamples } from '../../components/code/code-samples';
import { Bytes } from '../../figures/bytes';
import { installCommand } from './assets/install-command';
import { type Platform, platformName } from './assets/platform';
import { programOf } from './assets/release-assets';
import { type Component, type Release } from './release-queries';
import { useDownloadsTexts } from './texts/downloads-texts';

/** The program for one platform, by a click or by a command. */
export function PlatformDownload({
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
