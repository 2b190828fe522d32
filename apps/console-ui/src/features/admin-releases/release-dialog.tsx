import {
  ActionIcon,
  Button,
  Checkbox,
  Fieldset,
  Group,
  Modal,
  Select,
  Stack,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { Plus, Trash2 } from 'lucide-react';
import { ErrorNotice } from '../../components/error-notice';
import { Figure } from '../../figures/figure';
import { type Component, COMPONENTS } from '../downloads/release-queries';
import { useAdminReleasesTexts } from './admin-releases-texts';
import { usePutRelease } from './release-queries';

const NO_FILE = { name: '', url: '', size: '' };
const WHOLE = /^\d+$/;

/** Publishes a release of files that lie at the code host. */
export function ReleaseDialog({ onClose }: { onClose: () => void }) {
  const t = useAdminReleasesTexts();
  const put = usePutRelease();
  const form = useForm({
    initialValues: {
      component: COMPONENTS[0] as Component,
      tag: '',
      name: '',
      prerelease: false,
      files: [NO_FILE],
    },
    validate: {
      tag: (tag) => (tag.trim() ? null : t('tag.missing')),
      name: (name) => (name.trim() ? null : t('name.missing')),
      files: {
        name: (name) => (name.trim() ? null : t('file.name.missing')),
        url: (url) => (url.trim().startsWith('https://') ? null : t('file.url.invalid')),
        size: (size) => (WHOLE.test(size.trim()) ? null : t('file.size.invalid')),
      },
    },
  });
  const submit = ({ component, tag, name, prerelease, files }: typeof form.values) =>
    put.mutate(
      {
        component,
        tag: tag.trim(),
        name: name.trim(),
        draft: false,
        prerelease,
        assets: files.map((file) => ({
          name: file.name.trim(),
          url: file.url.trim(),
          size: Figure.of(file.size.trim()),
        })),
      },
      {
        onSuccess: () => {
          notifications.show({ message: t('publish.done', { name: `${component} ${tag.trim()}` }) });
          onClose();
        },
      },
    );
  return (
    <Modal opened onClose={onClose} size="lg" title={t('create')} closeOnClickOutside={false}>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack>
          {put.error && <ErrorNotice error={put.error} />}
          <Group grow align="flex-start">
            <Select
              label={t('component')}
              allowDeselect={false}
              data={[...COMPONENTS]}
              {...form.getInputProps('component')}
            />
            <TextInput label={t('tag')} placeholder="v1.2.3" required {...form.getInputProps('tag')} />
          </Group>
          <TextInput label={t('name')} maxLength={200} required {...form.getInputProps('name')} />
          <Checkbox
            label={t('prerelease.hint')}
            {...form.getInputProps('prerelease', { type: 'checkbox' })}
          />
          {form.values.files.map((_file, index) => (
            <Fieldset key={index} legend={t('file', { count: index + 1 })}>
              <Stack gap="xs">
                <TextInput
                  label={t('file.name')}
                  description={t('file.name.hint')}
                  required
                  {...form.getInputProps(`files.${index}.name`)}
                />
                <TextInput label={t('file.url')} required {...form.getInputProps(`files.${index}.url`)} />
                <Group align="flex-start" justify="space-between">
                  <TextInput
                    label={t('file.size')}
                    inputMode="numeric"
                    required
                    {...form.getInputProps(`files.${index}.size`)}
                  />
                  {form.values.files.length > 1 && (
                    <ActionIcon
                      variant="subtle"
                      color="red"
                      mt={28}
                      aria-label={t('file.remove', { count: index + 1 })}
                      onClick={() => form.removeListItem('files', index)}
                    >
                      <Trash2 size={16} />
                    </ActionIcon>
                  )}
                </Group>
              </Stack>
            </Fieldset>
          ))}
          <Group justify="space-between">
            <Button
              variant="subtle"
              leftSection={<Plus size={16} />}
              onClick={() => form.insertListItem('files', NO_FILE)}
            >
              {t('file.add')}
            </Button>
            <Group>
              <Button variant="default" onClick={onClose}>
                {t('cancel')}
              </Button>
              <Button type="submit" loading={put.isPending}>
                {t('publish')}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
