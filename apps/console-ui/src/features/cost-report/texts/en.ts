export const en = {
  title: 'Cost of all accounts',
  description: 'What all accounts cost in USD, highest first.',
  csv: 'Download as CSV',
  'by.user': 'Account',
  'by.model': 'Model',
  'by.entrypoint': 'Source',
  'by.api_key': 'API key',
  tokens: 'Tokens',
  cost: 'Cost in USD',
  total: 'Total',
  'empty.title': 'No account has used anything in this period',
  'empty.text': 'Choose another period. Calls appear here as soon as they are charged.',
} as const;
