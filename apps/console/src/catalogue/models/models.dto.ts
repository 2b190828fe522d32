import { BadRequestException, type PipeTransform, Param } from '@nestjs/common';
import { z } from 'zod';
import { modelSlug } from '../../validation/model-slug';
import { singleLineText } from '../../validation/text-fields';
import { isXmlText } from '../xml/escape-xml';

const VERSION = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/;
/** Path segments that follow a slug in routes, so they must not be part of one. */
const RESERVED = ['packages', 'download'];
const MAX_FILE_NAME = 200;

/** A slug that can be part of a URL path. */
const packageSlug = modelSlug.refine(
  (slug) => slug.split('/').every((part) => !['', '.', '..', ...RESERVED].includes(part.toLowerCase())),
  `must not have empty parts between slashes, nor . or .. or ${RESERVED.join(' or ')}`,
);

const versionField = z
  .string('must be a text')
  .regex(VERSION, 'must have 1 to 64 of A-Z, a-z, 0-9 and . _ + -, the first one a letter or a digit');

const property = () => singleLineText(100).nullish();

/** A missing field other than `version` is cleared. */
export const modelInput = z.strictObject({
  name: singleLineText(200),
  description: z
    .string('must be a text')
    .max(20_000, 'must have at most 20000 characters')
    .refine(isXmlText, 'must not contain control characters other than tabs and line breaks')
    .default(''),
  family: property(),
  parameters: property(),
  quantization: property(),
  format: property(),
  license: property(),
  /** The package to publish. Null publishes none; if absent, publication does not change. */
  version: versionField.nullish(),
});
export type ModelInput = z.output<typeof modelInput>;

const isFileName = (name: string) => name !== '.' && name !== '..' && !/[/\\]/.test(name);

export const uploadQuery = z.strictObject({
  /** The name under which customers save the file. */
  file_name: singleLineText(MAX_FILE_NAME).refine(isFileName, 'must be a name without a path').optional(),
});
export type UploadQuery = z.output<typeof uploadQuery>;

/** Not strict: the query also holds the session token. */
export const downloadQuery = z.object({ version: versionField.optional() });
export type DownloadQuery = z.output<typeof downloadQuery>;

/** A wildcard route parses a slug with slashes into a list of segments. */
const joinSegments = (value: unknown) => (Array.isArray(value) ? value.join('/') : value);

class PathPipe implements PipeTransform {
  constructor(
    private readonly name: string,
    private readonly schema: z.ZodType<string>,
  ) {}

  transform(value: unknown): string {
    const { success, data, error } = this.schema.safeParse(joinSegments(value));
    if (!success) throw new BadRequestException(`${this.name}: ${error.issues[0]?.message}`);
    return data;
  }
}

/** The slug of a resource to write. Throws 400 for an invalid slug. */
export const NewSlug = () => Param('slug', new PathPipe('slug', packageSlug));
/** The version of a package to write. Throws 400 for an invalid version. */
export const NewVersion = () => Param('version', new PathPipe('version', versionField));

class JoinPipe implements PipeTransform {
  transform(value: unknown): string {
    return String(joinSegments(value));
  }
}

/** The slug of a resource to read or remove. It is not validated: an invalid slug is simply not found. */
export const Slug = () => Param('slug', new JoinPipe());

/** A published package (design: `GET /api/models`). */
export interface ModelView {
  slug: string;
  name: string;
  description: string;
  family: string | null;
  parameters: string | null;
  quantization: string | null;
  format: string | null;
  license: string | null;
  version: string;
  file_name: string;
  /** In bytes. */
  size: number;
  /** Hexadecimal. */
  sha256: string;
  /** ISO 8601: when this version was first published. */
  published_at: string;
}

/** A model as admins see it. */
export interface AdminModelView extends Omit<
  ModelView,
  'version' | 'file_name' | 'size' | 'sha256' | 'published_at'
> {
  /** The published version; null if none. */
  version: string | null;
  changed_at: string;
}
