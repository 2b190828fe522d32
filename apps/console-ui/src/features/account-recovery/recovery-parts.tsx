import { Alert, Anchor, Group, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import { useEffect, useState } from 'react';

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

/** The token with which a link of a mail leads here. Neither the address nor the history keeps it. */
export function useMailToken(): string | undefined {
  const navigate = useNavigate();
  const [token] = useState(() => mailTokenIn(window.location.hash));
  useEffect(() => {
    if (window.location.hash) void navigate({ to: '.', hash: '', replace: true });
  }, [navigate]);
  return token;
}

/** Reads the token of a mail from the fragment of the address: `#token=…`. Undefined without one. */
export function mailTokenIn(fragment: string): string | undefined {
  return new URLSearchParams(fragment.replace(/^#/, '')).get('token')?.trim() || undefined;
}
