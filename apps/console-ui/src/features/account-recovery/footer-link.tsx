import { Anchor, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';

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
