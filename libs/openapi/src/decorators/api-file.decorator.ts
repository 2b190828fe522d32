import { ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';

export interface FileOptions {
  description: string;
  mediaTypes: string[];
  status?: number;
  headers?: ApiResponseOptions['headers'];
}

/** A download: 200 with the bytes of a file that browsers save. */
export const ApiFile = ({ description, mediaTypes, status = 200, headers }: FileOptions) =>
  ApiResponse({
    status,
    description,
    headers: {
      'Content-Disposition': {
        description: '`attachment` with the name of the file.',
        schema: { type: 'string', pattern: '^attachment' },
        required: true,
      },
      ...headers,
    },
    content: Object.fromEntries(
      mediaTypes.map((mediaType) => [mediaType, { schema: { type: 'string', format: 'binary' } }]),
    ),
  });
