import { Anchor } from '@mantine/core';
import { splitLinks } from './text-with-links';

/** A plain text whose addresses are links. */
export function AnnouncementText({ text }: { text: string }) {
  return splitLinks(text).map((part, index) =>
    typeof part === 'string' ? (
      part
    ) : (
      <Anchor key={index} href={part.href} inherit underline="always" rel="noreferrer">
        {part.href}
      </Anchor>
    ),
  );
}
