import { Alert, Button, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CircleCheck, Info } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { type Payment } from '../wallet-queries';
import { useWalletTexts } from '../wallet-texts';
import { isLate, timeLeft } from './payment-state';
import classes from './payments.module.css';

const QrCode = lazy(() => import('./qr-code'));
const TICK_MILLIS = 1000;

/** What the payer does now, or what came of it. */
export function PaymentProgress({ payment }: { payment: Payment }) {
  const t = useWalletTexts();
  const { status } = payment;
  return (
    <div aria-live="polite">
      {status === 'pending' && <Pending payment={payment} />}
      {status === 'paid' && (
        <Alert variant="default" icon={<CircleCheck size={18} />} title={t('paid.title')}>
          <Stack gap="sm" align="flex-start">
            <Text size="md">{t(isLate(payment) ? 'paid.late' : 'paid.text')}</Text>
            <Button component={Link} to="/overview" size="xs" variant="default">
              {t('paid.overview')}
            </Button>
          </Stack>
        </Alert>
      )}
      {(status === 'failed' || status === 'expired') && (
        <Alert variant="default" icon={<Info size={18} />} title={t('ended.title')}>
          <Stack gap="sm" align="flex-start">
            <Text size="md">{t('ended.text')}</Text>
            <Button component={Link} to="/top-up" size="xs" variant="default">
              {t('ended.again')}
            </Button>
          </Stack>
        </Alert>
      )}
    </div>
  );
}

function Pending({ payment: { checkout, provider } }: { payment: Payment }) {
  const t = useWalletTexts();
  return (
    <Paper withBorder p="lg" component="section">
      <Stack align="center" gap="sm" ta="center">
        <Title order={2}>{t('pending.title')}</Title>
        {checkout?.type === 'qr' && (
          <>
            <Suspense fallback={<Skeleton className={classes.code} />}>
              <QrCode text={checkout.url} label={t('pending.code')} className={classes.code!} />
            </Suspense>
            <Text size="md">{t('pending.scan', { provider: t(`provider.${provider}`) })}</Text>
          </>
        )}
        {checkout?.type === 'redirect' && (
          <Button component="a" href={checkout.url}>
            {t('pending.pay')}
          </Button>
        )}
        {checkout && <TimeLeft until={checkout.expires_at} />}
        <Text size="sm" c="dimmed">
          {t('pending.text')}
        </Text>
      </Stack>
    </Paper>
  );
}

function TimeLeft({ until }: { until: string }) {
  const t = useWalletTexts();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MILLIS);
    return () => clearInterval(timer);
  }, []);
  const left = timeLeft(until, now);
  if (left === undefined) return <Text size="md">{t('pending.late')}</Text>;
  return (
    // A screen reader would say every second.
    <Group gap={4} aria-live="off" role="timer">
      <Text span size="md">
        {t('pending.left')}
      </Text>
      <Text span size="md" fw={600} className="figure">
        {left}
      </Text>
    </Group>
  );
}
