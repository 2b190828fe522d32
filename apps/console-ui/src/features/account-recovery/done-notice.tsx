import { Alert, Text } from '@mantine/core';
import { CircleCheck } from 'lucide-react';

/** Says that something is done. Its title has the colour of texts: Mantine's green has too little contrast. */
export function DoneNotice({ title, children }: { title: string; children: string }) {
  return (
    <Alert role="status" color="green" icon={<CircleCheck size={18} />}>
      <Text size="md" fw={600}>
        {title}
      </Text>
      <Text size="md">{children}</Text>
    </Alert>
  );
}
