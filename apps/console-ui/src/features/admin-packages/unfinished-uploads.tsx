import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useConsoleApi } from '../../api/console-api';
import { ErrorNotice } from '../../components/error-notice';
import { useAdminPackagesTexts } from './admin-packages-texts';
import { numberOf, type PackageUpload, sending, uploadsQuery, useDiscardUpload } from './package-uploads';

interface Props {
  slug: string;
  onGoOn: (upload: PackageUpload) => void;
}

/** Uploads of the model that an earlier visit began, to go on with or to discard. */
export function UnfinishedUploads({ slug, onGoOn }: Props) {
  const t = useAdminPackagesTexts();
  const { data: uploads = [] } = useQuery(uploadsQuery(useConsoleApi()));
  const discarding = useDiscardUpload();
  const unfinished = uploads.filter(
    (one) => one.slug === slug && one.state === 'uploading' && !sending.has(one.id),
  );
  if (unfinished.length === 0) return null;
  return (
    <Alert role="status" variant="light" title={t('unfinished')}>
      <Stack gap="xs">
        {discarding.error && <ErrorNotice error={discarding.error} />}
        {unfinished.map((one) => {
          const { id, file_name: name, version } = one;
          const percent = Math.floor((one.arrived_parts.length * 100) / numberOf(one.parts));
          return (
            <Group key={id} justify="space-between">
              <Text size="md">{t('unfinished.text', { name, version, percent })}</Text>
              <Group gap="xs">
                <Button
                  size="xs"
                  aria-label={t('unfinished.goOn.named', { name })}
                  onClick={() => onGoOn(one)}
                >
                  {t('unfinished.goOn')}
                </Button>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={t('unfinished.discard.named', { name })}
                  loading={discarding.isPending && discarding.variables === id}
                  onClick={() => discarding.mutate(id)}
                >
                  {t('unfinished.discard')}
                </Button>
              </Group>
            </Group>
          );
        })}
      </Stack>
    </Alert>
  );
}
