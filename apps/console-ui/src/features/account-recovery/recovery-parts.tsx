import { Alert, Anchor, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
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

/** A link under a form, after the question that it answers. */
export function FooterLink({
  question,
  to,
  children,
}: {
  question?: string;
  to: '/sign-in' | '/forgot-password' | '/reset-password';
  children: string;
}) {
  return (
    <Group gap={6} justify="center">
      {question && <Text size="md">{question}</Text>}
      <Anchor component={Link} to={to} size="md">
        {children}
      </Anchor>
    </Group>
  );
}
