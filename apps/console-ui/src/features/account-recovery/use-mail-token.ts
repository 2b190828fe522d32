import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

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
