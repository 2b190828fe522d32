import { ActionIcon, Alert, Button, FileButton, Group, Paper, Stack, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ImagePlus, SendHorizontal, Square, X } from 'lucide-react';
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useConsoleApi } from '../../api/console-api';
import { Amount } from '../../figures/figure-text';
import { isSendKey } from '../../components/send-key';
import { streamed } from './chat-stream';
import {
  type Conversation,
  isEmptyPrompt,
  type Picture,
  type Prompt,
  requestBody,
  wantsResults,
  withDraft,
} from './conversation';
import { faultsOf } from './parameters';
import { usePlaygroundTexts } from './playground-texts';
import classes from './playground.module.css';
import { estimateQuery } from './request-samples';

const ESTIMATE_DELAY_MILLIS = 400;
const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
/** All pictures of a prompt. The gateway takes 32 MiB of JSON; a data URL is a third longer than its picture. */
const MOST_PICTURE_BYTES = 15 * 1024 * 1024;

interface Props {
  conversation: Conversation;
  isBusy: boolean;
  /** Shows the settings; absent while they are in sight. */
  onModel: (() => void) | undefined;
  onDraft: (change: (draft: Prompt) => Prompt) => void;
  onSend: () => void;
  onStop: () => void;
}

/** The next prompt, with the most that it can cost. */
export function Composer({ conversation, isBusy, onModel, onDraft, onSend, onStop }: Props) {
  const t = usePlaygroundTexts();
  const { parameters, draft, turns } = conversation;
  const [refusal, setRefusal] = useState<'picture.type' | 'picture.size' | 'picture.unread'>();
  const isValid = Object.keys(faultsOf(parameters)).length === 0;
  const isWanted = turns.at(-1)?.answers.some(wantsResults) ?? false;
  const canSend = !isEmptyPrompt(draft) && isValid && !isBusy && !isWanted;

  const latestPictures = useRef(draft.pictures);
  useEffect(() => {
    latestPictures.current = draft.pictures;
  }, [draft.pictures]);
  const add = async (files: File[]) => {
    setRefusal(undefined);
    const good = files.filter(({ type }) => PICTURE_TYPES.includes(type));
    if (good.length < files.length) setRefusal('picture.type');
    const pictures = await Promise.all(good.map(readPicture)).catch(() => null);
    if (!pictures) return setRefusal('picture.unread');
    if (sizeOf([...latestPictures.current, ...pictures]) > MOST_PICTURE_BYTES)
      return setRefusal('picture.size');
    onDraft((before) => ({ ...before, pictures: [...before.pictures, ...pictures] }));
  };
  const paste = (event: ClipboardEvent) => {
    const { types, files: pasted } = event.clipboardData;
    const files = [...pasted];
    // Programs of an office put a picture of what is copied beside its text.
    if (files.length === 0 || types.includes('text/plain')) return;
    event.preventDefault();
    void add(files);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    void add([...event.dataTransfer.files]);
  };
  const sendOnEnter = (event: KeyboardEvent) => {
    if (!isSendKey(event)) return;
    event.preventDefault();
    if (canSend) onSend();
  };
  const hint = (
    <Text size="sm" c={isValid ? 'dimmed' : 'var(--mantine-color-error)'} className={classes.price!} mih={20}>
      {isWanted ? (
        t('tool.first')
      ) : isValid ? (
        <WorstCase conversation={conversation} isAsked={canSend} />
      ) : (
        t('parameters.invalid')
      )}
    </Text>
  );
  return (
    <Paper withBorder p="sm" onPaste={paste} onDrop={drop} onDragOver={(event) => event.preventDefault()}>
      <Stack gap="xs">
        {refusal && (
          <Alert color="red" variant="light" p="xs" withCloseButton onClose={() => setRefusal(undefined)}>
            {t(refusal)}
          </Alert>
        )}
        {draft.pictures.length > 0 && (
          <Pictures
            pictures={draft.pictures}
            onRemove={(index) =>
              onDraft((before) => ({
                ...before,
                pictures: before.pictures.filter((_picture, at) => at !== index),
              }))
            }
          />
        )}
        <Textarea
          aria-label={t('prompt')}
          placeholder={t('prompt.placeholder')}
          autosize
          minRows={2}
          maxRows={8}
          value={draft.text}
          onChange={({ currentTarget: { value } }) => onDraft((before) => ({ ...before, text: value }))}
          onKeyDown={sendOnEnter}
        />
        {onModel && hint}
        <Group justify="space-between" gap="xs" wrap="nowrap">
          <Group gap="xs" wrap="nowrap" miw={0}>
            <FileButton accept={PICTURE_TYPES.join(',')} multiple onChange={(files) => void add(files)}>
              {(props) => (
                <ActionIcon
                  {...props}
                  variant="default"
                  size="lg"
                  title={t('picture.add')}
                  aria-label={t('picture.add')}
                >
                  <ImagePlus size={16} />
                </ActionIcon>
              )}
            </FileButton>
            {!onModel && hint}
            {onModel && (
              <Button
                variant="subtle"
                size="xs"
                px="xs"
                miw={0}
                rightSection={<ChevronDown size={14} />}
                aria-label={t('model.choose', { models: parameters.models.join(', ') })}
                onClick={onModel}
              >
                {parameters.models.join(' · ')}
              </Button>
            )}
          </Group>
          {isBusy ? (
            <Button variant="default" leftSection={<Square size={14} />} onClick={onStop}>
              {t('stop')}
            </Button>
          ) : (
            <Button leftSection={<SendHorizontal size={16} />} disabled={!canSend} onClick={onSend}>
              {t('send')}
            </Button>
          )}
        </Group>
      </Stack>
    </Paper>
  );
}

const readPicture = (file: File): Promise<Picture> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve({ name: file.name, url: reader.result as string });
    reader.onerror = () => reject(reader.error ?? new Error('The file cannot be read.'));
    reader.readAsDataURL(file);
  });

/** Four characters of a data URL are three bytes. */
const sizeOf = (pictures: Picture[]): number =>
  pictures.reduce((sum, { url }) => sum + (url.length * 3) / 4, 0);

/** Thumbnails. A picture that was too large to be kept has only its name. */
export function Pictures({
  pictures,
  onRemove,
}: {
  pictures: Picture[];
  onRemove?: (index: number) => void;
}) {
  const t = usePlaygroundTexts();
  return (
    <Group gap="xs">
      {pictures.map(({ name, url }, index) => (
        <div key={index} className={classes.picture}>
          {url === '' ? (
            <Text size="sm" c="dimmed" className={classes.text}>
              {t('picture.notKept', { name })}
            </Text>
          ) : (
            <img src={url} alt={name} className={classes.thumbnail} />
          )}
          {onRemove && (
            <ActionIcon
              size="sm"
              variant="default"
              className={classes.remove!}
              aria-label={t('picture.remove', { name })}
              title={t('picture.remove', { name })}
              onClick={() => onRemove(index)}
            >
              <X size={12} />
            </ActionIcon>
          )}
        </div>
      ))}
    </Group>
  );
}

/** The most that the prompt can cost; of a comparison all calls together. */
function WorstCase({ conversation, isAsked }: { conversation: Conversation; isAsked: boolean }) {
  const t = usePlaygroundTexts();
  const [settled] = useDebouncedValue(conversation, ESTIMATE_DELAY_MILLIS);
  const { parameters, draft, turns } = settled;
  const isSettled = isAsked && !isEmptyPrompt(draft);
  const bodies = useMemo(
    () =>
      isSettled
        ? parameters.models.map((_model, place) =>
            streamed(requestBody(parameters, withDraft({ turns, draft }), place)),
          )
        : [],
    [isSettled, parameters, turns, draft],
  );
  const { data } = useQuery({ ...estimateQuery(useConsoleApi(), bodies), enabled: isSettled });
  if (!isAsked || !data) return null;
  return (
    <>
      {t('worstCase')} <Amount value={data.worstCase} currency={data.currency} />
    </>
  );
}
