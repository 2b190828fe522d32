import { field, type FieldOptions } from '@inference/dto';
import { ValidateBy } from 'class-validator';
import { isReleaseTag } from './release-tag';

/** A tag such as v1.2.3 (spec: Release). */
export const ReleaseTagField = (options: FieldOptions): PropertyDecorator =>
  field(
    { example: 'v1.2.3', ...options },
    { type: 'string', pattern: String.raw`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$` },
    ValidateBy({
      name: 'isReleaseTag',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && isReleaseTag(value),
        defaultMessage: () =>
          'must be v<major>.<minor>.<patch>, such as v1.2.3 or v2.0.0-rc.1, without build metadata',
      },
    }),
  );
