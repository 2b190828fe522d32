import { ActionIcon, Alert, Button, Drawer, Group, Modal, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useClipboard, useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import {
  ArrowDown,
  Check,
  Code,
  History,
  Link2,
  type LucideIcon,
  MessageSquarePlus,
  SlidersHorizontal,
} from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { accountKey, keep, readKept } from '../../api/account-storage';
import { toApiError } from '../../api/api-error';
import { useConsoleApi } from '../../api/console-api';
import { useAccountId } from '../../api/session';
import { useSite } from '../../api/site';
import { CodeSamples } from '../../components/code-samples';
import { EmptyState } from '../../components/empty-state';
import { ErrorNotice } from '../../components/error-notice';
import { Page } from '../../components/page';
import { usePageTitle } from '../../components/page-title';
import { QueryState } from '../../components/query-state';
import { Composer } from './composer';
import { type Conversation, isEmptyPrompt, NO_PROMPT, requestBody, withDraft } from './conversation';
import { HistoryDrawer } from './history-drawer';
import { Turns } from './messages';
import { faultsOf, withOfferedModels } from './parameters';
import { usePlaygroundTexts } from './playground-texts';
import classes from './playground.module.css';
import { playgroundModelsQuery, samplesOf } from './request-samples';
import { readConversation, type SaveNotice, useAutosave, useSaving } from './saved-queries';
import { SettingsPanel } from './settings-panel';
import { useConversation } from './use-conversation';
import { useStickyEnd, useVisibleHeight } from './use-scrolling';

/** A conversation with one model, or with two side by side. */
export function PlaygroundPage() {
  const t = usePlaygroundTexts();
  const { features } = useSite();
  if (features.playground) return <Playground />;
  return (
    <Page title={t('title')}>
      <EmptyState title={t('notOffered')}>{t('notOffered.text')}</EmptyState>
    </Page>
  );
}

/** Narrower, the settings are a drawer: beside them there is no room for two answers. */
const WIDE = '(min-width: 62em)';

function Playground() {
  const t = usePlaygroundTexts();
  usePageTitle(t('title'));
  const query = useQuery(playgroundModelsQuery(useConsoleApi()));
  const state = useConversation();
  const { conversation, isBusy, actions } = state;
  // The same object until they change: an estimate is asked for anew for others.
  const parameters = useMemo(
    () => withOfferedModels(conversation.parameters, query.data ?? []),
    [conversation.parameters, query.data],
  );
  const chosen = { ...conversation, parameters };
  const isWide = useMediaQuery(WIDE, true, { getInitialValueInEffect: false });
  const [isPanelOpen, setIsPanelOpen] = useFold();
  const [opened, setOpened] = useState<'settings' | 'history' | 'code'>();
  const { saves } = useSaving();
  const saving = useAutosave(state, saves ?? false, t('untitled'));
  const link = useConversationLink(state);
  useLinkedModel(state);
  const frame = useVisibleHeight();
  const scroll = useStickyEnd(conversation.turns);
  const startNew = () => {
    link.leave();
    actions.clear();
  };
  const showSettings = () => (isWide ? setIsPanelOpen(true) : setOpened('settings'));
  const settings = (models: string[]) => (
    <SettingsPanel models={models} parameters={parameters} isBusy={isBusy} onChange={actions.setParameters} />
  );
  return (
    <div ref={frame} className={classes.frame}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Title order={1} className={classes.title!}>
          {t('title')}
        </Title>
        {query.data?.length ? (
          <Group gap={4} wrap="nowrap">
            {/* Another conversation would take the place of the answer that is being written, which is saved only at its end. */}
            <BarButton icon={MessageSquarePlus} label={t('new')} isDisabled={isBusy} onClick={startNew} />
            <BarButton
              icon={History}
              label={t('history')}
              isDisabled={isBusy}
              onClick={() => setOpened('history')}
            />
            {conversation.saved && <LinkButton id={conversation.saved.id} />}
            <BarButton icon={Code} label={t('asCode')} onClick={() => setOpened('code')} />
            <BarButton
              icon={SlidersHorizontal}
              label={t('parameters')}
              isExpanded={isWide ? isPanelOpen : opened === 'settings'}
              onClick={() => (isWide && isPanelOpen ? setIsPanelOpen(false) : showSettings())}
            />
          </Group>
        ) : null}
      </Group>
      <div className={classes.body}>
        <QueryState
          query={query}
          skeleton={<Skeleton height={420} />}
          isEmpty={(models) => models.length === 0}
          empty={<EmptyState title={t('noModels')}>{t('noModels.text')}</EmptyState>}
        >
          {(models) => (
            <div className={classes.playground}>
              <div className={classes.chat}>
                <div ref={scroll.region} className={classes.scroll} onScroll={scroll.onScroll} tabIndex={-1}>
                  {link.isLoading ? (
                    <Skeleton height={240} />
                  ) : link.error ? (
                    <ErrorNotice
                      error={link.error}
                      {...(toApiError(link.error).status === 404
                        ? { message: t('link.notFound') }
                        : { onRetry: link.retry })}
                    />
                  ) : conversation.turns.length === 0 ? (
                    <Text size="md" c="dimmed" className={classes.empty!}>
                      {t('empty')}
                    </Text>
                  ) : (
                    <Turns
                      turns={conversation.turns}
                      parameters={parameters}
                      isBusy={isBusy}
                      canAsk={!isBusy && Object.keys(faultsOf(parameters)).length === 0}
                      actions={actions}
                    />
                  )}
                </div>
                {!scroll.isAtEnd && (
                  <div className={classes.toEnd}>
                    <Button
                      size="xs"
                      variant="default"
                      leftSection={<ArrowDown size={14} />}
                      onClick={scroll.toEnd}
                    >
                      {t('toEnd')}
                    </Button>
                  </div>
                )}
                {saving.notice && (
                  <SavingNotice
                    notice={saving.notice}
                    isBusy={isBusy}
                    onRetry={saving.retry}
                    onSeparate={saving.separate}
                    onReload={async () => {
                      if (await saving.keepApart()) await link.reload();
                    }}
                    onClose={saving.notice.kind === 'changed' ? undefined : saving.hide}
                  />
                )}
                {!link.error && (
                  <Composer
                    conversation={chosen}
                    isBusy={isBusy || link.isLoading}
                    onModel={isWide && isPanelOpen ? undefined : showSettings}
                    onDraft={actions.changeDraft}
                    onSend={() => {
                      scroll.follow();
                      actions.send(parameters);
                    }}
                    onStop={actions.stop}
                  />
                )}
              </div>
              {isWide && isPanelOpen && (
                <section className={classes.panel} aria-label={t('parameters')}>
                  {settings(models)}
                </section>
              )}
              {!isWide && opened === 'settings' && (
                <Drawer opened onClose={() => setOpened(undefined)} position="right" title={t('parameters')}>
                  {settings(models)}
                </Drawer>
              )}
            </div>
          )}
        </QueryState>
      </div>
      {opened === 'history' && (
        <HistoryDrawer
          openId={conversation.saved?.id}
          onClose={() => setOpened(undefined)}
          onDeleted={startNew}
        />
      )}
      {opened === 'code' && <AsCode conversation={chosen} onClose={() => setOpened(undefined)} />}
    </div>
  );
}

interface BarButtonProps {
  icon: LucideIcon;
  label: string;
  /** For a button that shows or hides something. */
  isExpanded?: boolean;
  isDisabled?: boolean;
  onClick: () => void;
}

/** A button with its name beside it; with the icon alone where there is no room. */
function BarButton({ icon: Icon, label, isExpanded, isDisabled = false, onClick }: BarButtonProps) {
  const shared = { variant: 'default', 'aria-expanded': isExpanded, disabled: isDisabled, onClick } as const;
  return (
    <>
      <Button {...shared} size="xs" leftSection={<Icon size={16} />} className={classes.wideOnly!}>
        {label}
      </Button>
      <ActionIcon {...shared} size="lg" className={classes.narrowOnly!} aria-label={label} title={label}>
        <Icon size={16} />
      </ActionIcon>
    </>
  );
}

function LinkButton({ id }: { id: string }) {
  const t = usePlaygroundTexts();
  const { copied, copy } = useClipboard();
  return (
    <BarButton
      icon={copied ? Check : Link2}
      label={t(copied ? 'link.copied' : 'link.copy')}
      onClick={() => copy(`${window.location.origin}/playground?conversation=${id}`)}
    />
  );
}

/** Whether the side panel is open, kept for the account. */
function useFold(): [boolean, (isOpen: boolean) => void] {
  const accountId = useAccountId();
  const key = accountId === undefined ? undefined : accountKey(accountId, 'playground-panel');
  const [isOpen, setIsOpen] = useState(() => !key || readKept('browser', key) !== 'folded');
  return [
    isOpen,
    (next) => {
      setIsOpen(next);
      if (key) keep('browser', key, next ? undefined : 'folded');
    },
  ];
}

/** Opens the conversation that the address names, and names in the address the one that is open. */
function useConversationLink({ conversation, setConversation, actions }: ReturnType<typeof useConversation>) {
  const api = useConsoleApi();
  const navigate = useNavigate();
  const { conversation: linkedId } = useSearch({ from: '/console/playground' });
  const openId = conversation.saved?.id;
  const latestOpenId = useRef(openId);
  const [loading, setLoading] = useState<{ id: string; error?: unknown } | undefined>(() =>
    linkedId !== undefined && linkedId !== openId ? { id: linkedId } : undefined,
  );
  /** Of several that load, the one that was chosen last. */
  const wantedId = useRef<string>(undefined);
  const load = useCallback(
    async (id: string) => {
      wantedId.current = id;
      setLoading({ id });
      actions.stop();
      try {
        const loaded = await readConversation(api, id);
        if (wantedId.current !== id) return;
        setConversation((before) => ({ ...loaded, draft: before.draft }));
        setLoading((now) => (now?.id === id ? undefined : now));
      } catch (error) {
        setLoading((now) => (now?.id === id ? { id, error } : now));
      }
    },
    [api, actions, setConversation],
  );
  useEffect(() => {
    const formerId = latestOpenId.current;
    latestOpenId.current = openId;
    // The history got an entry, got another one, or has lost it to another tab.
    const isFormer = formerId !== openId && linkedId === formerId;
    if (openId !== undefined ? linkedId === undefined || isFormer : isFormer && formerId !== undefined) {
      const search = openId === undefined ? {} : { conversation: openId };
      void navigate({ to: '/playground', search, replace: true });
    }
  }, [openId, linkedId, navigate]);
  useEffect(() => {
    if (linkedId !== undefined && linkedId !== latestOpenId.current) void load(linkedId);
    else setLoading(undefined);
  }, [linkedId, load]);
  return {
    isLoading: loading !== undefined && loading.error === undefined,
    error: loading?.error,
    retry: () => loading && void load(loading.id),
    /** Shows what the history has by now. */
    reload: async () => {
      if (openId !== undefined) await load(openId);
    },
    /** Takes the conversation out of the address. */
    leave: () => {
      wantedId.current = undefined;
      void navigate({ to: '/playground', search: {} });
    },
  };
}

/** Chooses the model that a page of a model leads with, and takes it out of the address. */
function useLinkedModel({ setConversation }: ReturnType<typeof useConversation>) {
  const navigate = useNavigate();
  const { model, conversation } = useSearch({ from: '/console/playground' });
  useEffect(() => {
    if (model === undefined) return;
    setConversation((before) => ({ ...before, parameters: { ...before.parameters, models: [model] } }));
    const search = conversation === undefined ? {} : { conversation };
    void navigate({ to: '/playground', search, replace: true });
  }, [model, conversation, navigate, setConversation]);
}

interface SavingNoticeProps {
  notice: SaveNotice;
  isBusy: boolean;
  onRetry: () => void;
  onSeparate: () => void;
  onReload: () => Promise<void>;
  /** Absent for what stays until it is settled. */
  onClose: (() => void) | undefined;
}

function SavingNotice({ notice, isBusy, onRetry, onSeparate, onReload, onClose }: SavingNoticeProps) {
  const t = usePlaygroundTexts();
  const [isReloading, setIsReloading] = useState(false);
  const reload = async () => {
    setIsReloading(true);
    await onReload();
    setIsReloading(false);
  };
  const { kind } = notice;
  return (
    <Alert
      role="status"
      color={kind === 'withoutPictures' ? 'gray' : 'yellow'}
      variant="light"
      p="xs"
      {...(onClose && { withCloseButton: true, closeButtonLabel: t('notice.close'), onClose })}
    >
      <Group gap="xs">
        <Text size="sm">{t(`save.${kind}`)}</Text>
        {(kind === 'full' || kind === 'failed') && (
          <Button size="xs" variant="default" onClick={onRetry}>
            {t('save.retry')}
          </Button>
        )}
        {kind === 'changed' && (
          <>
            <Button size="xs" variant="default" disabled={isBusy || isReloading} onClick={onSeparate}>
              {t('save.separate')}
            </Button>
            <Button
              size="xs"
              variant="default"
              disabled={isBusy}
              loading={isReloading}
              onClick={() => void reload()}
            >
              {t('save.reload')}
            </Button>
          </>
        )}
      </Group>
    </Alert>
  );
}

/** The next call of each model as a program makes it. */
function AsCode({ conversation, onClose }: { conversation: Conversation; onClose: () => void }) {
  const t = usePlaygroundTexts();
  const { urls } = useSite();
  const { parameters, turns, draft } = conversation;
  const last = turns.at(-1);
  const example = { ...NO_PROMPT, text: t('examplePrompt') };
  const asked = !isEmptyPrompt(draft)
    ? withDraft(conversation)
    : last
      ? [...turns.slice(0, -1), { ...last, answers: [] }]
      : withDraft({ ...conversation, draft: example });
  return (
    <Modal opened onClose={onClose} title={t('asCode')} size="xl">
      <Stack>
        <Text size="md">{t('asCode.text')}</Text>
        {parameters.models.map((model, place) => (
          <Stack key={place} gap="xs">
            {parameters.models.length > 1 && <Text fw={600}>{model}</Text>}
            <CodeSamples
              samples={samplesOf(urls.gateway, requestBody(parameters, asked, place))}
              label={parameters.models.length > 1 ? t('asCode.languageOf', { model }) : t('asCode.language')}
            />
          </Stack>
        ))}
      </Stack>
    </Modal>
  );
}
