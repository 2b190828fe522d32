import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ErrorNotice } from '../../../components/errors/error-notice';
import { useWorkspaceTexts } from '../workspace-texts';

interface Props {
  title: string;
  text: string;
  confirmText: string;
  /** What is done; the dialog closes when it has succeeded, and shows why it has not. */
  action: () => Promise<unknown>;
  /** What an error means here; undefined if it says all. */
  messageOf?: (error: Error) => string | undefined;
  onDone?: () => void;
  onClose: () => void;
}

/** Asks before something is deleted. */
export function ConfirmDialog({ title, text, confirmText, action, messageOf, onDone, onClose }: Props) {
  const t = useWorkspaceTexts();
  const doing = useMutation({ mutationFn: action });
  const message = doing.error && messageOf?.(doing.error);
  const confirm = () =>
    doing.mutate(undefined, {
      onSuccess: () => {
        onClose();
        onDone?.();
      },
    });
  return (
    <Modal opened onClose={onClose} title={title}>
      <Stack>
        {doing.error && <ErrorNotice error={doing.error} {...(message && { message })} />}
        <Text size="md">{text}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('cancel')}
          </Button>
          <Button color="red" loading={doing.isPending} onClick={confirm}>
            {confirmText}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
