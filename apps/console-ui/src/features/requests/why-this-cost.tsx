import { Anchor, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useConsoleApi } from '../../api/console-api';
import { QueryState } from '../../components/query-state';
import { CostExplanation } from './cost-explanation';
import { requestQuery } from './request-queries';
import { useRequestTexts } from './texts/request-texts';

/** Opens the explanation of a call's cost over the page on which the cost is shown. */
export function WhyThisCost({ requestId }: { requestId: string }) {
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
        title={requestId}
        closeButtonProps={{ 'aria-label': t('why.close') }}
      >
        {isOpen && <Explanation requestId={requestId} />}
      </Modal>
    </>
  );
}

function Explanation({ requestId }: { requestId: string }) {
  const query = useQuery(requestQuery(useConsoleApi(), requestId));
  return <QueryState query={query}>{(request) => <CostExplanation request={request} />}</QueryState>;
}
