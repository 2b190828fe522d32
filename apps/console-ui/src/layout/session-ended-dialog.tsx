import { getDefaultZIndex, Modal, Stack, Text } from '@mantine/core';
import { lazy, useEffect } from 'react';
import { useSessionState } from '../api/session';
import { fileLoader, OptionalPart } from '../components/lazy-file';
import { useLayoutTexts } from './layout-texts';

const SignInSteps = lazy(
  fileLoader(() =>
    import('../features/sign-in/sign-in-steps').then((module) => ({ default: module.SignInSteps })),
  ),
);

let isOpen = false;

// A dialog closes by Escape wherever the focus is. This listener is older than those of the dialogs of all pages.
window.addEventListener(
  'keydown',
  (event) => {
    if (isOpen && event.key === 'Escape') event.stopImmediatePropagation();
  },
  { capture: true },
);

/** Asks for a new sign-in over the page in use and its dialogs, which keep what was typed. */
export function SessionEndedDialog() {
  const t = useLayoutTexts();
  const isEnded = useSessionState().status === 'ended';
  useEffect(() => {
    isOpen = isEnded;
    return () => void (isOpen = false);
  }, [isEnded]);
  return (
    <Modal
      opened={isEnded}
      onClose={() => undefined}
      zIndex={getDefaultZIndex('overlay')}
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
