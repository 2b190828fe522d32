export const en = {
  title: 'Activities',
  running_one: 'Activities: {{count}} is running',
  running_other: 'Activities: {{count}} are running',
  empty: 'Nothing is running. Uploads, payments, agent turns and exports appear here.',
  clear: 'Clear what has ended',
  'kind.upload': 'Upload',
  'kind.export': 'Export',
  'kind.payment': 'Payment',
  'kind.turn': 'Agent turn',
  'state.running': 'Running',
  'state.done': 'Done',
  'state.failed': 'Failed',
} as const;
