import { IntegerField, nameFault, TextField } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { missingInAssetName } from '../release-format/asset-name';
import { isFileName, isMediaType } from '../release-format/release-asset';

const NAME_EXAMPLE = 'engine-v1.2.3-linux-x86_64.tar.gz';
const URL_EXAMPLE = `https://github.com/acme/engine/releases/download/v1.2.3/${NAME_EXAMPLE}`;

/** Refuses texts for which `faultOf` returns a message. */
const refused = (name: string, faultOf: (text: string) => string | null): PropertyDecorator =>
  ValidateBy({
    name,
    validator: {
      validate: (value: unknown) => faultOf(String(value)) === null,
      defaultMessage: (checked?: ValidationArguments) => faultOf(String(checked?.value)) ?? '',
    },
  });

function assetNameFault(name: string): string | null {
  if (!isFileName(name)) return nameFault(name) ?? 'must not contain slashes';
  const missing = missingInAssetName(name);
  return missing === null ? null : `must name ${missing}, between "-", "_", "." or spaces`;
}

/** A file of a release. The service checks that its URL lies at the site's code host. */
export class ReleaseAssetDto {
  @refused('isAssetName', assetNameFault)
  @TextField({
    description: 'File name with platform and architecture.',
    example: NAME_EXAMPLE,
    maxLength: 200,
  })
  name!: string;

  @TextField({
    description: 'Download URL at the code host of the site, https.',
    example: URL_EXAMPLE,
    maxLength: 2_000,
  })
  url!: string;

  @IntegerField({ description: 'Bytes.', example: 1_234_567, min: 0, max: Number.MAX_SAFE_INTEGER })
  size!: number;

  @refused('isMediaType', (text) =>
    isMediaType(text) ? null : 'must be a media type such as application/zip',
  )
  @TextField({
    description: 'Media type. If absent, it is derived from the name.',
    example: 'application/gzip',
    optional: true,
  })
  content_type?: string;
}

/** Spec: Asset object. */
export class ReleaseAssetResponse {
  @ApiProperty({ description: 'File name with platform and architecture.', example: NAME_EXAMPLE })
  name!: string;

  @ApiProperty({ description: 'Download URL at the code host of the site.', example: URL_EXAMPLE })
  url!: string;

  @ApiProperty({ description: 'Bytes.', type: 'integer', example: 1_234_567 })
  size!: number;

  @ApiProperty({ description: 'Media type.', example: 'application/gzip' })
  content_type!: string;
}
