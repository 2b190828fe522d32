import { Anchor, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type RequestDetail } from '../request-queries';
import { useRequestTexts } from '../texts/request-texts';
import { CostExplanation } from './cost-explanation';

/** Opens the explanation of the cost of calls over the page on which it is shown. */
export function WhyThisCost({ calls }: { calls: RequestDetail[] }) {
  const t = useRequestTexts();
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Anchor component="button" type="button" size="sm" onClick={open}>
        {t('why')}
      </Anchor>
      <Modal
        opened={isOpen}
        onClose={close}
        size="lg"
        title={t('why.calls', { count: calls.length })}
        closeButtonProps={{ 'aria-label': t('why.close') }}
      >
        <Stack gap="xl">
          {calls.map((call) => (
            <Stack key={call.id} gap="xs">
              <Text size="sm" c="dimmed">
                {t('id')}{' '}
                <Text span inherit className="figure">
                  {call.id}
                </Text>
              </Text>
              <CostExplanation request={call} />
            </Stack>
          ))}
        </Stack>
      </Modal>
    </>
  );
}
