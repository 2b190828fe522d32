import { type ApiOperationOptions, getSchemaPath } from '@nestjs/swagger';
import { FormUploadDto, JsonUploadDto } from './upload.dto';

/** The classes to which UPLOAD_BODY refers. */
export const UPLOAD_MODELS = [JsonUploadDto, FormUploadDto];

/** For the API document: the body of an upload, which handlers read as a stream. */
export const UPLOAD_BODY: ApiOperationOptions['requestBody'] = {
  required: true,
  description: 'A text as JSON, or a form with a file.',
  content: {
    'application/json': { schema: { $ref: getSchemaPath(JsonUploadDto) } },
    'multipart/form-data': { schema: { $ref: getSchemaPath(FormUploadDto) } },
  },
};
