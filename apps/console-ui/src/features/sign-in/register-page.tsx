import { Alert, Anchor, Button, Group, PasswordInput, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { toApiError } from '../../api/api-error';
import { bodyOf, useConsoleApi } from '../../api/console-api';
import { useSession } from '../../api/session';
import { useSite } from '../../api/site';
import { ErrorNotice, showFieldErrors } from '../../components/error-notice';
import { fileLoader } from '../../components/lazy-file';
import { useLanguage } from '../../language/language';
import { useGoOn } from './next-page';
import { ProviderLinks, SignInFrame } from './sign-in-frame';
import { useSignInTexts } from './sign-in-texts';

/** Many sites have no terms: a checkbox would be a fiftieth of what the sign-in loads. */
const TermsConsent = lazy(
  fileLoader(() => import('./terms-consent').then((module) => ({ default: module.TermsConsent }))),
);

const MIN_PASSWORD_LENGTH = 8;

export function RegisterPage() {
  const t = useSignInTexts();
  const api = useConsoleApi();
  const session = useSession();
  const goOn = useGoOn();
  const { language } = useLanguage();
  const { signup, terms } = useSite();
  const [failure, setFailure] = useState<unknown>();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '', password: '', accepted_terms: false },
    validate: {
      email: (value) => (/^\S+[@＠]\S+$/.test(value.trim()) ? null : t('email.invalid')),
      password: (value) =>
        value.length >= MIN_PASSWORD_LENGTH ? null : t('password.short', { count: MIN_PASSWORD_LENGTH }),
      accepted_terms: (isAccepted) => (isAccepted || !terms ? null : t('terms.missing')),
    },
  });
  const register = useMutation({
    mutationFn: ({ email, password }: typeof form.values) => {
      const body = { email, password, language, ...(terms && { accepted_terms: terms.version }) };
      return session.alone(() => bodyOf(api.POST('/api/auth/register', { body })));
    },
    onMutate: () => setFailure(undefined),
    onSuccess: (answer) => {
      session.open(answer);
      goOn();
    },
    onError: (error) => {
      if (toApiError(error).status === 409) form.setFieldError('email', t('email.taken'));
      else setFailure(showFieldErrors(form, error));
    },
  });
  return (
    <SignInFrame
      title={t('register.title')}
      footer={
        <Group gap={6} justify="center">
          <Text size="md">{t('signIn.question')}</Text>
          <Anchor component={Link} to="/sign-in" search size="md">
            {t('signIn.link')}
          </Anchor>
        </Group>
      }
    >
      {signup === 'closed' ? (
        <Alert>{t('register.closed')}</Alert>
      ) : (
        <>
          <form onSubmit={form.onSubmit((values) => register.mutate(values))} noValidate>
            <Stack>
              {failure !== undefined && <ErrorNotice error={failure} />}
              <TextInput
                label={t('email')}
                type="email"
                autoComplete="email"
                required
                {...form.getInputProps('email')}
                key={form.key('email')}
              />
              <PasswordInput
                label={t('password')}
                description={t('password.rule', { count: MIN_PASSWORD_LENGTH })}
                autoComplete="new-password"
                required
                {...form.getInputProps('password')}
                key={form.key('password')}
              />
              {terms && (
                <Suspense fallback={<Skeleton height={22} />}>
                  <TermsConsent
                    {...form.getInputProps('accepted_terms', { type: 'checkbox' })}
                    key={form.key('accepted_terms')}
                  />
                </Suspense>
              )}
              <Button type="submit" loading={register.isPending}>
                {t('register.submit')}
              </Button>
            </Stack>
          </form>
          <ProviderLinks />
        </>
      )}
    </SignInFrame>
  );
}
