import { pageQuery } from '@inference/http';
import { z } from 'zod';
import { externalId } from './uploads/upload.dto';

/** The query of GET …/documents. */
export const documentsQuery = pageQuery.extend({
  status: z.enum(['queued', 'processing', 'ready', 'failed']).optional(),
  external_id: externalId.optional(),
});
export type DocumentsQuery = z.output<typeof documentsQuery>;
