import { Alert, Button, Checkbox, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useConsoleApi } from '../../../api/console-api';
import { CodeSamples } from '../../../components/code/code-samples';
import { CopyButton } from '../../../components/copy-button';
import { useSite } from '../../../site/site';
import { pricingQuery } from '../../pricing/pricing-queries';
import { type CreatedApiKey } from '../key-queries';
import { useKeyTexts } from '../texts/key-texts';
import { firstCallSamples } from './first-call-samples';

/** The secret of a new key and a first call with it. Whoever closes says to have kept the secret. */
export function CreatedKey({ created, onClose }: { created: CreatedApiKey; onClose: () => void }) {
  const t = useKeyTexts();
  const { urls } = useSite();
  const { data: pricing } = useQuery(pricingQuery(useConsoleApi()));
  const [isKept, setIsKept] = useState(false);
  const model = created.allowed_models?.[0] ?? pricing?.models[0]?.slug ?? 'MODEL';
  return (
    <Stack>
      <Alert color="yellow">{t('created.once')}</Alert>
      <Stack gap="xs" align="flex-start">
        <Code block w="100%" aria-label={t('created.secret')}>
          {created.key}
        </Code>
        <CopyButton value={created.key} label={t('created.copy')} withText />
      </Stack>
      <Text size="md">{t('created.firstCall')}</Text>
      <CodeSamples samples={firstCallSamples(urls.gateway, model)} label={t('created.samples')} />
      <Group justify="space-between">
        <Checkbox
          label={t('created.kept')}
          checked={isKept}
          onChange={(event) => setIsKept(event.currentTarget.checked)}
        />
        <Button disabled={!isKept} onClick={onClose}>
          {t('created.close')}
        </Button>
      </Group>
    </Stack>
  );
}
