export const en = {
  title: 'Changelog',
  description: 'What is new, newest first.',
  feed: 'Atom feed',
  more: 'Show more',
  'empty.title': 'No news yet',
  'empty.text': 'What changes is told here. The newest versions are among the downloads.',
  'empty.downloads': 'Go to the downloads',
} as const;
