import { Select, Stack } from '@mantine/core';
import { useState } from 'react';
import { Page } from '../../components/page';
import { ComponentRelease } from './component-release';
import { platformKey, platformName, platformOfBrowser, PLATFORMS } from './assets/platform';
import classes from './downloads.module.css';
import { COMPONENTS } from './release-queries';
import { useDownloadsTexts } from './texts/downloads-texts';

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
