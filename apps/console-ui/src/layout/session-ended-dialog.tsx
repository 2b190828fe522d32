import { Modal, Stack, Text } from '@mantine/core';
import { lazy } from 'react';
import { useSessionState } from '../session/session-context';
import { OptionalPart } from './failures/optional-part';
import { useLayoutTexts } from './texts/layout-texts';

const SignInSteps = lazy(() =>
  import('../features/sign-in/sign-in-steps').then((module) => ({ default: module.SignInSteps })),
);

/** Asks for a new sign-in over the page in use, which keeps what was typed. */
export function SessionEndedDialog() {
  const t = useLayoutTexts();
  const { status } = useSessionState();
  return (
    <Modal
      opened={status === 'ended'}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t('ended.title')}
    >
      <Stack>
        <Text size="md">{t('ended.text')}</Text>
        <OptionalPart>
          <SignInSteps />
        </OptionalPart>
      </Stack>
    </Modal>
  );
}
