import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useAccount } from '../../api/account';
import { bodyOf, useConsoleApi } from '../../api/console-api';
import { useSession } from '../../api/session';
import { siteQuery, useSite } from '../../api/site';
import { ErrorNotice } from '../../components/error-notice';
import { useSignInTexts } from './sign-in-texts';
import { TermsConsent } from './terms-consent';

/** How old what is known of the site may be when a page is opened. */
const SITE_STALE_MILLIS = 60_000;

/**
 * Asks for the consent to the current terms of use over every page, until it is given: after a first sign-in through a provider, and
 * after the terms have changed, with the next page that is opened.
 */
export default function TermsDialog() {
  const t = useSignInTexts();
  const { terms } = useSite();
  const { data: account } = useAccount();
  const api = useConsoleApi();
  const session = useSession();
  const queryClient = useQueryClient();
  const [isAccepted, setIsAccepted] = useState(false);
  const accept = useMutation({
    mutationFn: (version: string) => bodyOf(api.PATCH('/api/auth/me', { body: { accepted_terms: version } })),
    // Under the key of `useAccount`.
    onSuccess: (changed) => void queryClient.setQueryData(['account'], changed),
  });
  const { pathname } = useLocation();
  useEffect(() => {
    void queryClient.prefetchQuery({ ...siteQuery(api, 'no-cache'), staleTime: SITE_STALE_MILLIS });
  }, [pathname, queryClient, api]);
  if (!terms || !account) return null;
  return (
    <Modal
      opened={account.accepted_terms?.version !== terms.version}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t('terms.title')}
    >
      <Stack>
        <Text size="md">{t(account.accepted_terms ? 'terms.changed' : 'terms.first')}</Text>
        {accept.error && <ErrorNotice error={accept.error} />}
        <TermsConsent checked={isAccepted} onChange={(event) => setIsAccepted(event.currentTarget.checked)} />
        <Group justify="flex-end">
          <Button variant="default" onClick={() => void session.signOut()}>
            {t('terms.signOut')}
          </Button>
          <Button
            disabled={!isAccepted}
            loading={accept.isPending}
            onClick={() => accept.mutate(terms.version)}
          >
            {t('terms.submit')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
