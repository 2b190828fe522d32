import { type ServiceOptions } from '@inference/http';
import { type ApiDescription, serveDocument } from '@inference/openapi';
import { ENVELOPE_ERRORS, EnvelopeErrorResponse } from '@inference/training-envelope';

export const API_DESCRIPTION: ApiDescription = {
  title: 'Training API',
  limitsRefusals: true,
  description:
    'What can be trained on one site, token quotas, and the usage that trainers report. Every answer but that of the health probe is an envelope of `code`, `data` and `message`. Amounts are JSON numbers with all digits of the ledger; times are RFC 3339 in UTC.',
  errorBody: EnvelopeErrorResponse,
  defaultKinds: ['session', 'api_key'],
  schemes: {
    service: { type: 'http', scheme: 'bearer', description: 'Secret of a trainer, for no account.' },
  },
  hasStaff: true,
  tags: {
    Capabilities: 'What an account can train, and at which price.',
    Quotas: 'Token quotas of accounts, for admins.',
    Usage: 'Usage that the trainers report.',
    Health: 'Probe of load balancers.',
  },
};

const BODY_LIMIT_BYTES = 16_384;

export const SERVICE_OPTIONS: ServiceOptions = {
  name: 'training',
  bodyLimitBytes: BODY_LIMIT_BYTES,
  refuseInexactNumbers: true,
  documentApi: serveDocument(API_DESCRIPTION),
  ...ENVELOPE_ERRORS,
};
