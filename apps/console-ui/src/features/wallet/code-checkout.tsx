import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Download } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { fileLoader } from '../../components/lazy-file';
import classes from './payments.module.css';
import { type Payment } from './wallet-queries';
import { useWalletTexts } from './wallet-texts';

const QrCode = lazy(fileLoader(() => import('./qr-code')));
const loadQrPicture = fileLoader(async () => {
  const { qrPicture } = await import('./qr-code');
  return qrPicture;
});

/** A device whose own screen nobody can scan: it is the one with the app. */
const PHONE = '(pointer: coarse), (max-width: 30em)';

/** Opens the app with the code, as if it had scanned it. */
const alipayLink = (code: string) =>
  `alipays://platformapi/startapp?saId=10000007&qrcode=${encodeURIComponent(code)}`;
/** Opens the app only: codes of WeChat Pay can be opened from nowhere outside it. */
const WECHAT_LINK = 'weixin://';
const isInWeChat = () => /MicroMessenger/i.test(navigator.userAgent);

interface Props {
  provider: Payment['provider'];
  code: string;
}

/** The code that the payer scans; on the phone that has the app, the way into the app. */
export function CodeCheckout({ provider, code }: Props) {
  const t = useWalletTexts();
  const isPhone = useMediaQuery(PHONE, false, { getInitialValueInEffect: false });
  const picture = (
    <Suspense fallback={<Skeleton className={classes.code} />}>
      <QrCode text={code} label={t('pending.code')} className={classes.code!} />
    </Suspense>
  );
  if (!isPhone)
    return (
      <>
        {picture}
        <Text size="md">{t('pending.scan', { provider: t(`provider.${provider}`) })}</Text>
      </>
    );
  const isAlipay = provider === 'wallet_pay_provider';
  if (!isAlipay && isInWeChat())
    return (
      <>
        {picture}
        <Text size="md">{t('phone.wechat.inside')}</Text>
      </>
    );
  return (
    <Stack align="center" gap="sm">
      {isAlipay && (
        <Button component="a" href={alipayLink(code)} size="md">
          {t('phone.alipay.open')}
        </Button>
      )}
      {picture}
      <Group gap="xs" justify="center">
        <SaveCode code={code} />
        {!isAlipay && (
          <Button component="a" href={WECHAT_LINK} variant="default">
            {t('phone.wechat.open')}
          </Button>
        )}
      </Group>
      <Text size="md">{t(isAlipay ? 'phone.alipay.album' : 'phone.wechat.album')}</Text>
    </Stack>
  );
}

const FILE_NAME = 'payment-code.png';

/** Puts the code into the album by the phone's own menu, or among the downloads where there is none. */
function SaveCode({ code }: Pick<Props, 'code'>) {
  const t = useWalletTexts();
  const save = async () => {
    const qrPicture = await loadQrPicture();
    const picture = qrPicture(code);
    const bytes = Uint8Array.from(atob(picture.slice(picture.indexOf(',') + 1)), (digit) =>
      digit.charCodeAt(0),
    );
    const files = [new File([bytes], FILE_NAME, { type: 'image/png' })];
    if (navigator.canShare?.({ files })) {
      // Rejects when the person closes the menu.
      await navigator.share({ files }).catch(() => undefined);
      return;
    }
    const link = document.createElement('a');
    link.href = picture;
    link.download = FILE_NAME;
    link.click();
  };
  return (
    <Button variant="default" leftSection={<Download size={16} />} onClick={() => void save()}>
      {t('phone.save')}
    </Button>
  );
}
