import { type ServiceOptions } from '@inference/http';
import { type ApiDescription, ErrorResponse, serveDocument } from '@inference/openapi';

export const API_DESCRIPTION: ApiDescription = {
  title: 'Memo API',
  limitsRefusals: true,
  description:
    'Answers questions from the documents of a workspace and cites them. A workspace has members with one of the roles viewer, editor and admin; each role includes the permissions of the roles before it. For a caller who is not a member, a workspace does not exist (404). Times are RFC 3339 in UTC; ids are opaque.',
  errorBody: ErrorResponse,
  defaultKinds: ['session', 'workspace_key'],
  schemes: {
    workspace_key: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'Key of a workspace, `sk_…`. It is valid in its workspace only.',
    },
  },
  tags: {
    Workspaces: 'Groups of documents with members.',
    Invitations: 'People become members by accepting an invitation of their e-mail address.',
    Members: 'The accounts that may use a workspace, with their roles.',
    'Workspace keys': 'Keys for programs that use one workspace.',
    Documents: 'Uploads, their versions and their stored texts.',
    Search: 'Passages of the documents.',
    Chat: 'Answers with citations.',
    Conversations: 'Stored questions and answers of a member.',
    Feedback: 'What members think of answers.',
    Health: 'Probe of load balancers.',
  },
};

/**
 * Room for the longest query (4,000 characters) with every character written as a JSON escape of up to 12 bytes, and
 * the other fields.
 */
const BODY_LIMIT_BYTES = 131_072;
export const SERVICE_OPTIONS: ServiceOptions = {
  name: 'memo',
  bodyLimitBytes: BODY_LIMIT_BYTES,
  documentApi: serveDocument(API_DESCRIPTION),
};
