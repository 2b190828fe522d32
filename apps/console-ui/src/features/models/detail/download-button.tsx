import { Button, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { useSessionState } from '../../../session/session-context';
import { useModelLink } from '../model-queries';
import { useModelsTexts } from '../texts/models-texts';

/** Downloads in the browser. Visitors are led to the sign-in and back. */
export function DownloadButton({ slug }: { slug: string }) {
  const t = useModelsTexts();
  const { status } = useSessionState();
  const link = useModelLink();
  if (status === 'signed-out')
    return (
      <Button
        variant="default"
        renderRoot={(props) => <Link {...props} to="/sign-in" search={{ next: window.location.pathname }} />}
      >
        {t('download.signIn')}
      </Button>
    );
  return (
    <Stack gap="xs" align="flex-end">
      <Button
        leftSection={<Download size={16} />}
        loading={link.isPending}
        onClick={() => link.mutate(slug, { onSuccess: ({ url }) => window.location.assign(url) })}
      >
        {t('download')}
      </Button>
      {link.error && <ErrorNotice error={link.error} />}
    </Stack>
  );
}
