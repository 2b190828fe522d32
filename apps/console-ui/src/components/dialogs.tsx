import { Button, Group, Modal, type ModalProps, Stack, Text } from '@mantine/core';
import { type ReactNode, type SubmitEventHandler } from 'react';
import { type ChineseTexts, defineTexts } from '../language/define-texts';
import { ErrorNotice } from './error-notice';

const en = {
  cancel: 'Cancel',
} as const;

const zh: ChineseTexts<typeof en> = {
  cancel: '取消',
};

const useDialogTexts = defineTexts('dialogs', en, zh);

/** Dark enough for white letters. */
export const DANGER = 'red.9';

interface ConfirmDialogProps {
  title: string;
  text: string;
  confirmText: string;
  /** False for what can be taken back. */
  isDanger?: boolean;
  /** The state of what is done, such as a mutation. */
  doing: { error: Error | null; isPending: boolean };
  /** What the error means here, if it does not say all. */
  errorText?: string | undefined;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something is done, and shows why it has not been done. The focus is on `Cancel`. */
export function ConfirmDialog({
  title,
  text,
  confirmText,
  isDanger = true,
  doing: { error, isPending },
  errorText,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  const t = useDialogTexts();
  return (
    <Modal opened onClose={onClose} title={title}>
      <Stack>
        {error && <ErrorNotice error={error} {...(errorText && { message: errorText })} />}
        <Text size="md">{text}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('cancel')}
          </Button>
          <Button {...(isDanger && { color: DANGER })} loading={isPending} onClick={onConfirm}>
            {confirmText}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

interface FormDialogProps {
  title: string;
  size?: NonNullable<ModalProps['size']>;
  /** Only for forms that are quickly filled in again. */
  closeOnClickOutside?: boolean;
  submitText: string;
  isDanger?: boolean;
  isDisabled?: boolean;
  isPending: boolean;
  onSubmit: SubmitEventHandler<HTMLFormElement>;
  onClose: () => void;
  /** The fields, below an `<ErrorNotice>` if there is an error. */
  children: ReactNode;
}

/** A form in a dialog, with `Cancel` beside the button that sends it. */
export function FormDialog({
  title,
  size,
  closeOnClickOutside = false,
  submitText,
  isDanger = false,
  isDisabled = false,
  isPending,
  onSubmit,
  onClose,
  children,
}: FormDialogProps) {
  const t = useDialogTexts();
  return (
    <Modal
      opened
      onClose={onClose}
      {...(size !== undefined && { size })}
      title={title}
      closeOnClickOutside={closeOnClickOutside}
    >
      <form onSubmit={onSubmit} noValidate>
        <Stack>
          {children}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('cancel')}
            </Button>
            <Button
              type="submit"
              {...(isDanger && { color: DANGER })}
              disabled={isDisabled}
              loading={isPending}
            >
              {submitText}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
