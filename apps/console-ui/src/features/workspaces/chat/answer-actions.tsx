import { ActionIcon, Button, Group, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ThumbsDown, ThumbsUp } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { CopyButton } from '../../../components/copy-button';
import { FormDialog } from '../../../components/dialogs';
import { ErrorNotice } from '../../../components/error-notice';
import { type ChatMessage, copiedAnswer, type Feedback, useFeedback } from './chat-queries';
import { useChatTexts } from './chat-texts';

const MOST_CHARACTERS = 2_000;
const RATINGS = ['helpful', 'unhelpful'] as const;
type Rating = (typeof RATINGS)[number];
const ICONS = { helpful: ThumbsUp, unhelpful: ThumbsDown };
const LABELS = { helpful: 'feedback.up', unhelpful: 'feedback.down' } as const;

interface Props {
  workspaceId: string;
  conversationId: string;
  message: ChatMessage;
  children: ReactNode;
}

/** What can be done with a stored answer: copy it, rate it, and what else is given. */
export function AnswerActions({ workspaceId, conversationId, message, children }: Props) {
  const t = useChatTexts();
  const [rated, setRated] = useState<Rating>();
  const { content, citations, feedback } = message;
  return (
    <Group gap={4} justify="flex-end">
      <CopyButton value={copiedAnswer(content, citations, t('copy.sources'))} label={t('copy')} />
      {RATINGS.map((rating) => {
        const Icon = ICONS[rating];
        const isGiven = feedback?.rating === rating;
        return (
          <ActionIcon
            key={rating}
            variant={isGiven ? 'light' : 'subtle'}
            {...(!isGiven && { color: 'gray' })}
            title={t(LABELS[rating])}
            aria-label={t(LABELS[rating])}
            aria-pressed={isGiven}
            onClick={() => setRated(rating)}
          >
            <Icon size={16} />
          </ActionIcon>
        );
      })}
      {children}
      {rated && (
        <FeedbackDialog
          {...{ workspaceId, conversationId, message }}
          rating={rated}
          onClose={() => setRated(undefined)}
        />
      )}
    </Group>
  );
}

interface DialogProps extends Omit<Props, 'children'> {
  rating: Rating;
  onClose: () => void;
}

/** Says who reads the feedback before it is given. */
function FeedbackDialog({ workspaceId, conversationId, message, rating, onClose }: DialogProps) {
  const t = useChatTexts();
  const saving = useFeedback(workspaceId, { conversationId, messageId: message.id });
  const [draft, setDraft] = useState<Required<Feedback>>({
    rating,
    comment: message.feedback?.comment ?? '',
  });
  const save = (feedback: Feedback | null) =>
    saving.mutate(feedback, {
      onSuccess: () => {
        if (feedback) notifications.show({ message: t('feedback.sent') });
        onClose();
      },
    });
  return (
    <FormDialog
      title={t('feedback.title')}
      submitText={t('feedback.send')}
      isPending={saving.isPending}
      onSubmit={(event) => {
        event.preventDefault();
        save({ ...draft, comment: draft.comment.trim() });
      }}
      onClose={onClose}
    >
      {saving.error && <ErrorNotice error={saving.error} />}
      <Stack gap="xs">
        <SegmentedControl
          aria-label={t('feedback.rating')}
          value={draft.rating}
          data={RATINGS.map((value) => ({ value, label: t(LABELS[value]) }))}
          onChange={(value) => setDraft({ ...draft, rating: value as Rating })}
        />
        <Textarea
          label={t('feedback.comment')}
          autosize
          minRows={3}
          maxRows={10}
          maxLength={MOST_CHARACTERS}
          value={draft.comment}
          onChange={(event) => setDraft({ ...draft, comment: event.currentTarget.value })}
          data-autofocus
        />
        <Text size="sm" c="dimmed">
          {t('feedback.shared')}
        </Text>
        {message.feedback && (
          <Group>
            <Button
              size="compact-sm"
              variant="subtle"
              color="red"
              disabled={saving.isPending}
              onClick={() => save(null)}
            >
              {t('feedback.withdraw')}
            </Button>
          </Group>
        )}
      </Stack>
    </FormDialog>
  );
}
