import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { mailTokenIn } from './mail-token';

/** The token with which a link of a mail leads here. Neither the address nor the history keeps it. */
export function useMailToken(): string | undefined {
  const navigate = useNavigate();
  const [token] = useState(() => mailTokenIn(window.location.hash));
  useEffect(() => {
    if (window.location.hash) void navigate({ to: '.', hash: '', replace: true });
  }, [navigate]);
  return token;
}
